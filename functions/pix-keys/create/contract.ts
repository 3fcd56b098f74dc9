import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { Uuid } from '#shared/contract/text.ts';
import { KeyCreation, NewKeyInput, phoneOfEnvironment } from '#shared/pix-keys/contract.ts';

export const CreateKey = contract({
  operationId: 'createPixKey',
  method: 'POST',
  path: '/order/v1/banking/accounts/{accountId}/keys',
  tag: 'PIX keys',
  summary: 'Create a PIX key',
  description:
    'An e-mail address or a phone gets a code of six digits, and is registered once the code is confirmed. The CNPJ of the holder and a random key need no code: they are registered at once, or `REGISTERING` until the bank has answered. Phones are Brazilian, with area code. The number of codes a day for an account and to an address, and of keys of an account, is limited: 409 `LIMIT_EXCEEDED`. A type that the bank of the account does not register is 409 on `type`.',
  idempotencyKey: 'required',
  params: { accountId: Uuid.meta({ description: 'The account.' }) },
  body: NewKeyInput,
  contextRules: phoneOfEnvironment,
  responses: { 201: KeyCreation },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof CreateKey> => ({
  request: { params: { accountId: exampleIds.accountId }, body: { type: 'EMAIL', key: 'maria@example.com' } },
  response: {
    status: 201,
    body: { validationId: exampleIds.validationId, status: 'PENDING', expiresAt: '2026-01-15T12:30:00.000Z' },
  },
});
