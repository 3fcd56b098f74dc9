import type { ExampleOf } from '#shared/contract/example.ts';
import { deliveredEntry } from '#shared/webhooks/examples.ts';
import type { ListDeliveries } from './contract.ts';

export const example: ExampleOf<typeof ListDeliveries> = {
  request: { query: { status: 'DELIVERED', createdAfter: '2026-01-15T12:00:00Z', limit: '20' } },
  answer: { status: 200, body: { nextCursor: null, hasNext: false, data: [deliveredEntry] } },
};
