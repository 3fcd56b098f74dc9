import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleSettings } from '#shared/webhooks/examples.ts';
import type { GetWebhookSettings } from './contract.ts';

export const example: ExampleOf<typeof GetWebhookSettings> = {
  request: {},
  answer: { status: 200, body: exampleSettings },
};
