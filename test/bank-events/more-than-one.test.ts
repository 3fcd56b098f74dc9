import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { returnUnmatched } from '#infra/operator/bank.ts';
import type { PaymentState } from '#shared/bank/ports/payouts.ts';
import type { ReturnedPayment } from '#shared/bank/ports/shapes.ts';
import { centavos } from '#shared/core/money.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import { listUnplaced } from '#shared/bank-events/unplaced-credits.ts';
import { workLists } from '#shared/bank-events/work-lists.ts';
import { applyChargeState } from '#shared/pay-ins/apply-state.ts';
import { endWaitingSubscription } from '#shared/subscriptions/first-charge.ts';
import { account, companyOne, payInBody, payoutBody } from '../support/bank-world.ts';
import { each } from '../support/each.ts';
import { collectErrors } from '../support/logged.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { fc } from '../support/properties.ts';
import { chave, connect, e2e, paidAt, rtrId } from './bank-events-world.ts';
import { connectedItems, onlyConnection } from '../support/connected-items.ts';

/** What a bank says as a list may have several items: none is lost, none counts twice, in any order. */

const payer = account.replace('a', 'b');
let world: PaymentWorld;
let bank: Awaited<ReturnType<typeof connect>>;
const begin = async (): Promise<void> => {
  world = await paymentWorld();
  world.setCapabilities({ isPolled: true });
  world.bank.payouts.send.submit = () =>
    Promise.resolve({ outcome: 'DONE', state: { status: 'ACCEPTED', returns: [] } });
  await world.openAccount(10_000_000, { id: payer });
  bank = await connect(world);
};
beforeEach(async () => {
  collectErrors();
  await begin();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const txidOf = (id: string): string => id.replaceAll('-', '');
const money = (value: string) => ({ amount: { currency: 'BRL', value } });
const create = async (operation: 'createPayIn' | 'createPayout', body: object): Promise<string> => {
  const response = await world[operation]({ companyId: companyOne, body, key: crypto.randomUUID() });
  expect(response.status, response.text).toBe(201);
  return (response.body as { id: string }).id;
};
const available = async (accountId: string): Promise<unknown> =>
  ((await world.getBalance({ companyId: companyOne, params: { accountId } })).body as { available: string }).available;
const booked = (kind: string) =>
  world
    .items('LEDGER_ENTRY')
    .filter((entry) => entry['kind'] === kind)
    .map((entry) => [entry['accountId'], entry['available']]);

const back = (number: number, amount: number): ReturnedPayment => ({
  ...{ returnId: rtrId(number), amount: centavos(amount), at: paidAt },
});
const paid = (...returns: readonly ReturnedPayment[]): PaymentState => ({ status: 'PAID', at: paidAt, returns });

describe('a paid payout that comes back in parts', () => {
  const reportState = async (reference: string, amount: number, state: PaymentState): Promise<void> => {
    bank.known.sent.set(reference, { reference, amount: centavos(amount), state });
    await bank.hear({ kind: 'PAYOUT', idEnvio: reference });
  };

  test('is credited each part once, in whatever order and however often the bank reports them', async () => {
    const reportedLists = fc.array(
      fc.subarray([back(1, 100), back(2, 250), back(3, 650)]).chain((some) => fc.constant(some)),
      {
        minLength: 1,
        maxLength: 4,
      },
    );
    await fc.assert(
      fc.asyncProperty(reportedLists, fc.boolean(), async (lists, isAtOnce) => {
        await begin();
        const reference = txidOf(await create('createPayout', payoutBody({ accountId: payer })));
        if (!isAtOnce) await reportState(reference, 1000, paid());
        for (const list of lists)
          for (const one of [list, list.toReversed()]) await reportState(reference, 1000, paid(...one));
        const all = [...new Set(lists.flat())].map(({ amount }) => [payer, amount]);
        expect(booked('PAYOUT_RETURNED_LATE').toSorted()).toEqual(all.toSorted());
      }),
      { numRuns: 20 },
    );
  });

  test('is credited all parts when its first event has them, or when a list of its bank has them', async () => {
    for (const way of ['events', 'lists'] as const) {
      await begin();
      const reference = txidOf(await create('createPayout', payoutBody({ accountId: payer })));
      const state = paid(back(1, 100), back(2, 250), back(3, 650));
      if (way === 'events') await reportState(reference, 1000, state);
      else {
        bank.known.sent.set(reference, { reference, amount: centavos(1000), state });
        const { now } = world.deps;
        const run = { store: world.store, now, remainingMs: () => Infinity, failed: () => undefined };
        await workLists(run, bank.events, 'DAILY');
      }
      expect(booked('PAYOUT_RETURNED_LATE'), way).toHaveLength(3);
      expect(await available(payer), way).toBe('100000.00');
    }
  });

  test('is credited every part of each payment when it is a batch', async () => {
    const id = await create('createPayout', payoutBody({ accountId: payer, ...money('40000.00') }));
    for (const sequence of each([3, 1, 2])) {
      const reference = txidOf(id.slice(0, -2) + sequence.toString(16).padStart(2, '0'));
      const amount = sequence === 3 ? 1_000_000 : 1_500_000;
      await reportState(reference, amount, paid(back(10 * sequence, 100), back(10 * sequence + 1, 200)));
    }
    expect(booked('PAYOUT_RETURNED_LATE')).toHaveLength(6);
    expect(await available(payer)).toBe('60009.00');
  });
});

describe('a payment that went back in parts', () => {
  test('is listed once for each part when no refund was requested', async () => {
    const id = await create('createPayIn', payInBody());
    await bank.hear(bank.pays(1, txidOf(id), 2500));
    const returns = [back(1, 500), back(2, 700), back(3, 1300)].map((one, place) => ({ ...one, id: `med${place}` }));
    for (const some of each([returns.slice(0, 2), returns.toReversed(), returns])) {
      bank.pays(1, txidOf(id), 2500, { returns: some });
      await bank.hear({ kind: 'RETURN', endToEndId: e2e(1), id: 'med1' });
    }
    const listed = world.items('FOREIGN_RETURN').map(({ returnId, amount }) => [returnId, amount]);
    expect(listed.toSorted()).toEqual(returns.map(({ returnId, amount }) => [returnId, amount]));
  });

  test.each([false, true])(
    'settles our refund and lists the other part as an unsolicited return (the refund is last: %s)',
    async (isLast) => {
      const id = await create('createPayIn', payInBody());
      await bank.hear(bank.pays(1, txidOf(id), 2500));
      world.bank.refunds.submit = () => Promise.resolve({ outcome: 'DONE', state: { status: 'PENDING' } });
      await world.refundPayIn({ companyId: companyOne, params: { id }, body: {}, key: 'r' });
      const refundId = world.items('REFUND')[0]?.['id'] as string;
      const returns = [
        { ...back(1, 2500), id: refundId },
        { ...back(2, 10), id: 'med1' },
      ];
      bank.pays(1, txidOf(id), 2500, { returns: isLast ? returns.toReversed() : returns });
      await bank.hear({ kind: 'RETURN', endToEndId: e2e(1), id: 'med1' });
      expect(world.items('REFUND')[0]?.['status']).toBe('SETTLED');
      expect(world.items('FOREIGN_RETURN')).toMatchObject([{ returnId: rtrId(2), amount: 10 }]);
    },
  );
});

test('a return with another amount than its refund does not hide the returns after it', async () => {
  const id = await create('createPayIn', payInBody());
  await bank.hear(bank.pays(1, txidOf(id), 2500));
  world.bank.refunds.submit = () => Promise.resolve({ outcome: 'DONE', state: { status: 'PENDING' } });
  await world.refundPayIn({ companyId: companyOne, params: { id }, body: {}, key: 'r' });
  const refundId = world.items('REFUND')[0]?.['id'] as string;
  const returns = [
    { ...back(1, 2499), id: refundId },
    { ...back(2, 10), id: 'med1' },
  ];
  bank.pays(1, txidOf(id), 2500, { returns });
  expect(await bank.hear({ kind: 'RETURN', endToEndId: e2e(1), id: 'med1' })).toBe('MOVED');
  expect(world.items('REFUND')[0]?.['status']).toBe('PENDING');
  expect(world.items('FOREIGN_RETURN')).toMatchObject([{ returnId: rtrId(2), amount: 10 }]);
});

test('the return of a credit stays PENDING when the bank reports another return than the operator requested', async () => {
  await bank.hear(bank.pays(1, undefined, 2500));
  await returnUnmatched(world.deps, { companyId: companyOne, endToEndId: e2e(1) });
  bank.pays(1, undefined, 2500, { returns: [{ ...back(1, 2500), id: 'med1' }] });
  expect(await bank.hear({ kind: 'RETURN', endToEndId: e2e(1), id: 'med1' })).toBe('MOVED');
  expect(world.items('CREDIT_RETURN')).toMatchObject([{ status: 'PENDING' }]);
  expect(world.items('FOREIGN_RETURN')).toMatchObject([{ returnId: rtrId(1), amount: 2500 }]);
});

describe('a charge with several payments', () => {
  const payment = (number: number, amount: number) => ({
    ...{ endToEndId: e2e(number), amount: centavos(amount), at: paidAt, returns: [] },
  });
  const payments = [payment(1, 100), payment(2, 2500), payment(3, 2500), payment(4, 300)];

  test.each([
    ['from old to new', payments],
    ['from new to old', payments.toReversed()],
    ['with the right one in the middle', [payments[3]!, payments[1]!, payments[0]!, payments[2]!]],
  ])(
    'is paid by the one of the right amount, and all others are credits, when they are listed %s',
    async (_name, list) => {
      const id = await create('createPayIn', payInBody());
      const context = { ...world.deps, companyId: companyOne, requestId: 'r', at: world.clock.now };
      for (const some of each([list.slice(0, 3), list, list]))
        await applyChargeState({ ...context, alsoEnds: endWaitingSubscription }, id, {
          status: 'PAID',
          payments: some,
        });
      expect(booked('PAY_IN')).toEqual([[account, 2500]]);
      expect(
        booked('UNMATCHED_CREDIT')
          .map(([, amount]) => amount)
          .toSorted(),
      ).toEqual([100, 2500, 300]);
      expect(await available(account)).toBe('54.00');
    },
  );
});

describe('several accounts of the company at one bank', () => {
  const keyOf = (accountId: string): string => (accountId === account ? chave : `${accountId}@empresa.example`);
  const connectAccounts = async (order: readonly string[]): Promise<void> => {
    const known = (await onlyConnection(world.store, companyOne))!;
    const atBank = { agencia: '0001', tipoConta: 'PAGAMENTO' } as const;
    const accounts = order.map((id, place) => [id, { ...atBank, chave: keyOf(id), conta: `${place}` }] as const);
    await world.store.write(connectedItems({ ...known, accounts: Object.fromEntries(accounts) }), crypto.randomUUID());
  };
  const third = account.replace('a', 'c');
  beforeEach(async () => {
    await world.openAccount(0, { id: third });
  });

  test('are credited by the key that the money came to', async () => {
    const orders = [
      [account, payer, third],
      [third, account, payer],
    ];
    let number = 0;
    for (const order of each(orders)) {
      await connectAccounts(order);
      for (const accountId of each(order)) {
        const events = bank.pays((number += 1), undefined, 100 + number, { chave: keyOf(accountId) });
        expect(await bank.hear(events)).toBe('MOVED');
        expect(booked('UNMATCHED_CREDIT').at(-1)).toEqual([accountId, 100 + number]);
      }
    }
  });

  test('get no credit from a payment without a key, but a single account does', async () => {
    const withoutKey = (number: number): BankEvent => {
      const events = bank.pays(number, undefined, 300);
      const { chave: _, ...pix } = bank.known.received.get(e2e(number))!;
      bank.known.received.set(e2e(number), pix);
      return events;
    };
    await connectAccounts([account, payer, third]);
    expect(await bank.hear(withoutKey(1))).toBe('MOVED');
    expect(booked('UNMATCHED_CREDIT')).toEqual([]);
    expect(await listUnplaced(world.store, companyOne)).toMatchObject([{ endToEndId: e2e(1), amount: 300 }]);
    await connectAccounts([third]);
    expect(await bank.hear(withoutKey(2))).toBe('MOVED');
    expect(booked('UNMATCHED_CREDIT')).toEqual([[third, 300]]);
  });

  test('are each credited with their own pay-ins', async () => {
    await connectAccounts([account, payer, third]);
    const payIns = await Promise.all(
      [account, third].map((accountId) => create('createPayIn', payInBody({ accountId }))),
    );
    for (const [place, accountId] of each([account, third].entries()))
      await bank.hear(bank.pays(20 + place, txidOf(payIns[place]!), 2500, { chave: keyOf(accountId) }));
    expect(booked('PAY_IN').toSorted()).toEqual([
      [account, 2500],
      [third, 2500],
    ]);
  });
});
