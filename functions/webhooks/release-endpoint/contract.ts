import * as z from 'zod';
import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { EndpointHealthRecord } from '#shared/webhooks/contract.ts';
import { failingEndpoint } from '#shared/webhooks/examples.ts';
import { WebhookUrl } from '#shared/webhooks/url.ts';

const Body = z.strictObject({ endpoint: WebhookUrl });

export const ReleaseEndpoint = contract({
  operationId: 'releaseWebhookEndpoint',
  method: 'POST',
  path: '/order/v1/webhook/endpoints/release',
  tag: 'Webhooks',
  summary: 'Try an endpoint again',
  description:
    'Brings back an address that failed or was given up, as `GET /order/v1/webhook/endpoints` names it, a subscription’s ' +
    'included: one notification goes at once, the others follow as they are taken. Types that were given up with it are ' +
    '`ACTIVE` again.',
  onceBy: 'STATE',
  body: Body,
  responses: { 200: EndpointHealthRecord },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof ReleaseEndpoint> => ({
  request: { body: { endpoint: failingEndpoint.endpoint } },
  response: {
    status: 200,
    body: { endpoint: failingEndpoint.endpoint, state: 'HALF_OPEN', waiting: 12, waitingExact: true },
  },
});
