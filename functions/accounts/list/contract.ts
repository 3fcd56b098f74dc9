import * as z from 'zod';
import { AccountRecord } from '#shared/accounts/contract.ts';
import { exampleAccount } from '#shared/accounts/examples.ts';
import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { pagedBy, pageOf, statusNow } from '#shared/contract/page.ts';
import { capitalDocument } from '#shared/core/document.ts';
import { customIssue, text } from '#shared/contract/text.ts';
import { accountStatuses } from '#shared/platform/ledger/balance.ts';

/** A document number without punctuation, up to the length in an account. A CNPJ may have letters, in either case. */
const DocumentNumber = z
  .string()
  .min(1)
  .max(40)
  .overwrite(capitalDocument)
  .superRefine((number, context) => {
    if (/[^0-9A-Za-z]/u.test(number))
      context.addIssue(customIssue('INVALID_FORMAT', 'Must be the digits (and letters) of a document, without marks.'));
  })
  .meta({ openapi: { pattern: '^[0-9A-Za-z]+$' } });

export const ListAccounts = contract({
  operationId: 'listAccounts',
  method: 'GET',
  path: '/order/v1/banking/accounts',
  tag: 'Accounts',
  summary: 'List accounts',
  description:
    'By creation, newest first unless `sort` says otherwise; without balances. `email` and `fullName` find any part, whatever ' +
    'case and accents. Such a request reads a bounded number of accounts: its page may be short, even empty, with `hasNext` ' +
    'true and a cursor to go on.',
  query: {
    status: statusNow(accountStatuses),
    document: DocumentNumber.optional().meta({
      description: 'Of the holder; the whole number, without marks.',
      examples: ['11222333000181'],
    }),
    email: text(254, 'noBlanks')
      .optional()
      .meta({ description: 'Part of the e-mail of the holder; a `+` as `%2B`.', examples: ['boavista'] }),
    fullName: text(140)
      .optional()
      .meta({ description: 'Part of the name of the holder.', examples: ['boa vista'] }),
    ...pagedBy('creation'),
  },
  responses: { 200: pageOf(AccountRecord) },
});

export const example = (): ExampleOf<typeof ListAccounts> => ({
  request: { query: { status: 'ACTIVE', limit: '20' } },
  response: { status: 200, body: { nextCursor: null, hasNext: false, data: [exampleAccount] } },
});
