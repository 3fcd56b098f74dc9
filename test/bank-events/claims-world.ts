import { afterEach, beforeEach, expect, vi } from 'vitest';
import { checkBalance } from '#shared/bank-events/balance.ts';
import type { BankEventContext } from '#shared/bank-events/context.ts';
import { bankEventContext } from '#shared/bank-events/context.ts';
import type { ListReport } from '#shared/bank-events/lists.ts';
import { hourlyLists, windowSeconds, windowsOf } from '#shared/bank-events/list-readings.ts';
import { emptyReport, readPages } from '#shared/bank-events/lists.ts';
import type { ListedClaim } from '#shared/bank/ports/reader.ts';
import type { ReturnedPayment } from '#shared/bank/ports/shapes.ts';
import { brl } from '#shared/contract/examples.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos, formatAmount } from '#shared/core/money.ts';
import type { Dispute } from '#shared/disputes/model.ts';
import { parseDispute } from '#shared/disputes/store.ts';
import { companyOne, payInBody } from '../support/bank-world.ts';
import { creditCalls, creditOf } from '../support/credits.ts';
import { disputeCalls } from '../support/disputes.ts';
import { collectLines } from '../support/logged.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { connectionId } from '../support/connected-items.ts';
import { connect, e2e, rtrId } from './bank-events-world.ts';

type Lists = readonly (typeof hourlyLists)[number][];

/** A company whose bank lists the claims of payers, and what the bank says of them. */
export async function claimsWorld() {
  const world = await paymentWorld();
  world.setCapabilities({ isPolled: true, balance: true });
  const bank = await connect(world, 'read-bank-lists');
  const calls = disputeCalls(world);
  const credits = creditCalls(world);
  const context = async (): Promise<BankEventContext> => {
    const found = await bankEventContext(bank.events, companyOne, connectionId);
    if (found === undefined) throw new Error('The company has no connection.');
    return found;
  };
  const passes = (seconds: number): void => {
    world.clock.now = plusSeconds(world.clock.now, seconds);
  };
  const readList = async (lists: Lists): Promise<ListReport> => {
    const report = emptyReport();
    const found = await context();
    for (const window of windowsOf(found, lists, windowSeconds.HOURLY))
      await readPages(found, window, report, { time: { remainingMs: () => Infinity } });
    return report;
  };
  const claimOf = (number: number, payment: number, more: Partial<ListedClaim> = {}): ListedClaim => ({
    ...({ claimId: `claim-${number}`, endToEndId: e2e(payment), kind: 'FRAUD', status: 'OPEN' } as const),
    ...{ amount: centavos(10_000), dueAt: '2026-01-22T15:00:00.000Z', reason: 'The payer reports a scam.' },
    ...{ isDefended: false, createdAt: '2026-01-15T15:00:30.000Z', ...more },
  });
  const disputes = (): readonly Dispute[] =>
    world
      .items('DISPUTE')
      .map(parseDispute)
      .toSorted((a, b) => (`${a.createdAt} ${a.id}` < `${b.createdAt} ${b.id}` ? -1 : 1));
  return {
    world,
    bank,
    calls,
    credits,
    context,
    passes,
    claimOf,
    /** A pay-in that somebody paid at the bank, by the number of the payment. */
    paid: async (number: number, amount: number): Promise<string> => {
      const body = payInBody({ amount: brl(formatAmount(centavos(amount))) });
      const created = await world.createPayIn({ companyId: companyOne, key: crypto.randomUUID(), body });
      const { id } = created.body as { readonly id: string };
      await bank.hear(bank.pays(number, id.replaceAll('-', ''), amount));
      bank.known.balance += amount;
      passes(60);
      return id;
    },
    /** Money that no charge expected. */
    credited: async (number: number, amount: number): Promise<string> => {
      await bank.hear(bank.pays(number, undefined, amount));
      bank.known.balance += amount;
      passes(60);
      return (await creditOf(world.store, companyOne, e2e(number))).credit.id;
    },
    /** The bank lists a claim, or lists it otherwise than before. */
    claims: (number: number, payment: number, more: Partial<ListedClaim> = {}): void => {
      bank.known.claims.set(`claim-${number}`, claimOf(number, payment, more));
    },
    /** The bank takes back a part of a payment, by a claim unless `more` says another thing. */
    takesBack: (number: number, payment: number, amount: number, more: Partial<ReturnedPayment> = {}): void => {
      const pix = bank.known.received.get(e2e(payment));
      if (pix === undefined) throw new Error('The bank has no such payment.');
      const returned = { id: `D${number}`, returnId: rtrId(number), amount: centavos(amount), at: world.clock.now };
      const returns = [...pix.returns, { ...returned, claim: 'FRAUD' as const, ...more }];
      bank.known.received.set(pix.endToEndId, { ...pix, returns });
      bank.known.balance -= amount;
    },
    /** What the bank's callback about a return causes. */
    callsBack: (number: number, payment: number) =>
      bank.hear({ kind: 'RETURN', endToEndId: e2e(payment), id: `D${number}` }),
    /** The list of claims alone, a minute later. */
    readClaims: (): Promise<ListReport> => {
      passes(60);
      return readList(['infracoes']);
    },
    readPayments: (): Promise<ListReport> => {
      passes(60);
      return readList(['pix', 'enviados']);
    },
    /** Every list of an hour. */
    readHour: (): Promise<ListReport> => {
      passes(60);
      return readList(hourlyLists);
    },
    disputes,
    /** The one dispute that there is. */
    dispute: (): Dispute => {
      const [only, ...more] = disputes();
      if (only === undefined || more.length > 0) throw new Error(`There are ${more.length} more disputes.`);
      return only;
    },
    /** Expects that the table is after an action as it was before. */
    unchanged: async (act: () => Promise<unknown>): Promise<void> => {
      const before = world.items();
      await act();
      expect(world.items()).toEqual(before);
    },
    /** The bank's money minus the entries of the account. */
    difference: async (): Promise<number | undefined> => {
      passes(600);
      return checkBalance([{ context: await context(), readAt: world.clock.now }]);
    },
  };
}

export type ClaimsWorld = Awaited<ReturnType<typeof claimsWorld>>;
type Lines = ReturnType<typeof collectLines>;

/** A world of its own for each test of a file, and the lines that the test logs. */
export function useClaimsWorld(): ClaimsWorld & { readonly lines: Lines } {
  const used = {} as ClaimsWorld & { readonly lines: Lines };
  beforeEach(async () => {
    const lines = collectLines();
    Object.assign(used, await claimsWorld(), { lines });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  return used;
}
