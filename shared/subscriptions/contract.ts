import * as z from 'zod';
import {
  cancellationReasons,
  cancellationStatuses,
  frequencies,
  subscriptionStatuses,
  subscriptionTypes,
} from './model.ts';
import { Amount, AmountInput } from '../contract/amount.ts';
import { DateOnly } from '../contract/date.ts';
import { Customer, Document, Party } from '../contract/party.ts';
import {
  AccountNumber,
  BranchNumber,
  ClientOf,
  Ispb,
  QrCodeImage,
  QrCodeText,
  RecurrenceId,
  ShownDescription,
  ShownExternalId,
  ShownName,
  TransactionId,
} from '../contract/references.ts';
import { Id, Timestamp } from '../contract/text.ts';

/** Descriptions of fields that partners send and read. */
export const meanings = {
  type:
    'The journey. `AUTHORIZATION_QRCODE` (2): the code carries the authorization only. `AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT` ' +
    '(3): reading it also pays `initialCharge`.',
  frequencyType: 'How long a cycle is; one charge a cycle.',
  startDate: 'First day of the recurrence, in Brasilia; cycles are counted from it.',
  endDate: 'Last day of the recurrence; without it, it has no end.',
  allowChargeAfterDueDate: 'Whether a charge that was not paid may be tried again after its due date.',
  allowAdjustToBusinessDay: 'Whether due dates on Saturday and Sunday move to Monday; local holidays do not count.',
  fixedAmount: 'What every charge amounts to; without it each charge has its own amount.',
  maxAmountFloor: 'The least that the payer may set as the limit of a charge. Not with `fixedAmount`.',
  debtor: 'Who owes the charges.',
  webhookUrl: 'Where all events of the subscription and of its payments go.',
} as const;

const CancellationStatus = z.enum(cancellationStatuses).meta({
  description:
    '`PENDING`: the payer’s bank has not answered, which can take hours. `ACCEPTED`: the subscription is canceled. `REJECTED`, ' +
    '`ERROR`: it goes on.',
});

export const CancellationStatusChange = z
  .strictObject({ status: CancellationStatus, createdAt: Timestamp })
  .meta({ description: 'A status that a request had, and from when.' });

export const CancellationRecord = z
  .strictObject({
    id: Id.meta({ description: 'The request.' }),
    idempotencyKey: z.string().meta({
      description: 'The key with which it was requested.',
      examples: ['b3c1e6a0-6f0b-4b57-9f3b-2f7a1c9d8e10'],
    }),
    status: CancellationStatus,
    statusHistory: z.array(CancellationStatusChange).meta({ description: 'Every status that it had, oldest first.' }),
    reason: z
      .enum(cancellationReasons)
      .meta({ description: 'Why. It stays here: the arrangement has no field for it.' }),
    customer: Customer,
    createdAt: Timestamp,
    createdBy: ClientOf.optional(),
    updatedAt: Timestamp.meta({ description: 'Last change of the status.' }),
  })
  .meta({ description: 'A request to cancel a subscription.' });

const Status = z.enum(subscriptionStatuses).meta({
  description:
    '`PENDING_AUTHORIZATION`: the payer has not read the code yet. `ACCEPTED`: it can be charged. `REJECTED`: the payer refused. ' +
    '`CANCELED`: it was ended. `ERROR`: the bank refused the recurrence. `INITIAL`: the request was accepted.',
});

export const SubscriptionStatusChange = z
  .strictObject({ status: Status, createdAt: Timestamp })
  .meta({ description: 'A status that a subscription had, and from when.' });

const charge = {
  orderId: Id.optional().meta({
    description: 'The pay-in that the first charge settles as; absent only when the bank refused the subscription.',
  }),
  amount: Amount,
  conciliationId: TransactionId,
  expireDateTime: Timestamp.meta({ description: 'Until when the first charge can be paid.' }),
};
export const InitialCharge = z.strictObject(charge).meta({ description: 'Journey 3: the first charge.' });
const initialCharge = InitialCharge.optional();

export const InitialChargeInput = z
  .strictObject({ amount: AmountInput })
  .meta({ description: 'Journey 3, and only there: what reading the code pays.' });

export const SubscriptionReceiver = z
  .strictObject({
    id: Id.meta({ description: 'The account that receives.' }),
    fullName: ShownName.meta({
      description: 'Its holder, as the payer sees it.',
      examples: ['Clínica Boa Vista Ltda'],
    }),
    document: Document,
  })
  .meta({ description: 'Who receives the charges.' });

export const PayerBankData = z
  .strictObject({ ispb: Ispb, accountNumber: AccountNumber, branchNumber: BranchNumber.optional() })
  .meta({ description: 'The account that is charged.' });

export const SubscriptionPayer = z
  .strictObject({ name: ShownName.optional(), document: Document, bankData: PayerBankData.optional() })
  .meta({ description: 'Who authorized it; known once it is `ACCEPTED`.' });

const ofCode = { description: 'The code that the payer reads.' };
export const SubscriptionQrCode = z.strictObject({ imageBase64: QrCodeImage, qrcodeData: QrCodeText }).meta(ofCode);
export const SubscriptionQrCodeText = z.strictObject({ qrcodeData: QrCodeText }).meta(ofCode);

const shape = {
  id: Id.meta({ description: 'The subscription: name it when you read, charge or cancel it.' }),
  providerId: RecurrenceId,
  type: z.enum(subscriptionTypes).meta({ description: meanings.type }),
  status: Status,
  statusHistory: z.array(SubscriptionStatusChange).meta({ description: 'Every status that it had, oldest first.' }),
  initialCharge,
  allowChargeAfterDueDate: z.boolean().optional().meta({ description: meanings.allowChargeAfterDueDate }),
  allowAdjustToBusinessDay: z.boolean().optional().meta({ description: meanings.allowAdjustToBusinessDay }),
  frequencyType: z.enum(frequencies).meta({ description: meanings.frequencyType }),
  startDate: DateOnly.meta({ description: meanings.startDate }),
  endDate: DateOnly.optional().meta({ description: meanings.endDate }),
  fixedAmount: Amount.optional().meta({ description: meanings.fixedAmount }),
  maxAmountFloor: Amount.optional().meta({ description: meanings.maxAmountFloor }),
  debtor: Party.meta({ description: meanings.debtor }),
  receiver: SubscriptionReceiver,
  payer: SubscriptionPayer.optional(),
  description: ShownDescription.optional(),
  webhookUrl: z
    .string()
    .meta({ description: meanings.webhookUrl, examples: ['https://partner.example.com/subscriptions'] }),
  externalId: ShownExternalId,
  createdAt: Timestamp,
  createdBy: ClientOf.optional(),
  updatedBy: ClientOf.optional(),
  updatedAt: Timestamp.optional().meta({ description: 'Last change.' }),
  cancellations: z.array(CancellationRecord).meta({
    description: 'Requests to cancel it, oldest first; events carry the last 10.',
  }),
};

/** The response to a creation (2.3). */
export const CreatedSubscription = z
  .strictObject({
    id: shape.id,
    status: z
      .enum(subscriptionStatuses)
      .extract(['PENDING_AUTHORIZATION', 'ERROR'])
      .meta({ description: '`ERROR`: the bank refused it; then there is no QR code and no `providerId`.' }),
    qrcodeImageBase64: QrCodeImage,
    qrcodeData: QrCodeText,
    providerId: RecurrenceId,
    externalId: ShownExternalId,
    initialCharge,
  })
  .meta({ description: 'A new subscription with the code that the payer reads.' });

export const SubscriptionRecord = z
  .strictObject({
    ...shape,
    qrcodeDetail: SubscriptionQrCode,
  })
  .meta({ description: 'A recurrence (PIX Automático).' });

export const SubscriptionEventData = z
  .strictObject({
    ...shape,
    qrcodeDetail: SubscriptionQrCodeText,
  })
  .meta({ description: 'A subscription without the image of its code.' });
