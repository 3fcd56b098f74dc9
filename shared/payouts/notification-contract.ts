import * as z from 'zod';
import { Counterpart, eventMeaning, order, typeMeaning } from '../contract/notification.ts';
import { Batch } from './contract.ts';
import { notifiedPayoutStatuses } from './model.ts';

export const BatchSummary = Batch.omit({ transactions: true }).meta({
  description: 'Of a payout that was split. An `ERROR` may have been paid in part: never pay the whole amount again.',
});

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
