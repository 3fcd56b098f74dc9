import * as z from 'zod';
import { contract } from '../../../shared/contracts/contract.ts';
import { Timestamp } from '../../../shared/contracts/text.ts';

export const RotateWebhookSecret = contract({
  operationId: 'rotateWebhookSecret',
  method: 'POST',
  path: '/order/v1/webhook/rotate-secret',
  tag: 'Webhooks',
  summary: 'Rotate the webhook secret',
  description:
    'The only time the secret is shown. During the overlap every delivery is signed with both secrets. A rotation within ' +
    'an overlap drops the oldest one; `overlapSeconds` 0 drops the present one at once.',
  idempotencyKey: 'none',
  params: z.strictObject({}),
  query: z.strictObject({}),
  body: z.strictObject({
    overlapSeconds: z.int().min(0).max(604_800).optional().meta({ default: 86_400 }),
  }),
  answers: {
    200: z.strictObject({
      secret: z.string().meta({ description: '`whsec_` and the base64 of 32 bytes.' }),
      createdAt: Timestamp,
      previousSecretExpiresAt: Timestamp,
    }),
  },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'INTERNAL_ERROR'],
});
