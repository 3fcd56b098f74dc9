import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds, exampleTimes } from '#shared/contract/examples.ts';
import { Uuid } from '#shared/contract/text.ts';
import { KeyValidationRecord, NamedValidation } from '#shared/pix-keys/contract.ts';

export const RemoveKey = contract({
  operationId: 'removePixKey',
  method: 'DELETE',
  path: '/order/v1/banking/accounts/{accountId}/keys/{validationId}',
  onceBy: 'STATE',
  tag: 'PIX keys',
  summary: 'Remove a PIX key',
  description:
    'Afterwards the key leads nowhere, and another account can have it. 409 unless it is `CONFIRMED`; a removed one is answered as it is. 503 while the bank has not confirmed the removal: repeat it.',
  params: { accountId: Uuid.meta({ description: 'The account.' }), validationId: NamedValidation },
  responses: { 200: KeyValidationRecord },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof RemoveKey> => ({
  request: { params: { accountId: exampleIds.accountId, validationId: exampleIds.validationId } },
  response: {
    status: 200,
    body: {
      validationId: exampleIds.validationId,
      type: 'EMAIL',
      key: 'maria@example.com',
      status: 'REMOVED',
      createdAt: exampleTimes.created,
      expiresAt: '2026-01-15T12:30:00.000Z',
      confirmedAt: exampleTimes.authorized,
    },
  },
});
