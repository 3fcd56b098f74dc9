import { reais } from '../amounts.ts';
import { returnId } from '../ids.ts';
import { brasiliaDay, plusDays } from '../time.ts';
import type { BankResponse } from '../refusal.ts';
import { findAccount } from './accounts.ts';
import { freeCents, post } from './ledger.ts';
import type { Received, Reversal } from './model.ts';
import { notFound, ruleRefusal } from './refusals.ts';
import { readBody, ReversalRequest } from './requests.ts';
import { bankIspb } from './session.ts';
import type { Operation, Session } from './session.ts';
import { answerUsedKey } from './used-keys.ts';

/** Days after its receipt within which a Pix can be sent back. */
const reversalDays = 90;

/** Refunds: parts of received Pix that the client sends back. */
export const reversalOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/account/:account_key/pix_transfer/:pix_transfer_key/reversal',
    run: (session, { params, body }) => {
      const account = findAccount(session, params['account_key']);
      const received = session.drawer.find('received', params['pix_transfer_key'] ?? '');
      if (received?.account_key !== account.account_key)
        throw notFound('Pix transfer not found', 'Transferência pix não encontrada');
      const request = readBody(ReversalRequest, body);
      const used = answerUsedKey(session, session.drawer.list('reversal'), request.request_control_key, (first) =>
        answerOf(session, first, received),
      );
      if (used !== undefined) return used;
      if (request.reversal_amount > freeCents(account)) throw ruleRefusal('Insufficient balance', 'Saldo insuficiente');
      return sendBack(session, received, request);
    },
  },
];

type Asked = { request_control_key: string; reversal_amount: number } & Pick<
  Reversal,
  'reversal_reason' | 'reversal_message'
>;

/** Sends a part of a received Pix back. @throws Refusal after 90 days, or above what is left of it. */
function sendBack(session: Session, received: Received, { reversal_amount: amount, ...request }: Asked): BankResponse {
  const { drawer, ids, now, settings } = session;
  if (brasiliaDay(now) > plusDays(brasiliaDay(received.created_at), reversalDays))
    throw ruleRefusal('The time limit of the reversal has expired', 'O prazo da devolução expirou');
  const sentBack = reversalsOf(session, received).reduce((sum, reversal) => sum + reversal.amount, 0);
  if (received.pix_transfer_type === 'reversal' || sentBack + amount > received.amount)
    throw ruleRefusal('The reversals exceed the transfer', 'As devoluções excedem a transferência');
  const { account_key, source: other } = received;
  const key = ids.uuid();
  const movement = {
    account_key,
    amount: -amount,
    subtype: 'pix_reversal',
    origin_key: key,
    other,
  } as const;
  const pending: Reversal = {
    ...request,
    pix_transfer_key: key,
    account_key,
    received: received.pix_transfer_key,
    amount,
    reversal_status: 'pending',
    end_to_end_id: returnId(bankIspb, now, ids),
    transaction_key: post(session, movement),
    created_at: now,
  };
  drawer.save('reversal', key, pending);
  const reversal = settings.reversalAnswer === 'SENT' ? endReversal(session, pending, 'sent', false) : pending;
  return answerOf(session, reversal, received);
}

/** Returns the refunds of a received Pix that were not rejected. */
export function reversalsOf({ drawer }: Pick<Session, 'drawer'>, received: Received): readonly Reversal[] {
  return drawer
    .list('reversal')
    .filter((reversal) => reversal.received === received.pix_transfer_key && reversal.reversal_status !== 'rejected');
}

function answerOf({ settings }: Session, reversal: Reversal, received: Received): BankResponse {
  const { reversal_status, amount, pix_transfer_key, request_control_key, created_at } = reversal;
  return {
    status: reversal_status === 'sent' ? 201 : 202,
    body: {
      reversal_status,
      [settings.reversalAmount]: reais(amount),
      pix_transfer_key,
      end_to_end_id: settings.reversalEndToEndId === 'OWN' ? reversal.end_to_end_id : received.end_to_end_id,
      request_control_key,
      created_at,
    },
  };
}

/** Ends a pending refund; the money of a rejected one comes back. The webhook of its end is that of a sent Pix. */
export function endReversal(
  session: Session,
  before: Reversal,
  status: 'sent' | 'rejected',
  hasWebhook: boolean,
): Reversal {
  const { drawer, notify } = session;
  const { account_key, amount, pix_transfer_key, request_control_key, created_at } = before;
  const reversal: Reversal = { ...before, reversal_status: status };
  drawer.save('reversal', pix_transfer_key, reversal);
  const other = drawer.find('received', before.received)?.source;
  if (status === 'rejected' && other !== undefined)
    post(session, { account_key, amount, subtype: 'pix_reversal', origin_key: pix_transfer_key, other });
  if (hasWebhook)
    notify('baas.pix_transfer.outgoing_pix', {
      request_control_key,
      pix_transfer_key,
      pix_transfer_status: status,
      created_at,
    });
  return reversal;
}
