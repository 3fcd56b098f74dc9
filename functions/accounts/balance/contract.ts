import * as z from 'zod';
import { contract } from '../../../shared/contracts/contract.ts';
import { Id, Timestamp, Uuid } from '../../../shared/contracts/text.ts';

const Decimal = z.string().regex(/^\d+\.\d{2}$/u);

export const GetBalance = contract({
  operationId: 'getBalance',
  method: 'GET',
  path: '/order/v1/banking/accounts/{accountId}/balance',
  tag: 'Accounts',
  summary: 'Get the balance of an account',
  idempotencyKey: 'none',
  params: z.strictObject({ accountId: Uuid }),
  query: z.strictObject({}),
  body: z.strictObject({}),
  answers: {
    200: z.strictObject({
      accountId: Id,
      currency: z.literal('BRL'),
      available: Decimal.meta({ description: 'What can be spent.' }),
      reserved: Decimal.meta({ description: 'Promised to payouts and refunds that are not final.' }),
      updatedAt: Timestamp,
    }),
  },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
