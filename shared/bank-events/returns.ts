import type { ReceivedPix } from '../bank/ports/reader.ts';
import { report } from '../bank/report.ts';
import type { RefundState } from '../bank/ports/refunds.ts';
import type { Centavos } from '../core/money.ts';
import type { ReceivedPix as Credited } from '../credits/received.ts';
import { readReceived } from '../credits/received.ts';
import { applyRefundState } from '../refunds/apply-state.ts';
import type { Refund } from '../refunds/model.ts';
import type { CreditReturn } from '../credits/model.ts';
import { applyReturnState } from '../credits/return.ts';
import { readCredit } from '../credits/store.ts';
import { readPayInWithRefunds } from '../refunds/store.ts';
import type { BankEventContext, BankEventOutcome } from './context.ts';
import { bookTakenBack } from './disputes.ts';
import { keepUnsolicitedReturn } from './unsolicited-returns.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';

/** Applies a devolução: our own by its id, an unsolicited one by reading its payment. */
export async function applyReturn(
  context: BankEventContext,
  { endToEndId, id }: Extract<BankEvent, { kind: 'RETURN' }>,
): Promise<BankEventOutcome> {
  const { store, companyId, reader } = context;
  const received = await readReceived(store, companyId, endToEndId);
  if (received === undefined) return 'UNKNOWN';
  const own = await ownReturn(context, received, id);
  if (own !== undefined) {
    const state = await reader.readRefund(endToEndId, own);
    return state === undefined ? 'UNKNOWN' : moveOwn(context, own, state);
  }
  const pix = await reader.readReceivedPix(endToEndId);
  // A payment that does not show the return yet was read too early.
  if (pix?.endToEndId !== endToEndId || !pix.returns.some((returned) => returned.id === id)) return 'UNKNOWN';
  return (await applyReturnsOf(context, pix)) ? 'MOVED' : 'SAME';
}

/** Applies the devoluções that the bank gives for a credited payment. @returns whether anything was new */
export async function applyReturnsOf(
  context: BankEventContext,
  { endToEndId, returns }: ReceivedPix,
): Promise<boolean> {
  if (returns.length === 0) return false;
  const { store, companyId } = context;
  const received = await readReceived(store, companyId, endToEndId);
  if (received === undefined) return false;
  let isNew = false;
  for (const returned of returns) {
    const { id, returnId, at, amount } = returned;
    const own = id === undefined ? undefined : await ownReturn(context, received, id);
    if (own !== undefined && own.amount !== amount) {
      report('AnswersAboutOthers', { companyId, endToEndId, refundId: own.id, fields: 'valor' });
      continue;
    }
    if (own !== undefined) {
      const end = await moveOwn(context, own, { status: 'SETTLED', returnId, at });
      isNew ||= end === 'MOVED';
      continue;
    }
    const atNow = { ...context, at: context.now() };
    const booked = await bookTakenBack(atNow, received, returned);
    const isKept =
      booked === 'REFUSED' && (await keepUnsolicitedReturn(store, context.connection, endToEndId, returned));
    isNew ||= isKept || booked === 'BOOKED';
  }
  return isNew;
}

/** Return that the service requested: the refund of a pay-in, or the return of a credit. */
type OwnReturn = { readonly id: string; readonly amount: Centavos } & (
  { readonly refund: Refund } | { readonly returned: CreditReturn }
);

async function ownReturn(
  { store, companyId }: BankEventContext,
  received: Credited,
  bankId: string,
): Promise<OwnReturn | undefined> {
  // Ids of ours are lower case; a bank may write them in capitals.
  const id = bankId.toLowerCase();
  const { creditId } = received;
  const credit = creditId === undefined ? undefined : await readCredit(store, companyId, creditId);
  const returned = credit?.returns.find((candidate) => candidate.id === id);
  if (returned !== undefined) return { id, amount: returned.amount, returned };
  if (received.orderId === undefined) return undefined;
  const order = await readPayInWithRefunds(store, companyId, received.orderId);
  const refund = order?.refunds.find((candidate) => candidate.id === id);
  return refund && { id, amount: refund.amount, refund };
}

async function moveOwn(context: BankEventContext, own: OwnReturn, state: RefundState): Promise<BankEventOutcome> {
  const atNow = { ...context, at: context.now() };
  if ('returned' in own) {
    await applyReturnState(atNow, own.returned, state);
    return own.returned.status === 'PENDING' && state.status !== 'PENDING' ? 'MOVED' : 'SAME';
  }
  await applyRefundState(atNow, own.refund, state);
  return own.refund.status === 'PENDING' && state.status !== 'PENDING' ? 'MOVED' : 'SAME';
}
