import type { Instant } from '../core/brasilia-time.ts';
import { parseDocument } from '../core/document.ts';
import { centavos } from '../core/money.ts';
import type { Counterpart, OwnerBank } from '../core/party.ts';
import type { PayIn } from '../pay-ins/model.ts';
import { decidePayIn } from '../pay-ins/states.ts';
import type { Payout } from './model.ts';
import type { PaymentEvent } from './states.ts';
import type { Change } from '../platform/commit.ts';
import type { LedgerPosting } from '../platform/ledger/ledger.ts';
import { payInUpdate, readPayIn } from '../pay-ins/store.ts';
import { CorruptItem } from '../platform/table/store.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { payInTransitionNotification } from '../pay-ins/transition.ts';

/** The charge of the company that a payout pays; undefined when it pays none. One read. */
export async function readOwnCharge(
  { store, companyId }: Pick<TransitionContext, 'store' | 'companyId'>,
  { internal }: Payout,
): Promise<PayIn | undefined> {
  if (internal?.payInId === undefined) return undefined;
  const payIn = await readPayIn(store, companyId, internal.payInId);
  if (payIn === undefined) throw new CorruptItem('A payout pays a charge that is not there.');
  return payIn;
}

/** The events of the payments to a charge: where it can no longer be paid, a payment of it fails. */
export function failUnpayable(
  events: readonly PaymentEvent[],
  { status, expireDateTime }: PayIn,
  at: Instant,
): readonly PaymentEvent[] {
  if (status === 'PENDING' && at < expireDateTime) return events;
  const now = status === 'PENDING' ? 'EXPIRED' : status;
  const reason = `The charge of the QR code is ${now} and can no longer be paid.`;
  return events.map((one) =>
    one.event.outcome === 'PAID' ? { ...one, event: { outcome: 'ERROR', code: 'BE17', reason } } : one,
  );
}

/** The transition of the charge that a payout pays, and its notification; the money is the payout's. */
export function payOwnCharge(
  charge: PayIn,
  payout: Payout,
  context: TransitionContext,
): Required<Pick<Change, 'writes' | 'notifications'>> {
  const { at, companyId } = context;
  const { endToEndId, ownerBank, accountId: payerAccountId } = payout;
  if (endToEndId === undefined) throw new Error('A charge is paid by PIX.');
  const payer = payerOf(ownerBank);
  const event = { outcome: 'PAID', at, endToEndId, ...(payer && { payer }) } as const;
  const payIn = { ...decidePayIn(charge, event, at).payIn, payerAccountId };
  return {
    writes: [payInUpdate(companyId, charge, payIn)],
    notifications: [payInTransitionNotification(payIn, context)],
  };
}

/** The refund of such a charge goes to the account that paid it, even a closed one: the money stays in the books. */
export function returnToPayer(
  { id: orderId, amount: available, payerAccountId }: PayIn,
  { ids, at }: Pick<TransitionContext, 'ids' | 'at'>,
): readonly LedgerPosting[] {
  if (payerAccountId === undefined) return [];
  const money = { available, reserved: centavos(0) };
  return [{ accountId: payerAccountId, kind: 'REFUND_RECEIVED', orderId, ...money, at, entryId: ids.uuid() }];
}

/** Undefined for a holder with a foreign document: the bank names no payer. */
function payerOf({ name, document: number, bank }: OwnerBank): Counterpart | undefined {
  const document = parseDocument(number);
  return document && { name, document, bank };
}
