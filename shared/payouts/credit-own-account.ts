import { parseDocument } from '../core/document.ts';
import type { Centavos } from '../core/money.ts';
import { addCentavos, centavos } from '../core/money.ts';
import type { Counterpart, OwnerBank } from '../core/party.ts';
import { pick } from '../core/pick.ts';
import type { PayIn } from '../pay-ins/model.ts';
import { creditPosting, creditWrites, openCredit } from '../credits/book.ts';
import { receivedKey, receivedPut } from '../credits/received.ts';
import { reasonOf } from '../credits/states.ts';
import { decidePayIn } from '../pay-ins/states.ts';
import { parsePayIn, payInUpdate } from '../pay-ins/store.ts';
import { payInTransitionNotification } from '../pay-ins/transition.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import type { EntryCounterparty, EntryReferences, LedgerKind } from '#shared/platform/ledger/balance.ts';
import type { LedgerPosting } from '../platform/ledger/ledger.ts';
import { counterpartyOf } from '../platform/ledger/balance.ts';
import { keys } from '../platform/table/keys.ts';
import type { Item, Write } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';
import type { OutboxEntry } from '../platform/commit.ts';
import type { BatchPayment, Payout } from './model.ts';
import type { PayoutDecision } from './states.ts';

type OwnCredit = {
  readonly ledger: readonly LedgerPosting[];
  readonly writes: readonly Write[];
  readonly notifications: readonly OutboxEntry[];
  /** Whether the credit pays a charge of the company. */
  readonly isCharge: boolean;
};

const nothing: OwnCredit = { ledger: [], writes: [], notifications: [], isCharge: false };

/**
 * Maximum number of payments that are marked as received. More in one transaction come only from a simulation tool, and
 * the simulated bank reports no received Pix twice. A transaction has at most 100 writes.
 */
const mostMarked = 40;

/**
 * Credits a paid payout to another account of the company, once for each end-to-end id: a Pix that the bank reported
 * first as received is not credited again. Money for a charge that can no longer be paid is a credit. One read.
 */
export async function creditOwnAccount(
  context: TransitionContext,
  { after: { payout, payments }, changed, credit }: PayoutDecision,
): Promise<OwnCredit> {
  if (credit === undefined) return nothing;
  const { store, companyId } = context;
  const { payInId } = payout.internal ?? {};
  // A charge is credited as a whole, with its last payment.
  const settled: readonly (Payout | BatchPayment)[] =
    payments.length === 0 ? [payout] : payInId === undefined ? changed : payments;
  const paid = settled.filter(({ status }) => status === 'PAID');
  const endToEndIds = paid.flatMap(({ endToEndId }) => (endToEndId === undefined ? [] : [endToEndId]));
  const [chargeItem, ...received] = await store.read([
    keys.order(companyId, payInId ?? payout.id),
    ...endToEndIds.map((number) => receivedKey(companyId, number)),
  ]);
  const isReceived = ({ endToEndId }: Payout | BatchPayment): boolean =>
    endToEndId !== undefined && received[endToEndIds.indexOf(endToEndId)] !== undefined;
  const uncredited = paid.filter((payment) => !isReceived(payment));
  const isWhole = uncredited.length === paid.length;
  if (uncredited.length === 0) return nothing;
  const from = holderOf(payout.ownerBank);
  if (credit.kind === 'PAY_IN') {
    const charge = requireCharge(chargeItem);
    if (isWhole && charge.status === 'PENDING') return payCharge(context, charge, payout, uncredited);
    const endToEndId = uncredited.find((payment) => payment.endToEndId !== undefined)?.endToEndId;
    // Without a number it is no credit that could be returned, but a transfer like any other.
    if (endToEndId !== undefined) return unexpected(context, charge, { payout, endToEndId }, uncredited);
    return credited(
      context,
      { ...credit, ...from, ...pick(charge, 'connection'), kind: 'PAYOUT_RECEIVED' },
      uncredited,
    );
  }
  return credited(context, { ...credit, ...from, ...pick(payout, 'connection') }, uncredited);
}

function requireCharge(item: Item | undefined): PayIn {
  if (item === undefined) throw new CorruptItem('Cannot find the charge that a payout pays.');
  return parsePayIn(item);
}

type Credited = {
  readonly kind: LedgerKind;
  readonly accountId: string;
  readonly orderId: string;
  /** The connection to the bank that receives it. */
  readonly connection?: string;
  readonly counterparty?: EntryCounterparty;
};

function credited(
  { companyId, at, ids }: TransitionContext,
  { kind, accountId, orderId, connection, ...other }: Credited,
  paid: readonly (Payout | BatchPayment)[],
): OwnCredit {
  const available = addCentavos(...paid.map(({ amount }) => amount));
  const references = { ...(paid[0] && pick(paid[0], 'endToEndId')), ...other };
  return {
    ...nothing,
    ledger: [{ kind, accountId, orderId, ...references, available, reserved: centavos(0), at, entryId: ids.uuid() }],
    writes: marksOf(paid).map((payment) =>
      receivedPut(companyId, { ...payment, accountId, orderId, at, ...pick({ connection }, 'connection') }),
    ),
  };
}

function marksOf(paid: readonly (Payout | BatchPayment)[]): readonly { endToEndId: string; amount: Centavos }[] {
  if (paid.length > mostMarked) return [];
  return paid.flatMap(({ endToEndId, amount }) => (endToEndId === undefined ? [] : [{ endToEndId, amount }]));
}

/**
 * Money of a payout for a charge that can no longer be paid: one credit, also of the payments of a batch, each of which
 * is marked.
 */
function unexpected(
  context: TransitionContext,
  charge: PayIn,
  { payout: { ownerBank }, endToEndId }: { readonly payout: Payout; readonly endToEndId: string },
  paid: readonly (Payout | BatchPayment)[],
): OwnCredit {
  const { accountId, id: orderId } = charge;
  const amount = addCentavos(...paid.map((payment) => payment.amount));
  const facts = { accountId, orderId, endToEndId, amount, ...pick(charge, 'connection') };
  const payer = payerOf(ownerBank);
  const reason = reasonOf(charge, amount);
  const credit = openCredit(context, { ...facts, reason, ...pick({ payer }, 'payer') });
  const { writes, notifications } = creditWrites(context, credit, marksOf(paid));
  return { ...nothing, ledger: [creditPosting(context, credit)], writes, notifications };
}

/** Returns the transition of the charge that a payout pays, with its entry and notification. */
function payCharge(
  context: TransitionContext,
  charge: PayIn,
  payout: Payout,
  paid: readonly (Payout | BatchPayment)[],
): OwnCredit {
  const { at, companyId } = context;
  const { endToEndId, ownerBank, accountId: payerAccountId } = payout;
  if (endToEndId === undefined) throw new Error('A payout of a charge has no end-to-end id.');
  const payer = payerOf(ownerBank);
  const event = { outcome: 'PAID', at, endToEndId, ...(payer && { payer }) } as const;
  const payIn = { ...decidePayIn(charge, event, at).payIn, payerAccountId };
  const { accountId, id: orderId } = charge;
  const credit = { kind: 'PAY_IN', accountId, orderId, counterparty: counterpartyOf(payIn.payer) } as const;
  const money = credited(context, { ...credit, ...pick(charge, 'connection') }, paid);
  return {
    ...money,
    writes: [...money.writes, payInUpdate(companyId, charge, payIn)],
    notifications: [payInTransitionNotification(payIn, context)],
    isCharge: true,
  };
}

/** Returns the holder of an account as the other side of an entry; nothing for a holder with a foreign document. */
function holderOf(holder: OwnerBank): Pick<EntryReferences, 'counterparty'> {
  const party = payerOf(holder);
  return party === undefined ? {} : { counterparty: counterpartyOf(party) };
}

/** Returns the payer of a charge. Undefined for a holder with a foreign document: then the expected payer stays. */
function payerOf({ name, document: number, bank }: OwnerBank): Counterpart | undefined {
  const document = parseDocument(number);
  return document && { name, document, ...pick({ bank }, 'bank') };
}

/**
 * Credits a settled refund of a charge that a payout of the company paid. The money goes to the account that paid, even
 * if it is closed: the money stays in the books. The bank's own report of this return then counts as already received.
 */
export function returnToPayer(
  { id: orderId, payerAccountId: accountId, ownerBank }: PayIn,
  { amount, endToEndId: returnId }: { readonly amount: Centavos; readonly endToEndId?: string },
  { companyId, ids, at }: Pick<TransitionContext, 'companyId' | 'ids' | 'at'>,
): Pick<OwnCredit, 'ledger' | 'writes'> {
  if (accountId === undefined || returnId === undefined) return nothing;
  const references = { orderId, endToEndId: returnId, ...holderOf(ownerBank) };
  const posting = { accountId, kind: 'REFUND_RECEIVED', ...references, reserved: centavos(0), at } as const;
  return {
    ledger: [{ ...posting, available: amount, entryId: ids.uuid() }],
    writes: [receivedPut(companyId, { endToEndId: returnId, amount, accountId, orderId, at })],
  };
}
