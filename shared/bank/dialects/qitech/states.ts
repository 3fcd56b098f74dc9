import type { Facts } from '#shared/bank/about.ts';
import type { Teller } from '#shared/bank/calls/enumeration.ts';
import { enumeration, known, knownOrTold } from '#shared/bank/calls/enumeration.ts';
import type { PaymentState } from '#shared/bank/ports/payouts.ts';
import type { ReceivedPix, SentPix } from '#shared/bank/ports/reader.ts';
import type { RefundState } from '#shared/bank/ports/refunds.ts';
import type { ReturnedPayment } from '#shared/bank/ports/shapes.ts';
import { firstOf } from '#shared/core/visible.ts';
import type { ReceivedPixBody, SentPixBody, ShownReversal, TedBody } from './shapes.ts';

/*
 * Translates the bank's states into those of the ports. A value that no enumeration has throws if it decides the state:
 * then the response counts as not understood.
 */

type Status = 'ACCEPTED' | 'AWAITS_APPROVAL' | 'PAID' | 'ERROR';

const values = {
  pixStatus: enumeration<Status>('pix_transfer_status', {
    pending: 'ACCEPTED',
    pending_2fa_approval: 'AWAITS_APPROVAL',
    sent: 'PAID',
    rejected: 'ERROR',
  }),
  /** A TED may be rejected after it was sent: the receiving bank sends its money back. */
  tedStatus: enumeration<Status>('ted_status', {
    pending: 'ACCEPTED',
    pending_2fa_approval: 'AWAITS_APPROVAL',
    sent: 'PAID',
    rejected: 'ERROR',
  }),
  receivedStatus: enumeration<'RECEIVED'>('incoming.pix_transfer_status', { received: 'RECEIVED' }),
  reversalStatus: enumeration<'RECEIVED' | 'OPEN'>('reversals.pix_transfer_status', {
    received: 'RECEIVED',
    pending: 'OPEN',
  }),
  /** Of a refund of ours. */
  refundStatus: enumeration<RefundState['status']>('reversal_status', {
    pending: 'PENDING',
    pending_2fa_approval: 'PENDING',
    sent: 'SETTLED',
    rejected: 'FAILED',
  }),
} as const;

export function pixFacts({ request_control_key, account_key, transfer_amount, end_to_end_id }: SentPixBody): Facts {
  return {
    request_control_key,
    account_key: account_key ?? undefined,
    transfer_amount: transfer_amount ?? undefined,
    end_to_end_id: end_to_end_id ?? undefined,
  };
}

export function tedFacts({ request_control_key, account_key, transaction_amount }: TedBody): Facts {
  return {
    request_control_key,
    account_key: account_key ?? undefined,
    transfer_amount: transaction_amount ?? undefined,
  };
}

/**
 * Returns the state of a sent Pix. One that is sent is paid once its end-to-end id is known: the answer to a Pix to an
 * account does not have it yet.
 * @param prepared the end-to-end id with which it was requested
 */
export function pixState(body: SentPixBody, teller: Teller, prepared?: string): PaymentState {
  const { pix_transfer_status, created_at, updated_at, error_code, error_translation, rejection_reason: why } = body;
  const endToEndId = body.end_to_end_id ?? prepared;
  const number = endToEndId === undefined ? {} : { endToEndId };
  const status = known(values.pixStatus, pix_transfer_status);
  if (status === 'PAID' && endToEndId === undefined) return { status: 'ACCEPTED', returns: [] };
  switch (status) {
    case 'PAID':
      return { status, at: updated_at ?? created_at, ...number, returns: (body.reversals ?? []).flatMap(returnOf) };
    case 'ERROR': {
      const reason = reasonOf(error_translation ?? why?.error_translation ?? '');
      return { status, ...codeOf(error_code ?? why?.error_code), reason, ...number, returns: [] };
    }
    default:
      return { status, ...number, returns: [] };
  }

  function returnOf({ end_to_end_id, transfer_amount, pix_transfer_status: back, created_at: at }: ShownReversal) {
    if (knownOrTold(values.reversalStatus, back, teller) !== 'RECEIVED') return [];
    return [{ returnId: end_to_end_id, amount: transfer_amount, at: at ?? updated_at ?? created_at }];
  }
}

/**
 * Returns the state of a sent TED.
 * @throws Error for one that is sent and has a reason of refusal: an example shows such a TED that came back
 */
export function tedState({ ted_status, created_at, refusal_reason }: TedBody): PaymentState {
  const status = known(values.tedStatus, ted_status);
  switch (status) {
    case 'PAID':
      if (refusal_reason?.enumerator !== undefined) throw new Error('The TED is sent and refused.');
      return { status, at: created_at, returns: [] };
    case 'ERROR': {
      const { enumerator, description } = refusal_reason ?? {};
      return { status, ...codeOf(enumerator), reason: reasonOf(description ?? ''), cameBack: true, returns: [] };
    }
    default:
      return { status, returns: [] };
  }
}

/** Our reference without hyphens, as the port has it. */
function referenceOf(key: string): string {
  return key.replaceAll('-', '').toLowerCase();
}

function codeOf(code: string | null | undefined): { readonly code?: string } {
  const text = code?.trim() ?? '';
  return text === '' ? {} : { code: text.slice(0, 35) };
}

function reasonOf(text: string): string {
  const oneLine = text.replaceAll(/\s+/gu, ' ').trim();
  return firstOf(oneLine === '' ? 'The bank rejected the payment.' : oneLine, 140);
}

/** Returns a sent Pix of a list. @throws Error without its amount */
export function listedPix(body: SentPixBody, teller: Teller): SentPix {
  const { transfer_amount: amount, end_to_end_id, fee_amount } = body;
  if (amount === null || amount === undefined) throw new Error('The Pix has no amount.');
  return {
    reference: referenceOf(body.request_control_key),
    amount,
    state: pixState(body, teller),
    ...(typeof end_to_end_id === 'string' && { endToEndId: end_to_end_id }),
    ...(typeof fee_amount === 'number' && { fee: fee_amount }),
  };
}

/** Returns a sent TED of a list. @throws Error without its amount */
export function listedTed(body: TedBody): SentPix {
  const { transaction_amount: amount } = body;
  if (amount === null || amount === undefined) throw new Error('The TED has no amount.');
  return { reference: referenceOf(body.request_control_key), amount, state: tedState(body) };
}

/** Returns a received Pix of the list of an account. It has no payer: the bank masks the document. */
export function receivedPix(body: ReceivedPixBody, accountId: string, teller: Teller): ReceivedPix {
  const { end_to_end_id: endToEndId, transfer_amount: amount, created_at: at, fee_amount } = body;
  known(values.receivedStatus, body.pix_transfer_status);
  const returns = (body.reversals ?? []).flatMap((reversal): readonly ReturnedPayment[] => {
    if (knownOrTold(values.refundStatus, reversal.pix_transfer_status, teller) !== 'SETTLED') return [];
    const { request_control_key: key, end_to_end_id: returnId } = reversal;
    const own = typeof key === 'string' ? { id: referenceOf(key) } : {};
    return [{ ...own, returnId, amount: reversal.transfer_amount, at: reversal.created_at ?? at }];
  });
  return { endToEndId, amount, at, accountId, returns, ...(typeof fee_amount === 'number' && { fee: fee_amount }) };
}

/** Returns the state of a refund as it is shown with its Pix. @throws Error for one that is sent without a time */
export function shownRefund({ pix_transfer_status, end_to_end_id, created_at }: ShownReversal): RefundState {
  const state = refundState(pix_transfer_status, { returnId: end_to_end_id, at: created_at });
  if (state === undefined) throw new Error('The refund is sent without a time.');
  return state;
}

/** Returns the state of a refund; undefined for one that is sent, without its number or time. */
export function refundState(
  text: string,
  { returnId, at }: { readonly returnId: string | undefined; readonly at: string | null | undefined },
): RefundState | undefined {
  const status = known(values.refundStatus, text);
  if (status === 'FAILED') return { status, reason: 'The bank rejected the refund.' };
  if (status === 'PENDING') return { status, ...(returnId !== undefined && { returnId }) };
  return returnId === undefined || typeof at !== 'string' ? undefined : { status, returnId, at };
}
