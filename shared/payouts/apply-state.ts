import type { CommandOutcome, FoundCommand } from '../bank/outcome.ts';
import type { PaymentState } from '../bank/ports/payouts.ts';
import type { ReturnedPayment } from '../bank/ports/shapes.ts';
import { report } from '../bank/report.ts';
import { centavos } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import { receivedKey, receivedPut } from '../credits/received.ts';
import type { Transition, TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { counterpartyOf } from '../platform/ledger/balance.ts';
import type { BatchPayment, Payout, PayoutWithPayments } from './model.ts';
import type { PaymentEvent, PayoutEvent } from './states.ts';
import { lateEndToEndIdUpdates } from './end-to-end-ids.ts';
import { payoutReturned, readPayout } from './store.ts';
import { payoutTransition } from './transition.ts';

/** The bank's state of a payment. `sequence`: its place, if it belongs to a batch. */
export type PaymentUpdate = { readonly sequence?: number; readonly state: PaymentState };

/**
 * Maximum number of payments that change status in one transaction, each with its credit to another account of the
 * company.
 */
const atOnce = 40;

/** Returns the state of a payment in a response; a refusal is the state `ERROR`. */
export function paymentStateOf(
  response: CommandOutcome<PaymentState> | FoundCommand<PaymentState>,
): PaymentState | undefined {
  if (response.outcome === 'DONE') return response.state;
  if (response.outcome === 'REFUSED') return { status: 'ERROR', returns: [], ...pick(response, 'code', 'reason') };
  return undefined;
}

/**
 * Applies the bank's states of payments to their payout. A state comes as a response, by a lookup or after a callback,
 * once or often. A final status never changes: the same state again does nothing, a contradicting one is reported.
 * Money that came back is credited once, and the payout stays `PAID`: also that of a paid TED which its bank rejects.
 * @param known the payout as it was read: an open state without a new end-to-end id costs no read
 */
export async function applyPaymentStates(
  context: TransitionContext,
  known: PayoutWithPayments,
  received: readonly PaymentUpdate[],
): Promise<void> {
  const { id } = known.payout;
  const updates = received.filter((update) => !isOpen(update.state) || bringsNumber(known, update));
  for (let from = 0; from < updates.length; from += atOnce)
    await applySome(context, id, updates.slice(from, from + atOnce));
}

function isOpen({ status }: PaymentState): boolean {
  return status === 'ACCEPTED' || status === 'AWAITS_APPROVAL';
}

function bringsNumber(order: PayoutWithPayments, update: PaymentUpdate): boolean {
  return update.state.endToEndId !== undefined && partOf(order, update)?.endToEndId === undefined;
}

async function applySome(context: TransitionContext, id: string, updates: readonly PaymentUpdate[]): Promise<void> {
  const { store, companyId } = context;
  const read = async () => {
    const order = await readPayout(store, companyId, id);
    if (order === undefined) throw new Error('Cannot find a created payout.');
    return order;
  };
  // Returned money is credited before the payout becomes final: a final payout is not polled again.
  for (const { state } of updates)
    for (const returned of state.returns) if (state.status === 'PAID') await creditReturn(context, id, returned);
  let contradicted: readonly (PaymentUpdate & { readonly isTed: boolean })[] = [];
  await commitTransition<PayoutWithPayments, unknown>(context, read, async (order) => {
    const open = updates.filter((update) => partOf(order, update)?.status === 'PENDING');
    const isTed = order.payout.paymentMethod === 'TED';
    contradicted = updates
      .filter((update) => isContradiction(partOf(order, update), update.state))
      .map((update) => ({ ...update, isTed }));
    const events = open.flatMap(eventsOf);
    if (events.length > 0) return payoutTransition(context, order, events);
    const numbered = open.filter((update) => bringsNumber(order, update));
    if (numbered.length === 0) return { unchanged: undefined };
    return { writes: lateEndToEndIdUpdates(companyId, order, numbered), result: undefined };
  });
  for (const { sequence, state, isTed } of contradicted) {
    // A TED is paid when it was sent. Its receiving bank may send it back afterwards.
    if (isTed && state.status === 'ERROR' && state.cameBack === true) await creditReturn(context, id);
    else report('BankContradictions', { companyId, orderId: id, sequence: sequence?.toString(), said: state.status });
  }
}

function partOf(
  { payout, payments }: PayoutWithPayments,
  { sequence }: PaymentUpdate,
): Payout | BatchPayment | undefined {
  return sequence === undefined ? payout : payments.find((payment) => payment.sequence === sequence);
}

/**
 * Whether the bank's state contradicts a final payment: one of both is paid and the other is not, or both are paid with
 * different end-to-end ids. An open state contradicts nothing: it may be an older response.
 */
function isContradiction(part: Payout | BatchPayment | undefined, state: PaymentState): boolean {
  if (part === undefined || part.status === 'PENDING' || isOpen(state)) return false;
  const isOther = part.endToEndId !== undefined && (state.endToEndId ?? part.endToEndId) !== part.endToEndId;
  return (part.status === 'PAID') !== (state.status === 'PAID') || (part.status === 'PAID' && isOther);
}

function eventsOf({ sequence, state }: PaymentUpdate): readonly PaymentEvent[] {
  const event = eventOf(state);
  return event === undefined ? [] : [{ ...(sequence !== undefined && { sequence }), event }];
}

function eventOf(state: PaymentState): PayoutEvent | undefined {
  const number = pick(state, 'endToEndId');
  switch (state.status) {
    case 'ACCEPTED':
    case 'AWAITS_APPROVAL':
      return undefined;
    case 'PAID':
      return { outcome: 'PAID', ...number, ...pick(state, 'at', 'controlNumber') };
    case 'ERROR':
      return { outcome: 'ERROR', ...number, ...pick(state, 'code', 'reason') };
    case 'CANCELED':
      return { outcome: 'CANCELED', ...number };
  }
}

/**
 * Credits money of a paid payout that came back, once for its return id. Without one it is a TED, which comes back
 * whole: once for its order.
 */
async function creditReturn(context: TransitionContext, id: string, returned?: ReturnedPayment): Promise<void> {
  const returnId = returned?.returnId ?? id;
  const { store, companyId, at, ids } = context;
  const read = async () => ({
    order: await readPayout(store, companyId, id),
    item: (await store.read([receivedKey(companyId, returnId)]))[0],
  });
  type Found = Awaited<ReturnType<typeof read>>;
  const isCredited = await commitTransition<Found, boolean>(context, read, ({ order, item }) => {
    if (order === undefined || item !== undefined) return { unchanged: false };
    const { accountId, receiver } = order.payout;
    const available = returned?.amount ?? order.payout.amount;
    const number = returned === undefined ? pick(order.payout, 'controlNumber') : { endToEndId: returnId };
    const references = { orderId: order.payout.id, ...number, counterparty: counterpartyOf(receiver) };
    const posting = { accountId, ...references, available, reserved: centavos(0), at };
    const received = { endToEndId: returnId, amount: available, accountId, orderId: id, at };
    const credit: Transition<boolean> = {
      ledger: [{ ...posting, kind: 'PAYOUT_RETURNED_LATE', entryId: ids.uuid() }],
      writes: [receivedPut(companyId, received), payoutReturned(companyId, order.payout.id, available)],
      result: true,
    };
    return credit;
  });
  if (isCredited) report('PayoutsReturnedLate', { companyId, orderId: id });
}
