import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { Uuid } from '#shared/contract/text.ts';
import { ConfirmationCode, KeyConfirmation, NamedValidation } from '#shared/pix-keys/contract.ts';

export const ConfirmKey = contract({
  operationId: 'confirmPixKey',
  method: 'POST',
  path: '/order/v1/banking/accounts/{accountId}/keys/confirm',
  tag: 'PIX keys',
  summary: 'Confirm a PIX key by its code',
  description:
    'The bank of the account registers the key, which leads to the account when it is `CONFIRMED`; while the bank has not answered it is `REGISTERING`, and `REFUSED` when the bank does not register it, with a `reason`. A wrong code is 409 `WRONG_CODE` and counts: after the last try the validation is `BLOCKED`. The same request with the same `idempotency-key` counts once. A key that another account has is 409 `ALREADY_EXISTS`.',
  idempotencyKey: 'required',
  params: { accountId: Uuid.meta({ description: 'The account.' }) },
  body: { validationId: NamedValidation, code: ConfirmationCode },
  responses: { 200: KeyConfirmation },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof ConfirmKey> => ({
  request: {
    params: { accountId: exampleIds.accountId },
    body: { validationId: exampleIds.validationId, code: '123456' },
  },
  response: {
    status: 200,
    body: {
      validationId: exampleIds.validationId,
      status: 'CONFIRMED',
      key: { type: 'EMAIL', key: 'maria@example.com' },
    },
  },
});
