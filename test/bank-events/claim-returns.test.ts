import { beforeEach, describe, expect, it, vi } from 'vitest';
import { applyBankEvent } from '#shared/bank-events/apply-event.ts';
import { openDispute } from '#shared/bank-events/disputes.ts';
import { readReading } from '#shared/bank-events/list-readings.ts';
import { keepUnsolicitedReturn } from '#shared/bank-events/unsolicited-returns.ts';
import { workLists } from '#shared/bank-events/work-lists.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import type { BankReader } from '#shared/bank/ports/reader.ts';
import { brl } from '#shared/contract/examples.ts';
import { centavos } from '#shared/core/money.ts';
import { workers } from '#functions/workers.ts';
import { companyOne } from '../support/bank-world.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { storeFor } from '../support/rights.ts';
import { e2e, rtrId } from './bank-events-world.ts';
import { useClaimsWorld } from './claims-world.ts';

const tested = useClaimsWorld();
let orderId: string;
beforeEach(async () => {
  orderId = await tested.paid(1, 10_000);
});

const refund = async (value?: string): Promise<string> => {
  const body = value === undefined ? {} : { amount: brl(value) };
  const response = await tested.world.refundPayIn({ companyId: companyOne, key: 'r', params: { id: orderId }, body });
  expect(response.status, response.text).toBe(201);
  return (response.body as { readonly refundId: string }).refundId;
};
const refundEnds = async (id: string, status: 'SETTLED' | 'FAILED'): Promise<void> => {
  const end =
    status === 'FAILED' ? { status, reason: 'Blocked.' } : { status, returnId: rtrId(9), at: tested.world.clock.now };
  tested.bank.known.refunds.set(id, end);
  await tested.bank.hear({ kind: 'RETURN', endToEndId: e2e(1), id });
};
const unsolicited = () => tested.world.items('FOREIGN_RETURN').map(({ returnId }) => returnId);

describe('a return by a claim', () => {
  it('a return before its claim opens a dispute and accepts it, with a notification of each', async () => {
    tested.takesBack(1, 1, 10_000, { claim: 'OPERATIONAL_ERROR' });
    expect(await tested.callsBack(1, 1)).toBe('MOVED');
    expect(tested.disputes()).toMatchObject([
      { orderId, kind: 'OPERATIONAL_ERROR', status: 'ACCEPTED', amount: 10_000, returnedAmount: 10_000 },
    ]);
    expect(tested.calls.told()).toEqual(['DISPUTE.OPENED', 'DISPUTE.ACCEPTED']);
    expect(await tested.credits.payInRecord(orderId)).toMatchObject({ status: 'REFUNDED' });
    expect(await tested.callsBack(1, 1)).toBe('SAME');
    await tested.unchanged(tested.readHour);
    expect(await tested.difference()).toBe(0);
  });

  it('a return is booked by the worker of callbacks with its rights', async () => {
    tested.takesBack(1, 1, 10_000);
    const store = storeFor(workers['apply-callbacks'].access, tested.world.deps.store);
    const context = { ...(await tested.context()), store };
    expect(await applyBankEvent(context, { kind: 'RETURN', endToEndId: e2e(1), id: 'D1' })).toBe('MOVED');
    expect(tested.disputes()).toMatchObject([{ status: 'ACCEPTED' }]);
  });

  it('a return of a credit is booked by a dispute of the credit', async () => {
    const creditId = await tested.credited(2, 5000);
    tested.takesBack(1, 2, 2000);
    await tested.readHour();
    expect(tested.disputes()).toMatchObject([{ creditId, status: 'ACCEPTED', returnedAmount: 2000 }]);
    expect(await tested.difference()).toBe(0);
  });

  it('a return is booked once when two callbacks and the list have it at once', async () => {
    tested.takesBack(1, 1, 6000);
    await Promise.all([tested.callsBack(1, 1), tested.callsBack(1, 1), tested.readPayments()]);
    await tested.readHour();
    const entries = tested.calls.entries().filter(([kind]) => kind === 'MED_RETURNED');
    expect(entries.map(([, available, blocked]) => Number(available) + Number(blocked))).toEqual([-6000]);
    expect(await tested.calls.balance()).toEqual(['40.00', '0.00', '0.00']);
    expect(unsolicited()).toEqual([]);
    expect(tested.calls.told()).toEqual(['DISPUTE.OPENED', 'DISPUTE.ACCEPTED']);
  });

  it('a return is booked by the dispute that another run opens for it after this one has looked for one', async () => {
    tested.takesBack(1, 1, 6000);
    const { store } = tested.world.deps;
    let isFirst = true;
    const interrupted: Store = {
      ...store,
      write: async (writes, token) => {
        if (isFirst) {
          isFirst = false;
          const claim = {
            kind: 'FRAUD',
            reason: 'A scam.',
            dueAt: '2026-01-16T15:00:00.000Z',
            amount: centavos(6000),
          } as const;
          const at = tested.world.clock.now;
          await openDispute({ ...(await tested.context()), at }, { orderId }, claim);
        }
        return store.write(writes, token);
      },
    };
    const context = { ...(await tested.context()), store: interrupted };
    expect(await applyBankEvent(context, { kind: 'RETURN', endToEndId: e2e(1), id: 'D1' })).toBe('MOVED');
    expect(tested.disputes()).toMatchObject([{ status: 'ACCEPTED', returnedAmount: 6000 }]);
    expect(unsolicited()).toEqual([]);
  });

  it('a return is not kept as unsolicited after a dispute has booked it, and nothing is reported', async () => {
    tested.takesBack(1, 1, 6000);
    await tested.readHour();
    const { connection } = await tested.context();
    const returned = { id: 'D1', returnId: rtrId(1), amount: centavos(6000), at: tested.world.clock.now };
    await tested.unchanged(async () => {
      expect(await keepUnsolicitedReturn(tested.world.deps.store, connection, e2e(1), returned)).toBe(false);
    });
    expect(unsolicited()).toEqual([]);
    expect(await tested.difference()).toBe(0);
  });

  it('a return of more than a refund left is not booked, and is kept as unsolicited', async () => {
    const id = await refund('60.00');
    await refundEnds(id, 'SETTLED');
    tested.bank.known.balance -= 6000;
    tested.takesBack(1, 1, 5000);
    await tested.readHour();
    expect(tested.calls.entries()).toEqual([]);
    expect(unsolicited()).toEqual([rtrId(1)]);
    expect(await tested.difference()).toBe(0);
    await tested.unchanged(tested.readHour);
  });

  it('a return of more than a refund left keeps an open dispute as it is, with its block', async () => {
    await refundEnds(await refund('60.00'), 'SETTLED');
    tested.claims(1, 1);
    await tested.readClaims();
    tested.takesBack(1, 1, 5000);
    tested.claims(1, 1, { status: 'ACCEPTED' });
    await tested.readHour();
    expect(tested.disputes()).toMatchObject([{ status: 'OPEN', amount: 4000, blockedAmount: 4000 }]);
    expect(unsolicited()).toEqual([rtrId(1)]);
  });

  it('a return of what a failed refund had reserved is counted once in the comparison of balances', async () => {
    const id = await refund();
    tested.takesBack(1, 1, 10_000);
    await tested.readHour();
    expect(await tested.difference()).toBe(0);
    await refundEnds(id, 'FAILED');
    await tested.readHour();
    await tested.readHour();
    expect(await tested.difference()).toBe(0);
  });

  it('a return that was kept as unsolicited is counted once when the bank names its claim later', async () => {
    const { known } = tested.bank;
    const pix = known.received.get(e2e(1))!;
    const returned = { returnId: rtrId(1), amount: centavos(10_000), at: tested.world.clock.now };
    known.received.set(e2e(1), { ...pix, returns: [returned] });
    known.balance -= 10_000;
    await tested.readHour();
    expect(unsolicited()).toEqual([rtrId(1)]);
    known.received.set(e2e(1), { ...pix, returns: [{ ...returned, claim: 'FRAUD' }] });
    await tested.readHour();
    await tested.readHour();
    expect(await tested.difference()).toBe(0);
  });

  it.each([true, false])(
    'a return without a claim and without a request opens no dispute (with an id: %s)',
    async (hasId) => {
      const pix = tested.bank.known.received.get(e2e(1))!;
      const returned = { returnId: rtrId(1), amount: centavos(3000), at: tested.world.clock.now };
      tested.bank.known.received.set(e2e(1), { ...pix, returns: [{ ...returned, ...(hasId && { id: 'D1' }) }] });
      await tested.readHour();
      expect(tested.disputes()).toEqual([]);
      expect(unsolicited()).toEqual([rtrId(1)]);
      expect(tested.calls.told()).toEqual([]);
    },
  );
});

describe('the order of a claim and its return', () => {
  const steps = {
    open: () => {
      tested.claims(1, 1);
      return tested.readClaims();
    },
    back: (amount: number) => {
      if (tested.bank.known.received.get(e2e(1))?.returns.length === 0) tested.takesBack(1, 1, amount);
      return tested.callsBack(1, 1);
    },
    accepted: () => {
      tested.claims(1, 1, { status: 'ACCEPTED' });
      return tested.readClaims();
    },
  };
  const orders = [
    ['open', 'back', 'accepted'],
    ['open', 'accepted', 'back'],
    ['back', 'open', 'accepted'],
    ['back', 'accepted'],
    ['accepted', 'back'],
  ] as const;

  it.each(
    [10_000, 3000].flatMap((amount) =>
      [1, 2].flatMap((times) => orders.map((order) => [order.join(', '), amount, times, order] as const)),
    ),
  )(
    'claim and return in the order %s, of %i and each %i times, take the money once and leave none blocked',
    async (_name, amount, times, order) => {
      for (const step of order) for (let time = 0; time < times; time += 1) await steps[step](amount);
      await tested.readHour();
      await tested.unchanged(tested.readHour);
      expect(tested.disputes().map(({ status, returnedAmount }) => [status, returnedAmount])).toEqual([
        ['ACCEPTED', amount],
      ]);
      const left = ((10_000 - amount) / 100).toFixed(2);
      expect(await tested.calls.balance()).toEqual([left, '0.00', '0.00']);
      expect(await tested.difference()).toBe(0);
    },
  );
});

describe('a claim of the second payment of a QR code', () => {
  it('a claim of the second payment disputes its credit, and leaves the pay-in as it is', async () => {
    const orderId = await tested.paid(5, 10_000);
    await tested.bank.hear(tested.bank.pays(6, orderId.replaceAll('-', ''), 10_000));
    tested.bank.known.balance += 10_000;
    tested.claims(6, 6);
    await tested.readClaims();
    expect(tested.disputes()).toMatchObject([{ endToEndId: e2e(6), status: 'OPEN', blockedAmount: 10_000 }]);
    expect(tested.disputes()[0]).not.toHaveProperty('orderId');
    tested.takesBack(6, 6, 10_000);
    await tested.callsBack(6, 6);
    await tested.readHour();
    expect(tested.disputes()).toMatchObject([{ endToEndId: e2e(6), status: 'ACCEPTED', returnedAmount: 10_000 }]);
    expect(await tested.difference()).toBe(0);
  });
});

describe('the list of claims among the lists of an hour', () => {
  const run = () => ({ ...tested.world.dueRun, store: tested.world.store, now: tested.world.deps.now });
  const reading = (more: Partial<BankReader>) => ({
    ...tested.bank.events,
    readerOf: async (...given: Parameters<typeof tested.bank.events.readerOf>) => ({
      ...(await tested.bank.events.readerOf(...given)),
      ...more,
    }),
  });
  const forbidden = () => Promise.reject(new BankUnavailable('Contract or scope does not allow the operation (403).'));

  it('the list of claims is read hourly and daily, a hundred days back', async () => {
    const asked: [string, string][] = [];
    const listClaims: BankReader['listClaims'] = (from, to) => {
      asked.push([from, to]);
      return Promise.resolve({ items: [], pages: 1 });
    };
    await workLists(run(), reading({ listClaims }), 'HOURLY');
    await workLists(run(), reading({ listClaims }), 'DAILY');
    expect(asked.length).toBeGreaterThanOrEqual(2);
    for (const [from, to] of asked)
      expect([from, to]).toEqual(['2025-10-07T15:01:00.000Z', '2026-01-15T15:01:00.000Z']);
  });

  it('a failing list of claims stops neither the other lists nor the comparison of balances', async () => {
    tested.bank.pays(2, undefined, 700);
    tested.bank.known.balance += 700 + 11;
    const { failed, pending } = await workLists(run(), reading({ listClaims: forbidden }), 'DAILY');
    expect(failed).toBeGreaterThan(0);
    expect(pending).toBe(0);
    expect(tested.world.items('CREDIT')).toHaveLength(1);
    expect(tested.lines).toContainEqual(
      expect.objectContaining({ message: 'Balance at the bank differs from the ledger entries' }),
    );
    expect((await readReading(tested.world.store, companyOne, 'DAILY'))?.completeAt).toBeDefined();
  });

  it('the list of claims is read again in the next hour after it failed', async () => {
    tested.claims(1, 1);
    await workLists(run(), reading({ listClaims: forbidden }), 'HOURLY');
    expect(tested.disputes()).toEqual([]);
    tested.passes(3600);
    await workLists(run(), tested.bank.events, 'HOURLY');
    expect(tested.disputes()).toMatchObject([{ status: 'OPEN' }]);
  });

  it('the list of claims is not read where the contract has no claims', async () => {
    tested.world.setCapabilities({ isPolled: true, balance: true, claims: false });
    const { capabilities } = tested.world.bank;
    Object.assign(tested.bank.events.bank, { capabilities });
    const listClaims = vi.fn(forbidden);
    for (const extent of ['HOURLY', 'DAILY'] as const)
      expect(await workLists(run(), reading({ listClaims }), extent)).toMatchObject({ failed: 0 });
    expect(listClaims).not.toHaveBeenCalled();
  });

  it('a page of claims is applied as far as it can be read, and what cannot is counted', async () => {
    await tested.paid(2, 5000);
    const listClaims: BankReader['listClaims'] = () =>
      Promise.resolve({ items: [tested.claimOf(1, 1), tested.claimOf(2, 2)], pages: 1, unreadable: 1 });
    expect(await workLists(run(), reading({ listClaims }), 'HOURLY')).toMatchObject({ failed: 1 });
    expect(tested.disputes()).toHaveLength(2);
  });

  it('the list of claims goes on after a claim that cannot be applied, and tries that again', async () => {
    await tested.paid(2, 5000);
    tested.claims(1, 1, { status: 'ACCEPTED' });
    tested.claims(2, 2);
    const readReceivedPix = () => Promise.reject(new BankUnavailable('The bank did not respond in time.'));
    await workLists(run(), reading({ readReceivedPix }), 'HOURLY');
    expect(tested.disputes()).toMatchObject([{ claimId: 'claim-2' }]);
    tested.takesBack(1, 1, 10_000);
    tested.passes(3600);
    await workLists(run(), tested.bank.events, 'HOURLY');
    expect(tested.disputes().map(({ status }) => status)).toEqual(['OPEN', 'ACCEPTED']);
  });
});
