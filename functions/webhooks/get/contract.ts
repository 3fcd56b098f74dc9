import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { WebhookSettingsRecord } from '#shared/webhooks/contract.ts';
import { exampleSettings } from '#shared/webhooks/examples.ts';

export const GetWebhookSettings = contract({
  operationId: 'getWebhookSettings',
  method: 'GET',
  path: '/order/v1/webhook',
  tag: 'Webhooks',
  summary: 'Get the webhook settings',
  description: 'Every company has settings; `events` is empty until endpoints are set. The secret is never shown here.',
  responses: { 200: WebhookSettingsRecord },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof GetWebhookSettings> => ({
  request: {},
  response: { status: 200, body: exampleSettings },
});
