import type { ExampleOf } from '#shared/contract/example.ts';
import { runningResend } from '#shared/webhooks/examples.ts';
import type { ResendDeliveries } from './contract.ts';

export const example: ExampleOf<typeof ResendDeliveries> = {
  request: { body: { createdFrom: runningResend.createdFrom } },
  answer: { status: 202, body: runningResend },
};
