import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleTimes } from '#shared/contract/examples/times.ts';
import type { RotateWebhookSecret } from './contract.ts';

export const example: ExampleOf<typeof RotateWebhookSecret> = {
  request: { body: { overlapSeconds: 86_400 } },
  answer: {
    status: 200,
    body: {
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
      createdAt: exampleTimes.created,
      previousSecretExpiresAt: '2026-01-16T12:00:00.000Z',
    },
  },
};
