import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { pagedBy, pageOf } from '#shared/contract/page.ts';
import { KeyValidationRecord } from '#shared/pix-keys/contract.ts';
import { Uuid } from '#shared/contract/text.ts';

export const ListKeys = contract({
  operationId: 'listPixKeys',
  method: 'GET',
  path: '/order/v1/banking/accounts/{accountId}/keys',
  tag: 'PIX keys',
  summary: 'List the PIX keys of an account and their validations',
  description: 'By creation. A key whose `status` is `CONFIRMED` leads to the account.',
  idempotencyKey: 'none',
  params: z.strictObject({ accountId: Uuid.meta({ description: 'The account.' }) }),
  query: z.strictObject({
    ...pagedBy('creation'),
  }),
  body: z.strictObject({}),
  answers: { 200: pageOf(KeyValidationRecord) },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
