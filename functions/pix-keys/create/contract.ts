import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { ConfirmableKeyInput, KeyValidationAnswer, phoneOfEnvironment } from '#shared/pix-keys/contract.ts';
import { Uuid } from '#shared/contract/text.ts';

export const CreateKey = contract({
  operationId: 'createPixKey',
  method: 'POST',
  path: '/order/v1/banking/accounts/{accountId}/keys',
  tag: 'PIX keys',
  summary: 'Create a PIX key of type e-mail or phone',
  description:
    'A code of six digits is sent to the e-mail address or the phone. The key leads to the account once the code is confirmed. Phones are Brazilian, with area code. The number of codes a day for an account and to an address, and of keys of an account, is limited: 409 `LIMIT_EXCEEDED`.',
  idempotencyKey: 'required',
  params: z.strictObject({ accountId: Uuid.meta({ description: 'The account.' }) }),
  query: z.strictObject({}),
  body: ConfirmableKeyInput,
  presentRules: phoneOfEnvironment,
  answers: { 201: KeyValidationAnswer },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
