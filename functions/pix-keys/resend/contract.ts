import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { KeyValidationAnswer, NamedValidation } from '#shared/pix-keys/contract.ts';
import { Uuid } from '#shared/contract/text.ts';

export const ResendKeyCode = contract({
  operationId: 'resendKeyCode',
  method: 'POST',
  path: '/order/v1/banking/accounts/{accountId}/keys/resend',
  tag: 'PIX keys',
  summary: 'Send another confirmation code',
  description:
    'Sends a new code for a pending validation and keeps its id. The code before it is no longer valid, and the tries begin again. How often is limited for each validation, and a day for each account and address: 409 `LIMIT_EXCEEDED`. The same request with the same `idempotency-key` sends nothing more.',
  idempotencyKey: 'uuid',
  params: z.strictObject({ accountId: Uuid.meta({ description: 'The account.' }) }),
  query: z.strictObject({}),
  body: z.strictObject({
    validationId: NamedValidation,
  }),
  answers: { 200: KeyValidationAnswer },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
