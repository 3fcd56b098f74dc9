import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { Moment } from '#shared/contract/date.ts';
import { ResendRecord } from '#shared/webhooks/contract.ts';
import { runningResend } from '#shared/webhooks/examples.ts';

export const ResendDeliveries = contract({
  operationId: 'resendWebhookDeliveries',
  method: 'POST',
  path: '/order/v1/webhook/resends',
  tag: 'Webhooks',
  summary: 'Send again what was not delivered',
  description:
    'Sends every `FAILED` and `HELD` delivery since `createdFrom` again, oldest first and each once, at up to 500 a minute. ' +
    'It begins within a minute or so; read it to see how far it has come. A `FAILED` delivery gets a new one of the same ' +
    'bytes under the same `webhook-id`, unless it was sent again before: a later resend then sends the new one, if that ' +
    'failed too. A `HELD` one goes out itself, and stays `HELD` while its type has no active endpoint. What was taken since ' +
    'is passed over. What fails after this call is not part of it. ' +
    'At most 30 calls a minute of a company, with those that send a single delivery again: 429 beyond that.',
  idempotencyKey: 'required',
  body: {
    createdFrom: Moment.meta({
      description: 'Deliveries created at this moment or later. Deliveries are kept 90 days.',
    }),
  },
  responses: { 202: ResendRecord },
  errors: ['TOO_MANY_REQUESTS'],
});

export const example = (): ExampleOf<typeof ResendDeliveries> => ({
  request: { body: { createdFrom: runningResend.createdFrom } },
  response: { status: 202, body: runningResend },
});
