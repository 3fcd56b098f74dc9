import { endToEndId } from '../ids.ts';
import type { BankResponse } from '../refusal.ts';
import type * as z from 'zod';
import { findAccount } from './accounts.ts';
import { entryOf } from './directory.ts';
import { freeCents, partyOf, post } from './ledger.ts';
import { pageOf } from './lists.ts';
import type { Account, Party, Received, Rejection, Transfer } from './model.ts';
import { receive } from './received.ts';
import { errorResponse, invalidPayload, notFound, ruleError, ruleRefusal } from './refusals.ts';
import type { BankError } from './refusals.ts';
import { PixTransferRequest, readBody } from './requests.ts';
import { bankIspb } from './session.ts';
import type { Operation, Session } from './session.ts';
import { answerUsedKey } from './used-keys.ts';
import { receivedView, transferView } from './views.ts';

const defaultListSize = 30;

/** Pix that the client sends, and lists of both directions. */
export const pixTransferOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/account/:account_key/pix_transfer',
    run: (session, { params, body }) => {
      const account = findAccount(session, params['account_key']);
      const request = readBody(PixTransferRequest, body);
      const { request_control_key: key } = request;
      const sent = session.drawer.list('transfer');
      const isAgain = sent.some(({ request_control_key: used }) => used === key);
      return answerUsedKey(session, sent, key, answerOf) ?? send(session, account, request, isAgain);
    },
  },
  {
    method: 'GET',
    path: '/account/:account_key/pix_transfers',
    run: (session, { params, query }) => {
      const { account_key: accountKey } = findAccount(session, params['account_key']);
      const options = { pageSize: defaultListSize, order: 'asc' } as const;
      const isAsked = (item: Transfer | Received) => item.account_key === accountKey && matches(item, query);
      const { items, page, size } =
        readDirection(query.get('pix_transfer_direction') ?? 'outgoing') === 'outgoing'
          ? pageOf(session, query, listed(session).filter(isAsked), { at: createdAt, ...options })
          : pageOf(session, query, session.drawer.list('received').filter(isAsked), { at: createdAt, ...options });
      const data = items.map((item) => viewOf(session, item));
      const pagination = { current_page: page, rows_per_page: size };
      return { status: session.settings.listStatus, body: { data, pagination } };
    },
  },
  {
    method: 'GET',
    path: '/account/:account_key/pix_transfer/:pix_transfer_key/:direction',
    run: (session, { params }) => {
      const { account_key: accountKey } = findAccount(session, params['account_key']);
      const kind = readDirection(params['direction'] ?? '') === 'outgoing' ? 'transfer' : 'received';
      const found = session.drawer.find(kind, params['pix_transfer_key'] ?? '');
      if (found?.account_key !== accountKey)
        throw notFound('Pix transfer not found', 'Transferência pix não encontrada');
      return { status: 200, body: viewOf(session, found) };
    },
  },
];

const createdAt = ({ created_at: at }: Transfer | Received) => at;

function readDirection(text: string): 'incoming' | 'outgoing' {
  if (text !== 'incoming' && text !== 'outgoing') throw invalidPayload('the direction must be incoming or outgoing');
  return text;
}

/** Returns the transfers that lists show. One that was rejected at once has no debit. */
function listed({ drawer, settings }: Session): readonly Transfer[] {
  return drawer
    .list('transfer')
    .filter(({ transaction_key: debit }) => debit !== undefined || settings.rejectedIsListed);
}

function matches(item: Transfer | Received, query: URLSearchParams): boolean {
  const members: Readonly<Record<string, unknown>> = item;
  return ['request_control_key', 'end_to_end_id', 'transaction_key'].every(
    (name) => !query.has(name) || members[name] === query.get(name),
  );
}

function viewOf(session: Session, item: Transfer | Received) {
  return 'target' in item ? transferView(session, item) : receivedView(session, item);
}

type Request = z.output<typeof PixTransferRequest>;

function send(session: Session, account: Account, request: Request, isAgain: boolean): BankResponse {
  const { settings, ids, now, drawer } = session;
  const { target, reason, pixKey } = targetOf(session, request);
  const endToEnd =
    request.pix_transfer_type === 'key' && !isAgain ? takeInquiry(session, request) : endToEndId(bankIspb, now, ids);
  const isLow = request.transaction_amount > freeCents(account);
  const low = ruleError('Insufficient balance', 'Saldo insuficiente');
  if (isLow && settings.lowBalance === 'REFUSED') return errorResponse(low, {});
  const rejection = reason ?? (isLow ? low : settings.pixAnswer === 'REJECTED' ? invalidTarget : undefined);
  const pending: Transfer = {
    pix_transfer_key: ids.uuid(),
    request_control_key: request.request_control_key,
    account_key: account.account_key,
    pix_transfer_type: request.pix_transfer_type,
    pix_transfer_status: 'pending',
    amount: request.transaction_amount,
    target,
    ...(pixKey !== undefined && { pix_key: pixKey }),
    ...(request.pix_message !== undefined && { pix_message: request.pix_message }),
    end_to_end_id: endToEnd,
    returns: [],
    created_at: now,
    updated_at: now,
  };
  if (rejection !== undefined) return rejectAtOnce(session, pending, rejection);
  const debit = post(session, {
    account_key: account.account_key,
    amount: -pending.amount,
    subtype: 'pix',
    origin_key: pending.pix_transfer_key,
    other: target,
  });
  const taken = { ...pending, transaction_key: debit };
  drawer.save('transfer', taken.pix_transfer_key, taken);
  return answerOf(settings.pixAnswer === 'SENT' ? endTransfer(session, taken, settings.webhookOfSent) : taken);
}

/** The error of the bank's example of a rejected transfer. */
export const invalidTarget: BankError = {
  status: 422,
  code: 'PXT000132',
  title: 'Unprocessable Entity',
  description: 'Target account number is invalid.',
  translation: 'Número da conta de destino é inexistente ou inválido.',
};

type Target = { readonly target: Party; readonly pixKey?: string; readonly reason?: BankError };

/** Returns the receiver. @throws Refusal for a key that the directory does not have. */
function targetOf(session: Session, request: Request): Target {
  if (request.pix_transfer_type === 'manual') return { target: request.target_account };
  const pixKey = request.target_pix_key;
  const entry = entryOf(session, pixKey);
  if (entry === undefined || entry.state === 'UNKNOWN')
    throw notFound(`Pix key ${pixKey} not found`, `Chave pix ${pixKey} não encontrada`);
  const { state, ...target } = entry;
  return { target, pixKey, ...(state === 'BLOCKED' && { reason: invalidTarget }) };
}

/** Uses the end-to-end id of a question about the key: it is of one payment alone, whether that succeeds or not. */
function takeInquiry({ drawer }: Session, request: Extract<Request, { pix_transfer_type: 'key' }>): string {
  const { end_to_end_id: id, target_pix_key: pixKey } = request;
  const inquiry = drawer.find('inquiry', id);
  if (inquiry?.pix_key !== pixKey || inquiry.isUsed)
    throw ruleRefusal(`The end_to_end_id sent ${id} is not valid`, `O end_to_end_id enviado ${id} não é válido`);
  drawer.save('inquiry', id, { ...inquiry, isUsed: true });
  return id;
}

/** Keeps a transfer that is rejected in its own answer, without a debit: 4xx, with the transfer in `extra_fields`. */
function rejectAtOnce({ drawer }: Session, pending: Transfer, error: BankError): BankResponse {
  const { code, description, translation } = error;
  const rejection = { error_code: code, error_description: description, error_translation: translation };
  const rejected: Transfer = { ...pending, pix_transfer_status: 'rejected', rejection };
  drawer.save('transfer', rejected.pix_transfer_key, rejected);
  return errorResponse(error, { pix_transfer_data: summaryOf(rejected) });
}

function summaryOf(transfer: Transfer) {
  const { request_control_key, pix_transfer_key, end_to_end_id, pix_transfer_status, created_at } = transfer;
  return { request_control_key, pix_transfer_key, end_to_end_id, pix_transfer_status, created_at };
}

/** Returns the answer to a transfer: 201 when it was sent, 202 while it is pending; else its rejection. */
function answerOf(transfer: Transfer): BankResponse {
  const { rejection, transaction_key } = transfer;
  if (rejection !== undefined) {
    const { error_code: code, error_description: description, error_translation: translation } = rejection;
    const error = { status: 422, code, title: 'Unprocessable Entity', description, translation };
    return errorResponse(error, { pix_transfer_data: summaryOf(transfer) });
  }
  return transfer.pix_transfer_status === 'sent'
    ? { status: 201, body: { ...summaryOf(transfer), transaction_key } }
    : { status: 202, body: summaryOf(transfer) };
}

/**
 * Ends a pending transfer: it arrives, or its money comes back to the account.
 *
 * @param hasWebhook Whether the client is called about it.
 */
export function endTransfer(session: Session, before: Transfer, hasWebhook: boolean, rejection?: Rejection): Transfer {
  const { account_key, amount, target, pix_transfer_key } = before;
  const isSent = rejection === undefined;
  const transfer: Transfer = {
    ...before,
    pix_transfer_status: isSent ? 'sent' : 'rejected',
    ...(!isSent && { rejection }),
    updated_at: session.now,
  };
  session.drawer.save('transfer', pix_transfer_key, transfer);
  if (isSent) arrive(session, transfer);
  else post(session, { account_key, amount, subtype: 'pix', origin_key: pix_transfer_key, other: target });
  if (hasWebhook) notifyOfTransfer(session, transfer);
  return transfer;
}

function notifyOfTransfer(session: Session, transfer: Transfer): void {
  const { request_control_key, pix_transfer_key, pix_transfer_status, created_at, rejection } = transfer;
  session.notify('baas.pix_transfer.outgoing_pix', {
    request_control_key,
    pix_transfer_key,
    pix_transfer_status,
    created_at,
    ...(rejection !== undefined && { error_short_description: null }),
    ...rejection,
  });
}

/** Credits the receiver if its key is of this bank. */
function arrive(session: Session, { pix_key, end_to_end_id, amount, account_key }: Transfer): void {
  const there = pix_key === undefined ? undefined : session.ownerOf(pix_key);
  const account = there?.drawer.list('account').find(({ pix_keys: keys }) => keys.includes(pix_key ?? ''));
  if (there === undefined || account === undefined) return;
  const source = findAccount(session, account_key);
  const payment = { account_key: account.account_key, amount, end_to_end_id, pix_transfer_type: 'key' } as const;
  receive(there, { ...payment, source: partyOf(source), ...(pix_key !== undefined && { pix_key }) });
}
