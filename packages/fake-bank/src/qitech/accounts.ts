import { reais } from '../amounts.ts';
import { withoutZone } from '../time.ts';
import { freeCents } from './ledger.ts';
import { pageOf } from './lists.ts';
import type { Account, Entry, Party } from './model.ts';
import { notFound } from './refusals.ts';
import type { Operation, Session } from './session.ts';

/** Returns an account of the client. @throws Refusal 404 for any other. */
export function findAccount({ drawer }: Session, accountKey = ''): Account {
  const account = drawer.find('account', accountKey);
  if (account === undefined)
    throw notFound(
      `Account not found for the given key ${accountKey}`,
      `Conta não encontrada para a chave ${accountKey}`,
    );
  return account;
}

const defaultStatementSize = 4000;

/** Accounts and their statements. */
export const accountOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/account/:account_key',
    run: (session, { params }) => ({
      status: 200,
      body: accountView(session, findAccount(session, params['account_key'])),
    }),
  },
  {
    method: 'GET',
    path: '/account/:account_key/transaction',
    run: (session, { params, query }) => {
      const { account_key: accountKey } = findAccount(session, params['account_key']);
      const entries = session.drawer.list('entry').filter(({ account_key: key }) => key === accountKey);
      const options = { at: ({ at }: Entry) => at, pageSize: defaultStatementSize, order: 'desc' } as const;
      const { items, page, size, isLast } = pageOf(session, query, entries, options);
      const pagination = {
        current_page: page,
        next_page: isLast ? null : page + 1,
        rows_per_page: size,
        total_pages: 'unavailable',
        total_rows: null,
      };
      return { status: 200, body: { data: items.map((entry) => entryView(session, entry)), pagination } };
    },
  },
];

function accountView({ settings }: Session, account: Account) {
  const { balance, blocked, pix_keys: _, created_at: createdAt, ...shown } = account;
  return {
    ...shown,
    account_documents: [],
    account_type: 'checking',
    balance: reais(settings.balanceHoldsBlocked ? balance : freeCents(account)),
    blocked_balance: reais(blocked),
    created_at: withoutZone(createdAt, settings.zone).replace(' ', 'T'),
  };
}

/** What the statement calls a movement; the page shows one name, of a Pix between two accounts of the bank. */
const subtypes = {
  pix: { enumerator: 'pix_transfer', translation_ptbr: 'Transferência de PIX' },
  pix_reversal: { enumerator: 'pix_reversal', translation_ptbr: 'Devolução de PIX' },
  ted: { enumerator: 'ted', translation_ptbr: 'Transferência TED' },
} as const;

function entryView({ settings }: Session, entry: Entry) {
  const { amount, at, payer, receiver } = entry;
  const other = amount < 0 ? receiver : payer;
  const shown = withoutZone(at, settings.zone);
  return {
    account_balance: reais(entry.account_balance),
    agent_person_key: null,
    created_at: shown,
    description: `${other.ispb} ${other.account_branch} ${other.account_number}-${other.account_digit} ${other.owner_name}`,
    origin_key: entry.origin_key,
    source_subtype: subtypes[entry.subtype],
    transacted_at: shown,
    transaction_amount: reais(settings.debits === 'POSITIVE' ? Math.abs(amount) : amount),
    transaction_details: {
      ...detailsOf('payer', payer),
      ...detailsOf('receiver', receiver),
      receiver_conciliation_id: null,
    },
    transaction_key: entry.transaction_key,
  };
}

function detailsOf(side: 'payer' | 'receiver', party: Party): Readonly<Record<string, string>> {
  return {
    [`${side}_account_branch`]: party.account_branch,
    [`${side}_account_digit`]: party.account_digit,
    [`${side}_account_number`]: party.account_number,
    [`${side}_document_number`]: party.owner_document_number,
    [`${side}_ispb`]: party.ispb,
    [`${side}_name`]: party.owner_name,
  };
}
