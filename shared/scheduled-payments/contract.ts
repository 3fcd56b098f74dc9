import * as z from 'zod';
import { chargeCancellationReasons, chargeCancellationStatuses, purposes, scheduledPaymentStatuses } from './model.ts';
import { Amount } from '../contract/amount.ts';
import { DateOnly } from '../contract/date.ts';
import { Customer } from '../contract/party.ts';
import { ClientOf, EndToEndId, ShownDescription, ShownExternalId } from '../contract/references.ts';
import { Id, Timestamp } from '../contract/text.ts';

export const ChargeCancellationRecord = z
  .strictObject({
    id: Id.meta({ description: 'The request for the cancellation.' }),
    status: z.enum(chargeCancellationStatuses).meta({
      description:
        '`PENDING`: the payer’s bank has not answered. `ACCEPTED`: the payment is canceled. `REJECTED`: it goes on.',
    }),
    endToEndId: EndToEndId.optional(),
    reason: z.enum(chargeCancellationReasons).meta({ description: 'Why it is, or should be, canceled.' }),
    canceledAt: Timestamp.meta({ description: 'When the cancellation got the status that it has.' }),
    createdBy: ClientOf.optional(),
    customer: Customer,
  })
  .meta({ description: 'The cancellation of a scheduled payment.' });

const Status = z.enum(scheduledPaymentStatuses).meta({
  description:
    '`INITIAL`: held until its window opens. `PENDING`: with the payer’s bank. `ACCEPTED`: scheduled there. `COMPLETED`: paid, ' +
    'see `orderId`. `REJECTED`, `ERROR`: see `errorCode`. `CANCELED`, `CANCELED_INSUFFICIENT_BALANCE`: not paid.',
});

const shape = {
  id: Id.meta({ description: 'The payment: name it when you read or cancel it.' }),
  externalId: ShownExternalId.meta({ description: 'Your own identifier; of a resend one that the service made.' }),
  subscriptionId: Id.meta({ description: 'The subscription that it charges.' }),
  status: Status,
  purpose: z.enum(purposes).meta({
    description:
      '`FIRST_ATTEMPT` and `NEW_ATTEMPT_AFTER_DUE_DATE` are yours. `RESEND_DUE_TO_SETTLEMENT_ERROR` is made by the service on ' +
      'the settlement date, after the payer’s bank could not settle.',
  }),
  originalScheduledPaymentId: Id.optional().meta({
    description: 'Of a resend the payment that it resends, of a new attempt the first attempt.',
  }),
  settlementErrorRetryRootId: Id.optional().meta({
    description: 'Of a resend: the payment of the partner that began the chain.',
  }),
  settlementErrorRetryAttempt: z
    .int()
    .min(1)
    .max(3)
    .optional()
    .meta({ description: 'Of a resend: its place in the chain.', examples: [1] }),
  updatedAt: Timestamp.meta({ description: 'Last change of the status.' }),
};

export const ScheduledPaymentStatusChange = z
  .strictObject({ status: Status, createdAt: Timestamp })
  .meta({ description: 'A status that a scheduled payment had, and from when.' });

export const ScheduledPaymentRecord = z
  .strictObject({
    ...shape,
    statusHistory: z
      .array(ScheduledPaymentStatusChange)
      .meta({ description: 'Every status that it had, oldest first.' }),
    amount: Amount,
    dueDate: DateOnly.meta({ description: 'The day that you asked for.' }),
    settlementDate: DateOnly.meta({
      description: 'The due date, or the Monday after it where the subscription moves weekends.',
    }),
    description: ShownDescription.optional(),
    orderId: Id.optional().meta({ description: 'The pay-in that it settled as.' }),
    endToEndId: EndToEndId.optional(),
    errorCode: z
      .string()
      .optional()
      .meta({ description: 'PIX code of a refusal or an error.', examples: ['AB03'] }),
    cancellation: ChargeCancellationRecord.optional(),
    createdAt: Timestamp,
    createdBy: ClientOf.optional(),
  })
  .meta({ description: 'One charge of a subscription.' });

export const CanceledPaymentData = z
  .strictObject({ ...shape, cancellation: ChargeCancellationRecord })
  .meta({ description: 'The payment, as far as its cancellation concerns it.' });
