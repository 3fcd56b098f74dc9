import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleSettings } from '#shared/webhooks/examples.ts';
import type { ReplaceWebhookSettings } from './contract.ts';

export const example: ExampleOf<typeof ReplaceWebhookSettings> = {
  request: { body: { events: exampleSettings.events.map(({ type, endpoint }) => ({ type, endpoint })) } },
  answer: { status: 200, body: exampleSettings },
};
