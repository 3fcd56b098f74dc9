import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { ConfirmationCode, KeyConfirmation, NamedValidation } from '#shared/pix-keys/contract.ts';
import { Uuid } from '#shared/contract/text.ts';

export const ConfirmKey = contract({
  operationId: 'confirmPixKey',
  method: 'POST',
  path: '/order/v1/banking/accounts/{accountId}/keys/confirm',
  tag: 'PIX keys',
  summary: 'Confirm a PIX key by its code',
  description:
    'From now on the key leads to the account. A wrong code is 409 `WRONG_CODE` and counts: after the last try the validation is `BLOCKED`. The same request with the same `idempotency-key` counts once. A key that another account has is 409 `ALREADY_EXISTS`.',
  idempotencyKey: 'required',
  params: z.strictObject({ accountId: Uuid.meta({ description: 'The account.' }) }),
  query: z.strictObject({}),
  body: z.strictObject({
    validationId: NamedValidation,
    code: ConfirmationCode,
  }),
  answers: { 200: KeyConfirmation },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
