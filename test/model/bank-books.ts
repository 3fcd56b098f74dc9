import { instantFromEpochMs, brasiliaDate } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import type { ChargeOrder, ChargeState, ReceivedPayment } from '#shared/bank/ports/charges.ts';
import type { PaymentOrder, PaymentState } from '#shared/bank/ports/payouts.ts';
import type { RecurrenceState } from '#shared/bank/ports/recurrences.ts';
import type { RecurringChargeState } from '#shared/bank/ports/recurring-charges.ts';
import type { RefundOrder, RefundState } from '#shared/bank/ports/refunds.ts';
import { endToEndId, returnId } from '#shared/core/identifiers.ts';
import { chargeLocation } from '#shared/core/br-code/location.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What happens by chance, all from one seed. */
export type Draws = {
  readonly chance: (share: number) => boolean;
  /** A whole number from `from` to below `to`. */
  readonly between: (from: number, to: number) => number;
  readonly one: <T>(values: readonly T[]) => T;
};

export function drawsOf(random: () => number): Draws {
  const between = (from: number, to: number): number => from + Math.floor(random() * (to - from));
  return { chance: (of) => random() < of, between, one: (of) => of[between(0, of.length)]! };
}

/** An amount that comes back: as a whole, or in two or three parts. */
export function partsOf(amount: number, draws: Draws): readonly number[] {
  const first = Math.floor(amount / draws.one([1, 2, 2, 3]));
  const rest = amount - first;
  const second = rest > 1 && draws.chance(0.5) ? Math.floor(rest / 2) : rest;
  return [first, second, rest - second].filter((part) => part > 0);
}

/** The epoch of the model: a Thursday at noon in Brasilia, the hours of a TED. */
export const beginsAt = Date.parse('2026-01-15T15:00:00.000Z');
export const instantOf = (ms: number): string => instantFromEpochMs(beginsAt + ms);

/** A thing at the bank with every state that it had: a read that lags sees an earlier one. */
export type Dated<State> = { readonly at: number; readonly state: State };
type Thing<Order, State> = { readonly order: Order; history: Dated<State>[] };
type Payment = Thing<PaymentOrder, PaymentState> & { readonly endToEndId: string };
type ChargeAtBank = Thing<ChargeOrder, ChargeState>;
type RefundAtBank = Thing<RefundOrder, RefundState> & { readonly accountId: string };

export const presentOf = <State>({ history }: { readonly history: readonly Dated<State>[] }): State =>
  history.at(-1)!.state;
/** What a read sees that lags so many milliseconds behind; undefined before the thing was made. */
export const seenOf = <State>(record: { readonly history: readonly Dated<State>[] } | undefined, at: number) =>
  record?.history.findLast((one) => one.at <= at)?.state;

/** A fact that the bank may tell by itself. `mustTell`: nothing else brings it. */
export type Fact = { readonly mustNotify?: boolean } & (
  | { readonly kind: 'PAYOUT'; readonly reference: string; readonly state: PaymentState }
  | { readonly kind: 'CHARGE'; readonly reference: string; readonly state: ChargeState }
  | { readonly kind: 'RECURRENCE'; readonly reference: string; readonly state: RecurrenceState }
  | { readonly kind: 'ATTEMPTS'; readonly reference: string; readonly state: RecurringChargeState }
  | { readonly kind: 'REFUND'; readonly reference: string; readonly txid: string; readonly state: RefundState }
);

export type BankWays = {
  /** When a payment's end-to-end id is known. */
  readonly endToEndIds: 'PREPARED' | 'AT_ONCE' | 'LATE';
  /** Payments and refunds become final immediately, or later. */
  readonly settlesAtOnce: number;
};

export type Books = ReturnType<typeof bankBooks>;
const ispb = '60701190';

/**
 * A bank with books of its own. It carries out each command once by its reference, and other events happen by chance.
 */
export function bankBooks(
  time: VirtualTime,
  draws: Draws,
  {
    ids,
    ways,
    notify,
    ownAccount = ({ receiver }) => receiver.pix?.key,
    pixHost = 'pix.service.example',
  }: {
    readonly ids: Ids;
    readonly ways: BankWays;
    readonly notify: (fact: Fact) => void;
    /** The account here that a payment without a charge leads to, if any. */
    readonly ownAccount?: (order: PaymentOrder) => string | undefined;
    /** Of the codes of its charges: by it the service knows its own. */
    readonly pixHost?: string;
  },
) {
  const balances = new Map<string, number>();
  const payments = new Map<string, Payment[]>();
  const charges = new Map<string, ChargeAtBank>();
  const refunds = new Map<string, RefundAtBank[]>();
  /** Every command that reached it, by kind and reference. */
  const commands = new Set<string>();
  /** References that the bank refused finally. */
  const refused = new Set<string>();
  /** References that it has and whose repetition it refused for another reason. */
  const refusedAgain = new Set<string>();
  const book = (accountId: string, amount: number): void => {
    balances.set(accountId, (balances.get(accountId) ?? 0) + amount);
  };
  const now = (): string => instantOf(time.now());
  const later = (work: () => void): void => {
    if (draws.chance(ways.settlesAtOnce)) work();
    else time.at(time.now() + draws.between(1000, draws.chance(0.2) ? 3_600_000 : 240_000), work);
  };

  const movePayment = (payment: Payment, state: PaymentState, mustNotify = false): void => {
    payment.history.push({ at: time.now(), state });
    notify({ kind: 'PAYOUT', reference: payment.order.reference, state, mustNotify });
  };
  const moveCharge = (charge: ChargeAtBank, state: Partial<ChargeState>, mustNotify = false): void => {
    const next = { ...presentOf(charge), ...state };
    charge.history.push({ at: time.now(), state: next });
    notify({ kind: 'CHARGE', reference: charge.order.reference, state: next, mustNotify });
  };

  /** Whatever its payer gives to a charge. */
  const payCharge = (txid: string, payment: Omit<ReceivedPayment, 'returns'>, mustTell = false): boolean => {
    const charge = charges.get(txid);
    if (charge === undefined) return false;
    const { status, payments: before } = presentOf(charge);
    if (status !== 'ACTIVE' && !mustTell) return false;
    book(charge.order.receiver.id, payment.amount);
    const paid = status === 'ACTIVE' ? 'PAID' : status;
    moveCharge(charge, { status: paid, payments: [...before, { ...payment, returns: [] }] }, mustTell);
    return true;
  };

  /** The receiver's bank takes it, or does not. */
  const settlePayment = (payment: Payment): void => {
    const { order, endToEndId: number } = payment;
    if (presentOf(payment).status !== 'ACCEPTED') return;
    const { txid, amount, payer } = order;
    const charge = txid === undefined ? undefined : charges.get(txid);
    const isPayable =
      charge === undefined || (presentOf(charge).status === 'ACTIVE' && charge.order.amount === order.amount);
    if (!isPayable || draws.chance(0.15)) {
      book(payer.id, amount);
      const error = { status: 'ERROR', code: 'AB03', reason: 'The payment was not settled.', returns: [] } as const;
      movePayment(payment, draws.chance(0.8) ? error : { status: 'CANCELED', returns: [] });
      return;
    }
    const identifiers =
      order.controlNumber === undefined ? { endToEndId: number } : { controlNumber: order.controlNumber };
    const own = ownAccount(order) ?? '';
    const isOwn = charge !== undefined || balances.has(own);
    // It tells its receiver of what it tells its payer.
    if (charge !== undefined) payCharge(txid!, { endToEndId: number, amount, at: now(), ...payerOf(order) }, true);
    else if (isOwn) book(own, amount);
    movePayment(payment, { status: 'PAID', at: now(), ...identifiers, returns: [] });
    if (!isOwn && draws.chance(0.5))
      for (const part of partsOf(amount, draws))
        time.at(time.now() + draws.between(1000, 1_800_000), () => {
          returnPayment(payment, part);
        });
  };

  /** Money of a paid payment comes back. `id`: of the refund that asked for it. */
  const returnPayment = (payment: Payment, amount: number, refund?: { id: string; returnId: string }): void => {
    const state = presentOf(payment);
    if (state.status !== 'PAID') return;
    book(payment.order.payer.id, amount);
    const back = { amount: centavos(amount), at: now(), returnId: refund?.returnId ?? returnId(ispb, now(), ids) };
    const named = refund === undefined ? {} : { id: refund.id };
    movePayment(payment, { ...state, returns: [...state.returns, { ...back, ...named }] }, true);
  };

  const accept = (order: PaymentOrder): Payment => {
    const number = order.endToEndId ?? endToEndId(ispb, now(), ids);
    const isPix = order.controlNumber === undefined;
    const shown = isPix && ways.endToEndIds !== 'LATE' ? { endToEndId: number } : {};
    const status = draws.chance(0.05) ? ('AWAITS_APPROVAL' as const) : ('ACCEPTED' as const);
    const payment: Payment = { order, endToEndId: number, history: [] };
    book(order.payer.id, 0 - order.amount);
    payments.set(order.reference, [...(payments.get(order.reference) ?? []), payment]);
    movePayment(payment, { status, ...shown, returns: [] });
    if (status === 'AWAITS_APPROVAL')
      time.at(time.now() + draws.between(60_000, 1_200_000), () => {
        if (presentOf(payment).status !== 'AWAITS_APPROVAL') return;
        movePayment(payment, { status: 'ACCEPTED', ...shown, returns: [] });
        settlePayment(payment);
      });
    else
      later(() => {
        settlePayment(payment);
      });
    return payment;
  };

  const openCharge = (order: ChargeOrder): ChargeAtBank => {
    const location = chargeLocation(pixHost, order.reference);
    const state = { txid: order.reference, location, status: 'ACTIVE', payments: [] } as const;
    const charge: ChargeAtBank = { order, history: [{ at: time.now(), state }] };
    charges.set(order.reference, charge);
    return charge;
  };

  const paidBy = (number: string): { charge: ChargeAtBank; payment: ReceivedPayment } | undefined => {
    for (const charge of charges.values()) {
      const payment = presentOf(charge).payments.find((one) => one.endToEndId === number);
      if (payment !== undefined) return { charge, payment };
    }
    return undefined;
  };

  const refund = (order: RefundOrder): RefundAtBank => {
    const { charge } = paidBy(order.endToEndId)!;
    const created: RefundAtBank = { order, accountId: charge.order.receiver.id, history: [] };
    const txid = charge.order.reference;
    const move = (state: RefundState): void => {
      created.history.push({ at: time.now(), state });
      notify({ kind: 'REFUND', reference: order.reference, txid, state });
    };
    book(created.accountId, 0 - order.amount);
    refunds.set(order.reference, [...(refunds.get(order.reference) ?? []), created]);
    const back = returnId(ispb, now(), ids);
    move({ status: 'PENDING', ...(draws.chance(0.5) && { returnId: back }) });
    later(() => {
      if (draws.chance(0.2)) {
        book(created.accountId, order.amount);
        move({ status: 'FAILED', code: 'AC04', reason: 'The account of the payer is closed.' });
        return;
      }
      move({ status: 'SETTLED', returnId: back, at: now() });
      // A Pix of the company's own: the money comes back to the account that sent it.
      for (const payment of [...payments.values()].flat())
        if (payment.endToEndId === order.endToEndId)
          returnPayment(payment, order.amount, { id: order.reference, returnId: back });
    });
    return created;
  };

  return {
    pixHost,
    ...{
      balances,
      payments,
      charges,
      refunds,
      commands,
      refused,
      refusedAgain,
      book,
      now,
      accept,
      settlePayment,
      openCharge,
      payCharge,
    },
    ...{ movePayment, moveCharge, refund, paidBy },
    today: () => brasiliaDate(now()),
    newNumber: (): string => endToEndId(ispb, now(), ids),
  };
}

function payerOf({ payer: { name, document, bank } }: PaymentOrder): Pick<ReceivedPayment, 'payer'> {
  return { payer: { name, document: { type: 'CNPJ', number: document }, bank } };
}
