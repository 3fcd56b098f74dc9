import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { ConfirmationCode } from '#shared/pix-keys/contract.ts';
import { Timestamp, Uuid } from '#shared/contract/text.ts';

export const GetKeyCode = contract({
  operationId: 'getKeyCode',
  method: 'GET',
  path: '/order-tools/v1/banking/accounts/{accountId}/keys/{validationId}/code',
  tag: 'Simulation tools',
  summary: 'Get the last confirmation code of a PIX key',
  description:
    'The code that was sent, as its holder reads it. 404 until it has been sent, a second or so after the request that promised it, and a day later. Not available in production.',
  idempotencyKey: 'none',
  params: z.strictObject({
    accountId: Uuid.meta({ description: 'The account.' }),
    validationId: Uuid.meta({ description: 'The validation of the key.' }),
  }),
  query: z.strictObject({}),
  body: z.strictObject({}),
  answers: {
    200: z
      .strictObject({
        code: ConfirmationCode,
        expiresAt: Timestamp.meta({ description: 'Until when the code is good.' }),
      })
      .meta({ description: 'The last code that was sent.' }),
  },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
  tool: true,
});
