import * as z from 'zod';
import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleTimes } from '#shared/contract/examples.ts';
import { Timestamp } from '#shared/contract/text.ts';
import { wholeNumber } from '#shared/contract/whole-number.ts';
import { overlapSeconds } from '#shared/webhooks/settings.ts';

export const RotateWebhookSecret = contract({
  operationId: 'rotateWebhookSecret',
  method: 'POST',
  path: '/order/v1/webhook/rotate-secret',
  tag: 'Webhooks',
  summary: 'Rotate the webhook secret',
  description:
    'The only time the secret is shown. Until `previousSecretExpiresAt` every delivery is signed with both secrets, so a ' +
    'receiver that knows either goes on; give it the new one within that time. A rotation within an overlap drops the ' +
    'oldest secret; `overlapSeconds` 0 drops the present one at once. Send an `idempotency-key`: if the answer gets lost, ' +
    'the same request with the same key shows the same secret again, as long as it signs, instead of making another.',
  idempotencyKey: 'optional',
  body: {
    overlapSeconds: wholeNumber({
      min: 0,
      max: overlapSeconds.longest,
      default: overlapSeconds.usual,
      examples: [3600],
    })
      .optional()
      .meta({ description: 'How long the present secret signs beside the new one.' }),
  },
  responses: {
    200: z
      .strictObject({
        secret: z.string().meta({
          description: '`whsec_` and the base64 of 32 bytes. The whole text is the key of `X-Signature-SHA256`.',
          examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
        }),
        createdAt: Timestamp,
        previousSecretExpiresAt: Timestamp.meta({ description: 'Until when both secrets sign.' }),
      })
      .meta({ description: 'A new secret, shown this once.' }),
  },
});

export const example = (): ExampleOf<typeof RotateWebhookSecret> => ({
  request: { body: { overlapSeconds: 86_400 } },
  response: {
    status: 200,
    body: {
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
      createdAt: exampleTimes.created,
      previousSecretExpiresAt: '2026-01-16T12:00:00.000Z',
    },
  },
});
