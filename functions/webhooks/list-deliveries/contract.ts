import * as z from 'zod';
import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { Moment } from '#shared/contract/date.ts';
import { Cursor, Limit, pageOf, statusNow } from '#shared/contract/page.ts';
import { text, Uuid } from '#shared/contract/text.ts';
import { deliveryStatuses } from '#shared/platform/outbox/delivery.ts';
import { DeliveryEntry } from '#shared/webhooks/contract.ts';
import { deliveredEntry } from '#shared/webhooks/examples.ts';

export const ListDeliveries = contract({
  operationId: 'listWebhookDeliveries',
  method: 'GET',
  path: '/order/v1/webhook/deliveries',
  tag: 'Webhooks',
  summary: 'List deliveries',
  description:
    'Newest first. Deliveries are kept for 90 days, and those that were sent again as long as the latest resend. A request with `event`, or with the status `PENDING` or `DELIVERED`, ' +
    'reads a bounded number of deliveries: its page may be short, even empty, with `hasNext` true and a cursor to go on.',
  query: {
    status: statusNow(deliveryStatuses),
    open: z.enum(['true']).optional().meta({
      description:
        'Only those that are `FAILED` or `HELD` and whose notification was not taken since, by a resend or otherwise.',
    }),
    event: text(100, 'noBlanks')
      .optional()
      .meta({ description: 'Only those that tell of this.', examples: ['ORDER-PAYIN.PAID'] }),
    resourceId: Uuid.optional().meta({ description: 'Deliveries that tell of this order or subscription.' }),
    createdAfter: Moment.optional().meta({ description: 'Deliveries created later than this.' }),
    limit: Limit.optional(),
    cursor: Cursor.optional(),
  },
  responses: { 200: pageOf(DeliveryEntry) },
});

export const example = (): ExampleOf<typeof ListDeliveries> => ({
  request: { query: { status: 'DELIVERED', createdAfter: '2026-01-15T12:00:00Z', limit: '20' } },
  response: { status: 200, body: { nextCursor: null, hasNext: false, data: [deliveredEntry] } },
});
