import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { Uuid } from '#shared/contract/text.ts';
import { KeyValidationResponse, NamedValidation } from '#shared/pix-keys/contract.ts';

export const ResendKeyCode = contract({
  operationId: 'resendKeyCode',
  method: 'POST',
  path: '/order/v1/banking/accounts/{accountId}/keys/resend',
  tag: 'PIX keys',
  summary: 'Send another confirmation code',
  description:
    'Sends a new code for a pending validation and keeps its id. The code before it is no longer valid, and the tries begin again. How often is limited for each validation, and a day for each account and address: 409 `LIMIT_EXCEEDED`. The same request with the same `idempotency-key` sends nothing more.',
  idempotencyKey: 'uuid',
  params: { accountId: Uuid.meta({ description: 'The account.' }) },
  body: { validationId: NamedValidation },
  responses: { 200: KeyValidationResponse },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof ResendKeyCode> => ({
  request: { params: { accountId: exampleIds.accountId }, body: { validationId: exampleIds.validationId } },
  response: {
    status: 200,
    body: { validationId: exampleIds.validationId, status: 'PENDING', expiresAt: '2026-01-15T12:34:31.250Z' },
  },
});
