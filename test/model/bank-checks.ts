import * as z from 'zod';
import { childOrderId } from '#shared/core/identifiers.ts';
import { parseCredit, parseCreditReturn } from '#shared/credits/store.ts';
import { parsePayIn } from '#shared/pay-ins/store.ts';
import type { BatchPayment, Payout } from '#shared/payouts/model.ts';
import { parsePayment, parsePayout } from '#shared/payouts/store.ts';
import { accountBalances } from '#test/support/account-balances.ts';
import type { Item, Key, Store, Write } from '#shared/platform/table/store.ts';
import { keyOf } from '#shared/platform/table/store.ts';
import { parseRefund } from '#shared/refunds/store.ts';
import { dueEntry } from '../support/due.ts';
import { readable } from '../support/readable-items.ts';
import type { Dated } from './bank-books.ts';
import { presentOf } from './bank-books.ts';
import type { ChargeState } from '#shared/bank/ports/charges.ts';
import type { PaymentState } from '#shared/bank/ports/payouts.ts';
import type { RefundState } from '#shared/bank/ports/refunds.ts';

/** What is not as it must be, by the check that sees it. */
export type Problem = { readonly check: Check; readonly text: string };
export type Check =
  | 'doubled'
  | 'refused here alone'
  | 'state'
  | 'number'
  | 'money'
  | 'credited once'
  | 'notified once'
  | 'left'
  | 'paused'
  | 'elsewhere'
  | 'certificate'
  | 'taken back'
  | 'blocked'
  | 'claims'
  | 'defence'
  | 'gone back'
  | 'final'
  | 'answer'
  | 'error';

type Known<State> = { readonly history: readonly Dated<State>[] };

/** What the bank has at the end, by references and accounts. */
export type EndBooks = {
  /** Centavos of each account. */
  readonly balances: ReadonlyMap<string, number>;
  readonly payments: ReadonlyMap<
    string,
    readonly (Known<PaymentState> & {
      readonly endToEndId: string;
      readonly order: { readonly controlNumber?: string };
    })[]
  >;
  readonly charges: ReadonlyMap<
    string,
    Known<ChargeState> & {
      readonly order: { readonly receiver: { readonly id: string } };
      /** A payment was under way when the bank dropped it: the bank says that it is paid. */
      readonly isPaidAllTheSame?: boolean;
    }
  >;
  readonly refunds: ReadonlyMap<string, readonly Known<RefundState>[]>;
  /** References that the bank refused finally, and those that it had when it refused a repetition. */
  readonly refused: ReadonlySet<string>;
  readonly refusedAgain: ReadonlySet<string>;
};

/** Statuses that are not final, and the moves that another one may make. */
const open: readonly string[] = ['PENDING', 'OPEN'];
const further: Readonly<Record<string, readonly string[]>> = {
  PAID: ['REFUNDED'],
  DEFENDED: ['ACCEPTED', 'REJECTED', 'CANCELED'],
};

/** A table that watches its orders: a final status stays. */
export function finalStatuses(store: Store, problems: Problem[]): Store {
  const watched = ['PAYOUT', 'PAYOUT_PAYMENT', 'PAY_IN', 'REFUND', 'DISPUTE', 'DEFENCE'];
  const watch = async <R>(writes: readonly Write[], commit: () => Promise<R>): Promise<R> => {
    const writtenKeys: Key[] = writes.map(keyOf).map(({ PK, SK }) => ({ PK, SK }));
    const before = await store.read(writtenKeys);
    const outcome = await commit();
    const after = await store.read(writtenKeys);
    before.forEach((item, index) => {
      if (item === undefined) return;
      const { entity, status: from } = item;
      const to = after[index]?.['status'] as string;
      if (typeof entity !== 'string' || typeof from !== 'string' || !watched.includes(entity)) return;
      if (from === to || open.includes(from) || further[from]?.includes(to) === true) return;
      problems.push({ check: 'final', text: `${item.PK} ${item.SK}: ${from} to ${JSON.stringify(to)}` });
    });
    return outcome;
  };
  return {
    ...store,
    write: (writes, token) => watch(writes, () => store.write(writes, token)),
    writeOne: (write) => watch([write], () => store.writeOne(write)),
  };
}

/** Jobs that last as long as what they wait for. */
export const lasting: readonly string[] = ['MED_BLOCK'];

/** Everything that must be true once it has long been quiet. */
export function checkEnd(
  all: readonly Item[],
  books: EndBooks,
  collected: (accountId: string) => number = () => 0,
): readonly Problem[] {
  const items = all.map(readable);
  const itemsOf = (entity: string): Item[] => items.filter((item) => item['entity'] === entity);
  const problems: Problem[] = [];
  const expect = (isTrue: boolean, check: Check, text: string): void => {
    if (!isTrue) problems.push({ check, text });
  };
  checkPayouts(itemsOf, books, expect);
  checkPayIns(itemsOf, books, expect);
  checkRefunds(itemsOf, books, expect);
  checkMoney(itemsOf, items, { books, collected }, expect);
  checkNotifications(itemsOf, expect);
  for (const item of all) {
    const kind = dueEntry(item)?.kind;
    // A poll comes each minute as long as its connection is there, and another job while an account lacks money.
    const isOver = kind === undefined || kind.startsWith('DELIVERY') || [...lasting, 'RECEIVED_POLL'].includes(kind);
    if (!isOver) expect(false, 'left', `${kind} ${item.PK} ${item.SK}`);
  }
  return problems;
}

type Of = (entity: string) => Item[];
type Expect = (isTrue: boolean, check: Check, text: string) => void;

function checkPayouts(itemsOf: Of, books: EndBooks, expect: Expect): void {
  const known = new Set<string>();
  for (const item of itemsOf('PAYOUT')) {
    const payout = parsePayout(item);
    const payments = itemsOf('PAYOUT_PAYMENT')
      .filter(({ PK }) => PK === item.PK)
      .map(parsePayment);
    const parts: readonly (readonly [string, Payout | BatchPayment])[] =
      payments.length === 0
        ? [[payout.id, payout]]
        : payments.map((payment) => [childOrderId(payout.id, payment.sequence), payment]);
    for (const [reference, { status, endToEndId, paidAt }] of parts) {
      known.add(reference);
      const name = `payout ${reference}`;
      const [carriedOut, ...more] = books.payments.get(reference) ?? [];
      expect(more.length === 0, 'doubled', `${name} was carried out ${more.length + 1} times`);
      if (carriedOut === undefined) {
        const isRefused = books.refused.has(reference) && status === 'ERROR';
        expect(
          isRefused,
          status === 'PENDING' ? 'left' : 'refused here alone',
          `${name} is ${status}; the bank has none`,
        );
        continue;
      }
      const state = presentOf(carriedOut);
      const isSame = state.status === status;
      expect(isSame, status === 'PENDING' ? 'left' : 'state', `${name} is ${status}, at the bank ${state.status}`);
      expect(state.status !== 'PAID' || paidAt === state.at || !isSame, 'state', `${name} was paid at ${paidAt}`);
      expect(
        endToEndId === undefined || endToEndId === carriedOut.endToEndId,
        'number',
        `${name} has ${endToEndId}, at the bank ${carriedOut.endToEndId}`,
      );
      if (status === 'PAID' && carriedOut.order.controlNumber === undefined)
        expect(endToEndId !== undefined, 'number', `${name} has no number`);
    }
  }
  for (const reference of books.payments.keys())
    expect(known.has(reference), 'doubled', `payment ${reference} is of no payout`);
}

const payInStatuses: Readonly<Record<string, readonly string[]>> = {
  PAID: ['PAID'],
  REFUNDED: ['PAID'],
  EXPIRED: ['REMOVED'],
  CANCELED: ['REMOVED'],
  ERROR: ['DROPPED'],
  PENDING: [],
};

function checkPayIns(itemsOf: Of, books: EndBooks, expect: Expect): void {
  for (const payIn of itemsOf('PAY_IN').map(parsePayIn)) {
    const { id, status, conciliationId, endToEndId } = payIn;
    if (payIn.subscription?.scheduledPayment !== undefined) continue;
    const charge = books.charges.get(conciliationId);
    if (charge === undefined) {
      expect(
        status === 'ERROR' && books.refused.has(conciliationId),
        'refused here alone',
        `pay-in ${id} is ${status}`,
      );
      continue;
    }
    const state = presentOf(charge);
    const isSame = payInStatuses[status]?.includes(state.status) === true;
    // A charge that no response has: the bank created it, and refused its repetition.
    const isUnseen = status === 'ERROR' && payIn.qrcodeData === '' && books.refusedAgain.has(conciliationId);
    // Paid with another amount first: its money is a credit, and it expires or is canceled.
    const [first] = state.payments;
    const isMismatch =
      (status === 'EXPIRED' || status === 'CANCELED') && first !== undefined && first.amount !== payIn.amount;
    const isRefused = status === 'ERROR' && payIn.qrcodeData === '';
    // The bank ended it after a payment: it is paid here, or refunded since.
    const isPaid = (status === 'PAID' || status === 'REFUNDED') && charge.isPaidAllTheSame === true;
    expect(
      isSame || isUnseen || isMismatch || isPaid,
      status === 'PENDING' ? 'left' : isRefused ? 'refused here alone' : 'state',
      `pay-in ${id} is ${status}, ${state.status}`,
    );
    const endToEndIds = state.payments.map((one) => one.endToEndId);
    expect(endToEndId === undefined || endToEndIds.includes(endToEndId), 'number', `pay-in ${id} has ${endToEndId}`);
  }
}

const refundStatuses: Readonly<Record<string, string>> = { SETTLED: 'SETTLED', FAILED: 'FAILED', PENDING: '' };

function checkRefunds(itemsOf: Of, books: EndBooks, expect: Expect): void {
  const returns = [...itemsOf('REFUND').map(parseRefund), ...itemsOf('CREDIT_RETURN').map(parseCreditReturn)];
  for (const { id, status, endToEndId } of returns) {
    const [carriedOut, ...more] = books.refunds.get(id) ?? [];
    expect(more.length === 0, 'doubled', `refund ${id} was carried out ${more.length + 1} times`);
    if (carriedOut === undefined) {
      const isRefused = status === 'FAILED' && books.refused.has(id);
      expect(isRefused, status === 'PENDING' ? 'left' : 'refused here alone', `refund ${id} is ${status}`);
      continue;
    }
    const state = presentOf(carriedOut);
    const text = `refund ${id} is ${status}, at the bank ${state.status}`;
    expect(refundStatuses[status] === state.status, status === 'PENDING' ? 'left' : 'state', text);
    if (state.status === 'SETTLED' && status === 'SETTLED')
      expect(endToEndId === state.returnId, 'number', `refund ${id} has ${endToEndId}`);
  }
  const known = new Set(returns.map(({ id }) => id));
  for (const id of books.refunds.keys()) expect(known.has(id), 'doubled', `refund ${id} is of no request`);
}

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);

/** The books here are the bank's, and each Pix that came in was credited once. */
function checkMoney(
  itemsOf: Of,
  items: readonly Item[],
  { books, collected }: { readonly books: EndBooks; readonly collected: (accountId: string) => number },
  expect: Expect,
): void {
  for (const { accountId, available, reserved, blocked, entries: own } of accountBalances(items)) {
    const total = available + reserved + blocked;
    const entered = sum(own.map((one) => one.available + one.reserved + one.blocked));
    expect(entered === total, 'money', `${accountId}: entries ${entered}, balance ${total}`);
    const atBank = books.balances.get(accountId);
    expect(total === atBank, 'money', `${accountId}: here ${total}, at the bank ${atBank}`);
    const received = [...books.charges.values()]
      .filter(({ order }) => order.receiver.id === accountId)
      .flatMap((charge) => presentOf(charge).payments);
    const credited = sum(
      own.filter(({ kind }) => kind === 'PAY_IN' || kind === 'UNMATCHED_CREDIT').map((one) => one.available),
    );
    const came = sum(received.map(({ amount }) => amount)) + collected(accountId);
    expect(credited === came, 'credited once', `${accountId}: credited ${credited}, came ${came}`);
  }
}

/** What a notification is about: an order, a credit, or the return of one. */
const Told = z.object({
  event: z.string(),
  id: z.string().optional(),
  data: z.object({ id: z.string().optional(), return: z.object({ returnId: z.string() }).optional() }).optional(),
});

/** One notification for each transition that has one. */
function checkNotifications(itemsOf: Of, expect: Expect): void {
  const expected = [
    ...itemsOf('PAYOUT')
      .map(parsePayout)
      .filter(({ status }) => status !== 'PENDING')
      .map(({ id, status }) => `ORDER-PAYOUT.${status === 'PARTIALLY_PAID' ? 'ERROR' : status} ${id}`),
    ...itemsOf('PAY_IN')
      .map(parsePayIn)
      .flatMap(({ id, status }) => {
        if (status === 'PENDING') return [];
        return [`ORDER-PAYIN.${status === 'REFUNDED' ? 'PAID' : status} ${id}`];
      }),
    ...itemsOf('REFUND')
      .map(parseRefund)
      .filter(({ status }) => status !== 'PENDING')
      .map(({ orderId, status }) => `ORDER-PAYIN.${status === 'SETTLED' ? 'REFUNDED' : 'REFUND_FAILED'} ${orderId}`),
    ...itemsOf('CREDIT')
      .map(parseCredit)
      .map(({ id }) => `CREDIT.RECEIVED ${id}`),
    ...itemsOf('CREDIT_RETURN')
      .map(parseCreditReturn)
      .filter(({ status }) => status !== 'PENDING')
      .map(({ id, status }) => `CREDIT.${status === 'SETTLED' ? 'RETURNED' : 'RETURN_FAILED'} ${id}`),
  ].sort();
  const sent = itemsOf('DELIVERY_BODY')
    .map((item) => {
      const { event, id, data } = Told.parse(JSON.parse(z.string().parse(item['body'])));
      return `${event} ${data?.return?.returnId ?? data?.id ?? id ?? ''}`;
    })
    .filter((one) => /^(?:ORDER-|CREDIT\.)/u.test(one))
    .sort();
  expect(
    JSON.stringify(sent) === JSON.stringify(expected),
    'notified once',
    `sent ${sent.filter((one) => !expected.includes(one)).join()} missing ${expected.filter((one) => !sent.includes(one)).join()} ${sent.length}/${expected.length}`,
  );
}
