import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { Uuid } from '#shared/contract/text.ts';
import { ResendRecord } from '#shared/webhooks/contract.ts';

export const GetResend = contract({
  operationId: 'getWebhookResend',
  method: 'GET',
  path: '/order/v1/webhook/resends/{id}',
  tag: 'Webhooks',
  summary: 'Get a resend',
  description: 'How far it has come, for 90 days.',
  idempotencyKey: 'none',
  params: z.strictObject({ id: Uuid.meta({ description: 'The resend.' }) }),
  query: z.strictObject({}),
  body: z.strictObject({}),
  answers: { 200: ResendRecord },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
