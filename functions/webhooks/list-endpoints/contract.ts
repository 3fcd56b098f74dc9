import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { Cursor, Limit, pageOf } from '#shared/contract/page.ts';
import { EndpointHealthRecord } from '#shared/webhooks/contract.ts';
import { failingEndpoint } from '#shared/webhooks/examples.ts';

export const ListEndpoints = contract({
  operationId: 'listWebhookEndpoints',
  method: 'GET',
  path: '/order/v1/webhook/endpoints',
  tag: 'Webhooks',
  summary: 'List endpoints with trouble or a backlog',
  description:
    'Every address that is not well, or for which notifications wait, subscriptions’ included: empty while all are well. ' +
    'What cannot be connected to is shown as scheme, host and port.',
  query: { limit: Limit.optional(), cursor: Cursor.optional() },
  responses: { 200: pageOf(EndpointHealthRecord) },
});

export const example = (): ExampleOf<typeof ListEndpoints> => ({
  request: {},
  response: { status: 200, body: { nextCursor: null, hasNext: false, data: [failingEndpoint] } },
});
