import * as z from 'zod';
import { Currency, Decimal, SignedDecimal } from '#shared/contract/amount.ts';
import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds, exampleTimes } from '#shared/contract/examples.ts';
import { Id, Timestamp, Uuid } from '#shared/contract/text.ts';

export const GetBalance = contract({
  operationId: 'getBalance',
  method: 'GET',
  path: '/order/v1/banking/accounts/{accountId}/balance',
  tag: 'Accounts',
  summary: 'Get the balance of an account',
  description:
    'Its money now: what can be spent, what is promised already, and what is held back. It equals the sum of the entries of its statement.',
  params: { accountId: Uuid.meta({ description: 'The account.' }) },
  responses: {
    200: z
      .strictObject({
        accountId: Id.meta({ description: 'The account.' }),
        currency: Currency,
        available: SignedDecimal.meta({
          description:
            'What can be spent. Only what your bank has taken (`BANK_FEE`, `MED_RETURNED`) makes it negative.',
          examples: ['29.90'],
        }),
        reserved: Decimal.meta({ description: 'Promised to payouts and refunds that are not final.' }),
        blocked: Decimal.meta({
          description: 'Held back while the bank examines a claim of a payer.',
          examples: ['0.00'],
        }),
        updatedAt: Timestamp.meta({ description: 'When its money last moved.' }),
      })
      .meta({ description: 'The money of an account.' }),
  },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof GetBalance> => ({
  request: { params: { accountId: exampleIds.accountId } },
  response: {
    status: 200,
    body: {
      accountId: exampleIds.accountId,
      currency: 'BRL',
      available: '1022.65',
      reserved: '7.25',
      blocked: '0.00',
      updatedAt: exampleTimes.paid,
    },
  },
});
