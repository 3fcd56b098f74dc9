import * as z from 'zod';
import { statementFiles } from '#shared/accounts/files/statement-file.ts';
import { LedgerEntryRecord } from '#shared/accounts/contract.ts';
import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds, exampleTimes, maria } from '#shared/contract/examples.ts';
import { createdBetween, pagedBy, pageOf } from '#shared/contract/page.ts';
import { Uuid } from '#shared/contract/text.ts';

export const ListEntries = contract({
  operationId: 'listEntries',
  method: 'GET',
  path: '/order/v1/banking/accounts/{accountId}/entries',
  tag: 'Accounts',
  summary: 'Get the statement of an account',
  description:
    'Every move of its money, newest first unless `sort` says otherwise. All entries together are the balance; none is ever changed. ' +
    'On a busy account an entry can appear up to ten seconds after one of a later time: when you continue from a time, read the ten seconds before it again.',
  params: { accountId: Uuid.meta({ description: 'The account.' }) },
  query: {
    type: LedgerEntryRecord.shape.type.optional().meta({ description: 'Only entries of this type.' }),
    orderId: Uuid.optional().meta({
      description:
        'Only entries with this order. Quick with the time of its creation as `createdFrom`, and `sort=asc`.',
    }),
    ...createdBetween,
    ...pagedBy('time'),
    proof: z.enum(['true']).optional().meta({
      description: 'Whether each entry has its place in the chain of the account. A file has none.',
    }),
    format: z
      .enum(['json', 'csv', 'ofx'])
      .optional()
      .meta({
        description:
          'A file in place of JSON, a page of it: `csv` (RFC 4180), or `ofx` (OFX 2.2, without what moves money within the account). The header `link` names the next page. Without it `Accept` decides: `text/csv`, or `application/x-ofx`.',
        openapi: { default: 'json' },
      }),
  },
  files: statementFiles,
  responses: { 200: pageOf(LedgerEntryRecord) },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof ListEntries> => ({
  request: {
    params: { accountId: exampleIds.accountId },
    query: { createdFrom: '2026-01-15T00:00:00-03:00', limit: '50' },
  },
  response: {
    status: 200,
    body: {
      nextCursor: null,
      hasNext: false,
      data: [
        {
          id: '4b5a6978-8796-4a5b-9c4d-3e2f10213243',
          accountId: exampleIds.accountId,
          type: 'PAY_IN',
          available: '29.90',
          reserved: '0.00',
          blocked: '0.00',
          orderId: exampleIds.payInId,
          endToEndId: 'E60701190202601151205A1b2C3d4E5f',
          counterparty: { ...maria, bank: { ispb: '60701190', branch: '0001', account: '123456-7' } },
          createdAt: exampleTimes.paid,
        },
      ],
    },
  },
});
