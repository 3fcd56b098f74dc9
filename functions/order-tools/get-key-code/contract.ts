import * as z from 'zod';
import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { Timestamp, Uuid } from '#shared/contract/text.ts';
import { ConfirmationCode } from '#shared/pix-keys/contract.ts';

export const GetKeyCode = contract({
  operationId: 'getKeyCode',
  method: 'GET',
  path: '/order-tools/v1/banking/accounts/{accountId}/keys/{validationId}/code',
  tag: 'Simulation tools',
  summary: 'Get the last confirmation code of a PIX key',
  description:
    'The code that was sent, as its holder reads it. 404 until it has been sent, a second or so after the request that promised it, and a day later. Not available in production.',
  params: {
    accountId: Uuid.meta({ description: 'The account.' }),
    validationId: Uuid.meta({ description: 'The validation of the key.' }),
  },
  responses: {
    200: z
      .strictObject({
        code: ConfirmationCode,
        expiresAt: Timestamp.meta({ description: 'Until when the code is good.' }),
      })
      .meta({ description: 'The last code that was sent.' }),
  },
  errors: ['NOT_FOUND'],
  tool: true,
});

export const example = (): ExampleOf<typeof GetKeyCode> => ({
  request: { params: { accountId: exampleIds.accountId, validationId: exampleIds.validationId } },
  response: { status: 200, body: { code: '123456', expiresAt: '2026-01-15T12:30:00.000Z' } },
});
