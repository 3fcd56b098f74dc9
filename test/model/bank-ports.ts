import { allCapabilities } from '#shared/bank/capabilities.ts';
import type { Capabilities, Repetition } from '#shared/bank/capabilities.ts';
import type { Bank } from '#shared/bank/bank.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import type { CommandOutcome, UncheckedCommand } from '#shared/bank/outcome.ts';
import { checkedCharges } from '#shared/bank/ports/charges.ts';
import { checkedPayouts } from '#shared/bank/ports/payouts.ts';
import { checkedRefunds } from '#shared/bank/ports/refunds.ts';
import type { BankWays, Books, Draws } from './bank-books.ts';
import { presentOf, seenOf } from './bank-books.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What goes wrong between service and bank, by chance of a call. */
export type Weather = {
  /** One call in so many goes wrong, of each kind of fault alike. */
  readonly faults: number;
  /** A read may be so old, milliseconds. */
  readonly lagMs: number;
};

export type PortWays = {
  readonly repetition: Repetition;
  /** It refuses a repetition for another reason (its balance, a limit) before it looks whether it has the command. */
  readonly validatesFirst: boolean;
  /** Of a service that is wrong: it takes "used already" for a refusal. */
  readonly believesUsedAlready: boolean;
};

/** A bank by chance: when it gives numbers and settles, and what it makes of a repetition. */
export function drawWays(draws: Draws): PortWays & BankWays {
  return {
    endToEndIds: draws.one(['PREPARED', 'AT_ONCE', 'LATE'] as const),
    settlesAtOnce: draws.one([0, 0.5, 1]),
    repetition: draws.one(['REFUSED', 'REFUSED', 'ANSWERED_AGAIN'] as const),
    validatesFirst: draws.chance(0.5),
    believesUsedAlready: false,
  };
}

const refusal = { outcome: 'REFUSED', code: 'AC03', reason: 'The bank does not do it.' } as const;
const tooLate = { outcome: 'REFUSED', code: 'AM04', reason: 'The balance is too low.' } as const;

const faults = ['LOST', 'ANSWER_LOST', 'BEFORE', 'AFTER', 'NOT_NOW', 'LATE'] as const;

/** The longest that a request is under way that its caller gave up, milliseconds. */
const longestWayMs = 20_000;

/** The network between service and bank. */
export function network(time: VirtualTime, draws: Draws, faultSchedule: () => Weather, counted: () => void) {
  const hang = () => new Promise<never>(() => undefined);
  const travel = () => time.sleep(draws.between(2, draws.chance(0.05) ? 2500 : 200));
  return async <T>(deed: () => T): Promise<T | CommandOutcome<never>> => {
    counted();
    const fault = draws.chance(faultSchedule().faults) ? draws.one(faults) : undefined;
    await travel();
    switch (fault) {
      case 'LOST':
        return hang();
      case 'BEFORE':
        return { outcome: 'UNKNOWN' };
      case 'NOT_NOW':
        return { outcome: 'NOT_NOW', cause: '429', ...(draws.chance(0.5) && { retryAfterSeconds: 7 }) };
      case 'LATE':
        await time.sleep(draws.between(3000, longestWayMs));
        deed();
        return hang();
      case 'AFTER':
        deed();
        return { outcome: 'UNKNOWN' };
      case 'ANSWER_LOST':
        deed();
        return hang();
      case undefined: {
        const response = deed();
        await travel();
        return response;
      }
    }
  };
}

/** The model bank behind the ports of the service, each response checked as an adapter's is. */
export function modelBank(
  books: Books,
  draws: Draws,
  over: {
    readonly time: VirtualTime;
    readonly ways: PortWays & { readonly endToEndIds: 'PREPARED' | 'AT_ONCE' | 'LATE' };
    readonly faultSchedule: () => Weather;
    readonly counted: () => void;
    readonly directory: Bank['directory'];
  },
): Pick<Bank, 'capabilities' | 'charges' | 'payouts' | 'refunds' | 'directory'> {
  const { time, ways, faultSchedule, counted, directory } = over;
  const through = network(time, draws, faultSchedule, counted);
  const readAt = (): number => {
    const { lagMs } = faultSchedule();
    return time.now() - (draws.chance(0.5) ? lagMs : draws.between(0, lagMs + 1));
  };
  /** What says "used already": unknown, never refused. */
  const usedAlready = ways.believesUsedAlready ? refusal : ({ outcome: 'UNKNOWN' } as const);
  /** Of a command that the bank has. */
  const again = <State>(
    reference: string,
    state: State,
    carryOut: () => CommandOutcome<State>,
  ): CommandOutcome<State> => {
    if (ways.validatesFirst && draws.chance(0.9)) {
      // Where reads do not lag, the lookup after the refusal finds it.
      if (faultSchedule().lagMs > 0) books.refusedAgain.add(reference);
      return tooLate;
    }
    if (ways.repetition === 'REFUSED') return usedAlready;
    return ways.repetition === 'ANSWERED_AGAIN' ? { outcome: 'DONE', state } : carryOut();
  };
  const command = <Order extends { readonly reference: string }, Entry extends { history: readonly unknown[] }>(
    kind: string,
    known: (order: Order) => Entry | undefined,
    make: (order: Order) => Entry | undefined,
    state: (entry: Entry, at: number) => unknown,
  ): UncheckedCommand<Order> => ({
    submit: (order) =>
      through(() => {
        books.commands.add(`${kind} ${order.reference}`);
        const before = known(order);
        const current = (entry: Entry) => state(entry, Infinity);
        const carryOut = (): CommandOutcome<unknown> => {
          const entry = make(order);
          return entry === undefined ? refusal : { outcome: 'DONE', state: current(entry) };
        };
        if (before !== undefined) return again(order.reference, current(before), carryOut);
        if (books.refused.has(order.reference) || draws.chance(0.07)) {
          books.refused.add(order.reference);
          return refusal;
        }
        const response = carryOut();
        if (response.outcome === 'REFUSED') books.refused.add(order.reference);
        return response;
      }),
    find: (order) =>
      through(() => {
        const entry = known(order);
        const found = entry && state(entry, readAt());
        return found === undefined ? { outcome: 'NEVER_SEEN' } : { outcome: 'DONE', state: found };
      }),
  });

  const send = command(
    'PAYOUT',
    ({ reference }) => books.payments.get(reference)?.[0],
    (order: Parameters<typeof books.accept>[0]) =>
      (books.balances.get(order.payer.id) ?? 0) < order.amount ? undefined : books.accept(order),
    seenOf,
  );
  const charges = command(
    'CHARGE',
    ({ reference }) => books.charges.get(reference),
    (order: Parameters<typeof books.openCharge>[0]) => books.charges.get(order.reference) ?? books.openCharge(order),
    seenOf,
  );
  const refunds = command(
    'REFUND',
    ({ reference, endToEndId }) => {
      const entry = books.refunds.get(reference)?.[0];
      return entry?.order.endToEndId === endToEndId ? entry : undefined;
    },
    (order: Parameters<typeof books.refund>[0]) => (isRefundable(books, order) ? books.refund(order) : undefined),
    seenOf,
  );
  const capabilities: Capabilities = {
    ...allCapabilities,
    isPolled: true,
    claims: false,
    repetition: {
      ...allCapabilities.repetition,
      ...{ charge: ways.repetition, removal: ways.repetition, refund: ways.repetition, payout: ways.repetition },
    },
  };
  const query =
    <Of, Found>(ask: (target: Of, context: Parameters<Bank['directory']['resolveKey']>[1]) => Promise<Found>) =>
    async (target: Of, context: Parameters<Bank['directory']['resolveKey']>[1]): Promise<Found> => {
      counted();
      await time.sleep(draws.between(2, 200));
      if (draws.chance(faultSchedule().faults / 2)) throw new BankUnavailable('The directory did not answer.');
      return ask(target, context);
    };
  return {
    capabilities: () => Promise.resolve(capabilities),
    directory: {
      resolveKey: query(directory.resolveKey),
      resolveAccount: query(directory.resolveAccount),
      resolveCharge: query(directory.resolveCharge),
    },
    payouts: checkedPayouts({
      ...(ways.endToEndIds === 'PREPARED' && {
        prepare: async () => {
          counted();
          await time.sleep(draws.between(2, 200));
          if (draws.chance(faultSchedule().faults / 2)) throw new BankUnavailable('No number was given.');
          return { endToEndId: books.newNumber() };
        },
      }),
      send,
      cancel: { submit: () => through(() => refusal), find: () => through(() => ({ outcome: 'NEVER_SEEN' })) },
    }),
    charges: checkedCharges({
      open: charges,
      remove: {
        submit: ({ reference }) =>
          through(() => {
            books.commands.add(`REMOVAL ${reference}`);
            const charge = books.charges.get(reference);
            if (charge === undefined) return refusal;
            if (presentOf(charge).status === 'ACTIVE') books.moveCharge(charge, { status: 'REMOVED' });
            else if (presentOf(charge).status !== 'REMOVED') return draws.chance(0.5) ? refusal : usedAlready;
            else if (ways.repetition === 'REFUSED') return usedAlready;
            return { outcome: 'DONE', state: presentOf(charge) };
          }),
        find: ({ reference }) =>
          through(() => {
            const state = seenOf(books.charges.get(reference), readAt());
            return state === undefined || state.status === 'ACTIVE'
              ? { outcome: 'NEVER_SEEN' }
              : { outcome: 'DONE', state };
          }),
      },
    }),
    refunds: checkedRefunds(refunds),
  };
}

/** A payment can be returned in parts, together at most its amount. */
function isRefundable(books: Books, { endToEndId, amount }: Parameters<Books['refund']>[0]): boolean {
  const payment = books.paidBy(endToEndId)?.payment;
  const live = [...books.refunds.values()]
    .flat()
    .filter((one) => one.order.endToEndId === endToEndId && presentOf(one).status !== 'FAILED');
  const returned = live.reduce((sum, { order }) => sum + order.amount, 0);
  return payment !== undefined && returned + amount <= payment.amount;
}

/** What the simulated bank knows of keys and accounts, at the place of the model's. */
export function asSimulated({ resolveKey, resolveAccount, resolveCharge }: Bank['directory']): Bank['directory'] {
  const there = { connection: undefined };
  return {
    resolveKey: (key, context) => resolveKey(key, { ...context, ...there }),
    resolveAccount: (target, context) => resolveAccount(target, { ...context, ...there }),
    resolveCharge: (code, context) => resolveCharge(code, { ...context, ...there }),
  };
}
