import * as z from 'zod';
import { contract } from '../../../shared/contracts/contract.ts';
import { Cursor, Limit, pageOf } from '../../../shared/contracts/page.ts';
import { text } from '../../../shared/contracts/text.ts';
import { DeliveryEntry } from '../../../shared/contracts/webhook.ts';
import { deliveryStatuses } from '../../../shared/domain/delivery.ts';

export const ListDeliveries = contract({
  operationId: 'listWebhookDeliveries',
  method: 'GET',
  path: '/order/v1/webhook/deliveries',
  tag: 'Webhooks',
  summary: 'List deliveries',
  description: 'Newest first. Deliveries are kept for 90 days.',
  idempotencyKey: 'none',
  params: z.strictObject({}),
  query: z.strictObject({
    status: z.enum(deliveryStatuses).optional(),
    event: text(100)
      .optional()
      .meta({ examples: ['ORDER-PAYIN.PAID'] }),
    limit: Limit.optional(),
    cursor: Cursor.optional(),
  }),
  body: z.strictObject({}),
  answers: { 200: pageOf(DeliveryEntry) },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'INTERNAL_ERROR'],
});
