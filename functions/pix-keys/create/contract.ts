import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { Uuid } from '#shared/contract/text.ts';
import { ConfirmableKeyInput, KeyValidationResponse, phoneOfEnvironment } from '#shared/pix-keys/contract.ts';

export const CreateKey = contract({
  operationId: 'createPixKey',
  method: 'POST',
  path: '/order/v1/banking/accounts/{accountId}/keys',
  tag: 'PIX keys',
  summary: 'Create a PIX key of type e-mail or phone',
  description:
    'A code of six digits is sent to the e-mail address or the phone. The key leads to the account once the code is confirmed. Phones are Brazilian, with area code. The number of codes a day for an account and to an address, and of keys of an account, is limited: 409 `LIMIT_EXCEEDED`.',
  idempotencyKey: 'required',
  params: { accountId: Uuid.meta({ description: 'The account.' }) },
  body: ConfirmableKeyInput,
  contextRules: phoneOfEnvironment,
  responses: { 201: KeyValidationResponse },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof CreateKey> => ({
  request: { params: { accountId: exampleIds.accountId }, body: { type: 'EMAIL', key: 'maria@example.com' } },
  response: {
    status: 201,
    body: { validationId: exampleIds.validationId, status: 'PENDING', expiresAt: '2026-01-15T12:30:00.000Z' },
  },
});
