import * as z from 'zod';
import { Amount } from '../contract/amount.ts';
import { eventMeaning, order, OrderOrigin, text, typeMeaning, updatedAt } from '../contract/notification.ts';
import { EndToEndId } from '../contract/references.ts';
import { Timestamp } from '../contract/text.ts';
import { RefundId } from './contract.ts';
import { notifiedRefundStatuses } from './model.ts';

/** `ORDER-PAYIN.REFUNDED`, `ORDER-PAYIN.REFUND_FAILED` (6.3). */
export const RefundNotification = z
  .strictObject({
    id: order.id,
    code: order.code,
    event: z.enum(Object.values(notifiedRefundStatuses).map(({ event }) => event)).meta(eventMeaning),
    status: z.enum(Object.values(notifiedRefundStatuses).map(({ status }) => status)).meta({
      description: 'Of the refund, not of the pay-in: after `FAILED` another refund may be requested.',
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
    amount: Amount.optional().meta({ description: 'What this refund returned or was to return, when it is a part.' }),
    refundedAmount: Amount.optional().meta({ description: 'What has gone back so far, after a refund of a part.' }),
    orderStatus: z.enum(['PAID', 'REFUNDED']).optional().meta({
      description: 'Of the pay-in, after a refund of a part: **`PAID` until all has gone back**, then `REFUNDED`.',
    }),
  })
  .meta({ description: 'A pay-in was refunded, whole or in part, or its refund failed.' });
