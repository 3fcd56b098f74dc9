import { reais } from '../amounts.ts';
import { brasiliaMinute, isWeekend } from '../time.ts';
import type { BankResponse } from '../refusal.ts';
import { Refusal } from '../refusal.ts';
import { findAccount } from './accounts.ts';
import { freeCents, post } from './ledger.ts';
import { pageOf } from './lists.ts';
import type { Account, RefusalReason, Ted } from './model.ts';
import { errorResponse, invalidPayload, notFound, ruleRefusal } from './refusals.ts';
import { readBody, TedRequest } from './requests.ts';
import type { Operation, Session } from './session.ts';
import { answerUsedKey } from './used-keys.ts';
import type * as z from 'zod';

const defaultListSize = 30;

/** TED that the client sends. */
export const tedOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/account/:account_key/ted',
    run: (session, { params, body }) => {
      const account = findAccount(session, params['account_key']);
      const request = readBody(TedRequest, body);
      const { request_control_key: key } = request;
      return answerUsedKey(session, session.drawer.list('ted'), key, answerOf) ?? send(session, account, request);
    },
  },
  {
    method: 'GET',
    path: '/account/:account_key/teds',
    run: (session, { params, query }) => {
      const { account_key: accountKey } = findAccount(session, params['account_key']);
      const direction = query.get('ted_direction') ?? 'outgoing';
      if (direction !== 'incoming' && direction !== 'outgoing')
        throw invalidPayload('ted_direction must be incoming or outgoing');
      const asked = query.get('request_control_key');
      // The bank of this machine receives no TED.
      const teds = direction === 'incoming' ? [] : session.drawer.list('ted');
      const found = teds.filter(
        (ted) => ted.account_key === accountKey && (asked === null || ted.request_control_key === asked),
      );
      const options = { at: ({ created_at: at }: Ted) => at, pageSize: defaultListSize, order: 'asc' } as const;
      const { items, page, size } = pageOf(session, query, found, options);
      return {
        status: 200,
        body: { data: items.map((ted) => tedView(ted)), pagination: { current_page: page, rows_per_page: size } },
      };
    },
  },
  {
    method: 'GET',
    path: '/account/:account_key/ted/:ted_key/outgoing',
    run: (session, { params }) => {
      const { account_key: accountKey } = findAccount(session, params['account_key']);
      const found = session.drawer.find('ted', params['ted_key'] ?? '');
      if (found?.account_key !== accountKey) throw notFound('Ted not found', 'TED não encontrada');
      return { status: 200, body: tedView(found) };
    },
  },
];

/** Hours of a TED, minutes of the day in Brasilia. */
const hours = { from: 7 * 60, until: 17 * 60 };

function requireHours({ settings, now }: Session): void {
  const minute = brasiliaMinute(now);
  if (!settings.tedHours || (!isWeekend(now) && hours.from <= minute && minute < hours.until)) return;
  const error = { status: 400, code: 'TED000011', title: 'Bad Request', description: 'Wrong day/time for TED' };
  throw new Refusal(errorResponse({ ...error, translation: 'Dia/hora incorretos para a TED' }, {}));
}

/** The reason of the bank's example of a TED that came back. */
export const closedAccount: RefusalReason = {
  refusal_code: 1,
  enumerator: 'conta_destinatario_encerrada',
  description: 'Conta Destinatária do Crédito Encerrada',
};

function send(session: Session, account: Account, request: z.output<typeof TedRequest>): BankResponse {
  const { drawer, ids, now, settings } = session;
  requireHours(session);
  const isLow = request.transaction_amount > freeCents(account);
  if (isLow && settings.lowBalance === 'REFUSED') throw ruleRefusal('Insufficient balance', 'Saldo insuficiente');
  const isRejected = isLow || settings.tedAnswer === 'REJECTED';
  const { account_key } = account;
  const key = ids.uuid();
  const ted: Ted = {
    ted_key: key,
    request_control_key: request.request_control_key,
    account_key,
    ted_status: isRejected ? 'rejected' : settings.tedAnswer === 'SENT' ? 'sent' : 'pending',
    amount: request.transaction_amount,
    target: request.target_account,
    ...(isRejected && { refusal_reason: closedAccount }),
    created_at: now,
  };
  const movement = {
    account_key,
    amount: -ted.amount,
    subtype: 'ted',
    origin_key: key,
    other: ted.target,
  } as const;
  const taken = isRejected ? ted : { ...ted, transaction_key: post(session, movement) };
  drawer.save('ted', key, taken);
  return answerOf(taken);
}

function answerOf({ request_control_key, ted_key, created_at, ted_status, amount }: Ted): BankResponse {
  const body = { request_control_key, ted_key, created_at, ted_status };
  return { status: 201, body: { ...body, transaction_amount: reais(amount), fee_amount: 0 } };
}

function tedView({ amount, refusal_reason, transaction_key: _, target, ...shown }: Ted) {
  const { account_type: _type, ...account } = target;
  return {
    ...shown,
    transaction_amount: reais(amount),
    fee_amount: 0,
    target_account: account,
    refusal_reason: refusal_reason ?? {},
  };
}

/** Sends a pending TED, or gives its money back: a TED can come back even after it was sent. */
export function endTed(session: Session, before: Ted, refusal_reason?: RefusalReason): Ted {
  const { account_key, amount, ted_key, target: other } = before;
  const isBack = refusal_reason !== undefined;
  const ted: Ted = { ...before, ted_status: isBack ? 'rejected' : 'sent', ...(isBack && { refusal_reason }) };
  session.drawer.save('ted', ted_key, ted);
  if (isBack) post(session, { account_key, amount, subtype: 'ted', origin_key: ted_key, other });
  const shown = isBack ? session.settings.tedCameBackAs : 'sent';
  session.notify('baas.ted.outgoing_ted', { ...tedView(ted), ted_status: shown });
  return ted;
}
