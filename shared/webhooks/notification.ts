import * as z from 'zod';
import { subscriptionEvents } from '../subscriptions/states.ts';
import { Amount } from '../contract/amount.ts';
import { Party } from '../contract/party.ts';
import { chargeCancellationEvents, scheduledPaymentEvents } from '../scheduled-payments/states.ts';
import { notifiedPayInStatuses } from '../pay-ins/model.ts';
import { notifiedPayoutStatuses } from '../payouts/model.ts';
import { notifiedRefundStatuses } from '../refunds/model.ts';
import { Batch } from '../payouts/contract.ts';
import { CanceledPaymentData, ScheduledPaymentRecord } from '../scheduled-payments/contract.ts';
import { SubscriptionEventData } from '../subscriptions/contract.ts';
import {
  AccountNumber,
  BankNumber,
  BranchNumber,
  EndToEndId,
  Ispb,
  ShownDescription,
  ShownExternalId,
  ShownName,
} from '../contract/references.ts';
import { RefundId } from '../refunds/contract.ts';
import { Id, Timestamp } from '../contract/text.ts';
import { pixKeyTypes } from '../core/pix-key.ts';

/* The bodies that the service POSTs to partners (section 6), for the OpenAPI document and for tests of every body. */

const text = (description: string, example: string) => z.string().meta({ description, examples: [example] });
const optionalText = (description: string, example: string) =>
  z
    .string()
    .optional()
    .meta({ description, examples: [example] });

export const UsedPixKey = z
  .strictObject({
    type: z.enum(pixKeyTypes).meta({ description: 'Kind of key; `RANDOM`: a UUID (EVP).' }),
    key: text('The key as the DICT spells it.', 'maria@example.com'),
  })
  .meta({ description: 'The PIX key that was used.' });
export const BankDetails = z
  .strictObject({
    ispb: Ispb.optional(),
    name: optionalText('Name of the bank.', 'Itaú Unibanco S.A.'),
    branch: BranchNumber.optional(),
    account: AccountNumber.optional(),
    accountType: optionalText('Kind of account.', 'CHECKING_ACCOUNT'),
    code: BankNumber.optional(),
    pix: UsedPixKey.optional(),
  })
  .meta({ description: 'The account at its bank, as far as it is known.' });
export const Counterpart = Party.extend({ bank: BankDetails.optional(), pix: UsedPixKey.optional() }).meta({
  description: 'The other side of a payment.',
});
export const OwnerBank = z
  .strictObject({
    name: ShownName.optional(),
    document: optionalText('CPF or CNPJ without mask.', '11222333000181'),
    bank: BankDetails.optional(),
    pix: UsedPixKey.optional(),
  })
  .meta({ description: 'Your account: where the money arrives, or from where it leaves.' });
export const SettledCharge = z
  .strictObject({ id: Id.meta({ description: 'The scheduled payment.' }), externalId: ShownExternalId })
  .meta({ description: 'The charge that was settled; absent for the first charge of journey 3.' });
export const OrderOrigin = z
  .strictObject({
    id: Id.meta({ description: 'The subscription.' }),
    code: text('The `externalId` of the subscription.', 'contract-77'),
    scheduledPayment: SettledCharge.optional(),
  })
  .meta({ description: 'The subscription from which the order came.' });

export const BatchSummary = Batch.omit({ transactions: true }).meta({
  description: 'Of a payout that was split. An `ERROR` may have been paid in part: never pay the whole amount again.',
});

const updatedAt = Timestamp.meta({
  description: 'When the status changed. Notifications may arrive out of order: go by this.',
});
const endToEndId = EndToEndId.nullable();

const occurredAt = Timestamp.meta({
  description: 'When it happened. Notifications may arrive out of order: go by this.',
});
const eventMeaning = { description: 'What happened.' };
const typeMeaning = { description: 'What kind of order it is about.' };

/** What 6.2 and 6.4 share. */
const order = {
  id: Id.meta({ description: 'The order.' }),
  code: text('The `externalId` of the order.', 'invoice-2026-0042'),
  paidAt: Timestamp.nullable().meta({ description: '`null` if it was not paid.' }),
  updatedAt,
  endToEndId,
  controlNumber: z
    .string()
    .nullable()
    .meta({ description: 'TED: `NumCtrlSTR`; `null` for PIX.', examples: [null] }),
  message: text('What happened, for your log.', 'The pay-in was paid.'),
  description: ShownDescription.optional(),
  amount: Amount,
  ownerBank: OwnerBank.optional(),
};

/** `ORDER-PAYIN.PAID`, `.EXPIRED`, `.CANCELED`, `.ERROR` (6.2). */
export const PayInNotification = z
  .strictObject({
    ...order,
    event: z.enum(notifiedPayInStatuses.map((status) => `ORDER-PAYIN.${status}` as const)).meta(eventMeaning),
    status: z.enum(notifiedPayInStatuses).meta({ description: 'Of the pay-in.' }),
    type: z.literal('PAY-IN').meta(typeMeaning),
    customerMessage: optionalText('The same for the person who pays, in Portuguese.', 'Pagamento confirmado.'),
    payer: Counterpart.meta({ description: 'Who pays.' }),
    subscription: OrderOrigin.optional(),
  })
  .meta({ description: 'A pay-in moved.' });

/** `ORDER-PAYIN.REFUNDED`, `ORDER-PAYIN.REFUND_FAILED` (6.3). */
export const RefundNotification = z
  .strictObject({
    id: order.id,
    code: order.code,
    event: z.enum(Object.values(notifiedRefundStatuses).map(({ event }) => event)).meta(eventMeaning),
    status: z.enum(Object.values(notifiedRefundStatuses).map(({ status }) => status)).meta({
      description: 'Of the refund: after `FAILED` the pay-in is still `PAID` and another refund may be requested.',
    }),
    type: z.literal('REFUND').meta(typeMeaning),
    refundId: RefundId,
    paidAt: Timestamp.nullable().meta({ description: 'When the pay-in was paid.' }),
    refundedAt: Timestamp.nullable().meta({ description: 'When the refund settled; `null` if it failed.' }),
    updatedAt,
    endToEndId: EndToEndId.nullable().meta({
      description: 'Of the refund (`rtrId`), `null` if it failed.',
      examples: ['D12345678202601161000A1b2C3d4E5f'],
    }),
    message: text('Why the refund failed; empty if it did not.', ''),
    subscription: OrderOrigin.optional(),
  })
  .meta({ description: 'A pay-in was refunded, or its refund failed.' });

/** `ORDER-PAYOUT.PAID`, `.CANCELED`, `.ERROR` (6.4). */
export const PayoutNotification = z
  .strictObject({
    ...order,
    event: z.enum(notifiedPayoutStatuses.map((status) => `ORDER-PAYOUT.${status}` as const)).meta(eventMeaning),
    status: z.enum(notifiedPayoutStatuses).meta({ description: 'Of the payout.' }),
    type: z.literal('PAY-OUT').meta(typeMeaning),
    receiver: Counterpart.meta({ description: 'Who is paid.' }),
    batch: BatchSummary.optional(),
  })
  .meta({ description: 'A payout became final.' });

/** `SUBSCRIPTION.*` to the subscription's `webhookUrl`. */
export const SubscriptionNotification = z
  .strictObject({ event: z.enum(subscriptionEvents).meta(eventMeaning), occurredAt, data: SubscriptionEventData })
  .meta({ description: 'A subscription moved.' });

/** `SUBSCRIPTION.SCHEDULED_PAYMENT.*` of a status, to the subscription's `webhookUrl`. */
export const ScheduledPaymentNotification = z
  .strictObject({ event: z.enum(scheduledPaymentEvents).meta(eventMeaning), occurredAt, data: ScheduledPaymentRecord })
  .meta({ description: 'A scheduled payment moved.' });

/** `SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.*` (6.5), to the subscription's `webhookUrl`. */
export const ChargeCancellationNotification = z
  .strictObject({
    event: z.enum(chargeCancellationEvents).meta({
      description: 'What became of the request: after `.ACCEPTED` the payment is canceled.',
    }),
    occurredAt,
    data: CanceledPaymentData,
  })
  .meta({ description: 'A scheduled payment was canceled, or its cancellation was asked for or refused.' });

/** What a partner's endpoint answers (4.8); any 2xx acknowledges. */
export const Acknowledgement = z
  .object({
    returnCode: z.string().meta({ description: 'A word of yours that the delivery shows.', examples: ['SUCCESS'] }),
  })
  .meta({ description: 'What your endpoint may answer. Any 2xx acknowledges, whatever the body.' });
