import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds, exampleTimes } from '#shared/contract/examples.ts';
import { pagedBy, pageOf } from '#shared/contract/page.ts';
import { Uuid } from '#shared/contract/text.ts';
import { KeyValidationRecord } from '#shared/pix-keys/contract.ts';

export const ListKeys = contract({
  operationId: 'listPixKeys',
  method: 'GET',
  path: '/order/v1/banking/accounts/{accountId}/keys',
  tag: 'PIX keys',
  summary: 'List the PIX keys of an account and their validations',
  description: 'By creation. A key whose `status` is `CONFIRMED` leads to the account.',
  params: { accountId: Uuid.meta({ description: 'The account.' }) },
  query: pagedBy('creation'),
  responses: { 200: pageOf(KeyValidationRecord) },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof ListKeys> => ({
  request: { params: { accountId: exampleIds.accountId }, query: { limit: '20' } },
  response: {
    status: 200,
    body: {
      nextCursor: null,
      hasNext: false,
      data: [
        {
          validationId: exampleIds.validationId,
          type: 'EMAIL',
          key: 'maria@example.com',
          status: 'CONFIRMED',
          createdAt: exampleTimes.created,
          expiresAt: '2026-01-15T12:30:00.000Z',
          confirmedAt: exampleTimes.authorized,
        },
      ],
    },
  },
});
