import * as z from 'zod';
import { returnId } from '#fake-bank/ids.ts';
import { readKey } from '#fake-bank/keys.ts';
import { conflict } from '#fake-bank/refusal.ts';
import { findAccount } from '../accounts.ts';
import type { Account, Kinds, Party, Received, Reversal, Ted, Transfer } from '../model.ts';
import { endTransfer, invalidTarget } from '../pix-transfers.ts';
import { receive } from '../received.ts';
import { endReversal } from '../reversals.ts';
import type { Session } from '../session.ts';
import { closedAccount, endTed } from '../teds.ts';

// Actions of other banks and of people, as controls. Amounts are centavos.

const centavos = z.int().positive();
/** A command of the client, by its own key: the newest one that has it. */
const which = { request_control_key: z.string() };

const Ending = z.strictObject({
  ...which,
  status: z.enum(['sent', 'rejected']).default('sent'),
  /** Reason of a rejection. */
  error_code: z.string().default(invalidTarget.code),
  error_description: z.string().default(invalidTarget.description),
  error_translation: z.string().default(invalidTarget.translation),
});

/** Ends a pending Pix. */
export function settlePix(session: Session, body: unknown): Transfer {
  const { request_control_key: key, status, ...rejection } = Ending.parse(body);
  const before = newest(session, 'transfer', key);
  if (before.pix_transfer_status !== 'pending') throw conflict(`The transfer is ${before.pix_transfer_status}.`);
  return endTransfer(session, before, true, status === 'rejected' ? rejection : undefined);
}

const Return = z.strictObject({ ...which, amount: centavos.exactOptional(), pix_message: z.string().exactOptional() });

/** Sends a sent Pix back, by default all that did not come back yet, as its receiver does. */
export function returnPix(session: Session, body: unknown): Received {
  const { request_control_key: key, amount: asked, ...message } = Return.parse(body);
  const before = newest(session, 'transfer', key);
  if (before.pix_transfer_status !== 'sent') throw conflict(`The transfer is ${before.pix_transfer_status}.`);
  const returned = before.returns.reduce((sum, back) => sum + (session.drawer.find('received', back)?.amount ?? 0), 0);
  const amount = asked ?? before.amount - returned;
  if (amount === 0 || returned + amount > before.amount) throw conflict('The returns would exceed the transfer.');
  const { account_key, target: source, pix_transfer_key: original } = before;
  const id = { end_to_end_id: returnId(source.ispb, session.now, session.ids) };
  const payment = { ...id, account_key, amount, source, original, pix_transfer_type: 'reversal' } as const;
  const back = receive(session, { ...payment, ...message });
  const returns = [...before.returns, back.pix_transfer_key];
  session.drawer.save('transfer', original, { ...before, returns, updated_at: session.now });
  return back;
}

const ReversalEnding = z.strictObject({ ...which, status: z.enum(['sent', 'rejected']).default('sent') });

/** Ends a pending refund. */
export function settleReversal(session: Session, body: unknown): Reversal {
  const { request_control_key: key, status } = ReversalEnding.parse(body);
  const before = newest(session, 'reversal', key);
  if (before.reversal_status !== 'pending') throw conflict(`The refund is ${before.reversal_status}.`);
  return endReversal(session, before, status, session.settings.reversalWebhook);
}

const TedEnding = z.strictObject({
  ...which,
  status: z.enum(['sent', 'rejected']).default('sent'),
  refusal_code: z.int().default(closedAccount.refusal_code),
  enumerator: z.string().default(closedAccount.enumerator),
  description: z.string().default(closedAccount.description),
});

/** Sends a pending TED, or rejects a pending or a sent one. */
export function settleTed(session: Session, body: unknown): Ted {
  const { request_control_key: key, status, ...reason } = TedEnding.parse(body);
  const before = newest(session, 'ted', key);
  if (before.ted_status === 'rejected' || before.ted_status === status)
    throw conflict(`The TED is ${before.ted_status}.`);
  return endTed(session, before, status === 'rejected' ? reason : undefined);
}

function newest<K extends 'transfer' | 'reversal' | 'ted'>({ drawer }: Session, kind: K, key: string): Kinds[K] {
  const found = drawer.list(kind).findLast(({ request_control_key: own }) => own === key);
  if (found === undefined) throw conflict(`The client has no ${kind} ${key}.`);
  return found;
}

const person = {
  owner_name: z.string().default('Maria Souza'),
  owner_document_number: z.string().default('52998224725'),
  ispb: z.string().default('60746948'),
};
const elsewhere = {
  account_branch: z.string().default('452'),
  account_number: z.string().default('370158'),
  account_digit: z.string().default('1'),
  account_type: z.string().default('checking_account'),
};

const Payment = z.strictObject({
  /** The account, or one of its Pix keys; default: the client's first account. */
  account_key: z.string().exactOptional(),
  pix_key: z.string().exactOptional(),
  amount: centavos,
  pix_message: z.string().max(140).exactOptional(),
  payer: z.strictObject({ ...person, ...elsewhere }).prefault({}),
  /** Number of payments. */
  times: z.int().min(1).max(100).default(1),
});

/** Pays to an account by Pix, as a payer. Returns the received Pix. */
export function pay(session: Session, body: unknown): readonly Received[] {
  const { account_key, payer: source, times, ...payment } = Payment.parse(body);
  const account = accountOf(session, account_key, payment.pix_key);
  const incoming: Parameters<typeof receive>[1] = {
    ...payment,
    account_key: account.account_key,
    source,
    pix_transfer_type: payment.pix_key === undefined ? 'manual' : 'key',
  };
  return Array.from({ length: times }, () => receive(session, incoming));
}

function accountOf(session: Session, accountKey?: string, pixKey?: string): Account {
  if (accountKey !== undefined) return findAccount(session, accountKey);
  const account = session.drawer
    .list('account')
    .find(({ pix_keys: keys }) => pixKey === undefined || keys.includes(pixKey));
  if (account === undefined) throw conflict(`The client has no account with the key ${String(pixKey)}.`);
  return account;
}

const KeyMove = z.strictObject({
  pix_key: z.string(),
  state: z.enum(['FOUND', 'UNKNOWN', 'BLOCKED']).default('FOUND'),
  ...person,
  ...elsewhere,
});

/** Sets the owner of a Pix key, or the refusal of payments to it. Every other valid key is found. */
export function setKey({ common }: Session, body: unknown): Party & { readonly pix_key: string } {
  const { pix_key, ...entry } = KeyMove.parse(body);
  const known = readKey(pix_key);
  if (known === undefined) throw conflict(`${pix_key} is not a Pix key.`);
  common.save('key', known.chave, entry);
  return { pix_key: known.chave, ...entry };
}

const BalanceMove = z.strictObject({
  account_key: z.string().exactOptional(),
  balance: z.int().exactOptional(),
  blocked: z.int().min(0).exactOptional(),
});

/** Sets the balance of an account, or the blocked part of it, without an entry in the statement. */
export function setBalance(session: Session, body: unknown): Account {
  const { account_key, ...move } = BalanceMove.parse(body);
  const account = { ...accountOf(session, account_key), ...move };
  session.drawer.save('account', account.account_key, account);
  return account;
}

/** Returns everything that a client has at the bank, for comparisons. */
export function stateOf({ drawer, client, settings }: Session) {
  return {
    client,
    settings,
    accounts: drawer.list('account'),
    entries: drawer.list('entry'),
    transfers: drawer.list('transfer'),
    received: drawer.list('received'),
    reversals: drawer.list('reversal'),
    teds: drawer.list('ted'),
  };
}
