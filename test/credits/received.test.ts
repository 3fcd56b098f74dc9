import { beforeEach, describe, expect, test } from 'vitest';
import { brl } from '#shared/contract/examples.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { CreditNotification } from '#shared/webhooks/notification.ts';
import { chave, connect, e2e } from '../bank-events/bank-events-world.ts';
import type { World } from '../support/bank-world.ts';
import { account, bankWorld, companyOne, noon } from '../support/bank-world.ts';
import { connectionId } from '../support/connected-items.ts';
import { creditCalls, creditOf, payer } from '../support/credits.ts';

/** Money that no open charge expects is booked as a credit, once, whatever the bank says how often. */

let world: World;
let calls: ReturnType<typeof creditCalls>;
let payInId: string;
beforeEach(async () => {
  world = bankWorld();
  calls = creditCalls(world);
  await world.openAccount(0);
  payInId = await calls.payIn();
  world.clock.now = plusSeconds(noon, 60);
});

const cancel = () => world.cancelPayIn({ companyId: companyOne, params: { id: payInId } });
const cases: readonly (readonly [string, () => Promise<unknown>, number, string])[] = [
  ['a second payment of a paid pay-in', () => world.force(payInId, 'PAID'), 2500, 'SECOND_PAYMENT'],
  ['a second payment of another amount', () => world.force(payInId, 'PAID'), 2400, 'SECOND_PAYMENT'],
  ['another amount than that of a pending pay-in', () => Promise.resolve(), 2499, 'OTHER_AMOUNT'],
  ['a payment of a canceled pay-in', cancel, 2500, 'TOO_LATE'],
  ['a payment of an expired pay-in', () => world.force(payInId, 'EXPIRED'), 2500, 'TOO_LATE'],
  ['a payment of a pay-in that failed', () => world.force(payInId, 'ERROR'), 2500, 'TOO_LATE'],
];

describe.each(cases)('%s', (_what, begin, amount, reason) => {
  const value = (amount / 100).toFixed(2);
  const pix = { endToEndId: e2e(1), amount };
  let before: { readonly entries: number; readonly told: number; readonly record: object };
  beforeEach(async () => {
    await begin();
    const record = await calls.payInRecord(payInId);
    before = { entries: calls.entries().length, told: calls.told().length, record };
  });

  test('is an open credit with its reason, its order and its payer when the bank reports it', async () => {
    await calls.hear(payInId, pix);
    const { credit } = await creditOf(world.store, companyOne, pix.endToEndId);
    expect(await calls.record(credit.id)).toEqual({
      ...{ id: credit.id, accountId: account, endToEndId: pix.endToEndId, amount: brl(value), reason, payer },
      ...{ status: 'OPEN', orderId: payInId, receivedAt: world.clock.now, updatedAt: world.clock.now, returns: [] },
    });
    expect(await calls.payInRecord(payInId)).toEqual(before.record);
  });

  test('is in the account at once, by one entry that names the credit', async () => {
    await calls.hear(payInId, pix);
    const { credit } = await creditOf(world.store, companyOne, pix.endToEndId);
    expect(world.items('LEDGER_ENTRY').slice(before.entries)).toMatchObject([
      {
        ...{ kind: 'UNMATCHED_CREDIT', available: amount, reserved: 0, creditId: credit.id },
        ...{ endToEndId: pix.endToEndId, orderId: payInId, counterparty: { name: payer.name } },
      },
    ]);
  });

  test('is in the statement of the account with its credit, its order and its payer', async () => {
    await calls.hear(payInId, pix);
    const { credit } = await creditOf(world.store, companyOne, pix.endToEndId);
    const { body } = await world.listEntries({ companyId: companyOne, params: { accountId: account } });
    expect((body as { readonly data: readonly object[] }).data[0]).toMatchObject({
      ...{ type: 'UNMATCHED_CREDIT', available: value, creditId: credit.id, orderId: payInId },
      ...{ endToEndId: pix.endToEndId, counterparty: { name: payer.name } },
    });
  });

  test('a credit is notified as CREDIT.RECEIVED with its record, to the endpoint of credits', async () => {
    await calls.hear(payInId, pix);
    const { credit } = await creditOf(world.store, companyOne, pix.endToEndId);
    const { returns: _none, ...data } = await calls.record(credit.id);
    const told = world.notifications().slice(before.told);
    expect(told).toEqual([{ event: 'CREDIT.RECEIVED', occurredAt: world.clock.now, data }]);
    expect(CreditNotification.parse(told[0])).toEqual(told[0]);
    expect(world.items('DELIVERY').at(-1)).toMatchObject({
      ...{ event: 'CREDIT.RECEIVED', target: { type: 'CREDIT' }, resource: { type: 'CREDIT', id: credit.id } },
    });
  });

  test('a credit is booked and notified once when the bank reports it again, and many times at once', async () => {
    await Promise.all(Array.from({ length: 5 }, () => calls.hear(payInId, pix)));
    world.clock.now = plusSeconds(world.clock.now, 60);
    await calls.hear(payInId, pix);
    expect(world.items('CREDIT')).toHaveLength(1);
    expect(calls.entries().slice(before.entries)).toEqual([['UNMATCHED_CREDIT', amount, 0]]);
    expect(calls.told().slice(before.told)).toEqual(['CREDIT.RECEIVED']);
  });
});

test('the second of two payments that a pending charge shows at once is a credit, and the first pays', async () => {
  await calls.hear(payInId, { endToEndId: e2e(1), amount: 2500 }, { endToEndId: e2e(2), amount: 2500 });
  expect(await calls.payInRecord(payInId)).toMatchObject({ status: 'PAID', endToEndId: e2e(1) });
  expect((await creditOf(world.store, companyOne, e2e(2))).credit).toMatchObject({
    ...{ reason: 'SECOND_PAYMENT', orderId: payInId, status: 'OPEN' },
  });
  expect(calls.told().toSorted()).toEqual(['CREDIT.RECEIVED', 'ORDER-PAYIN.PAID']);
  expect(await calls.balance()).toEqual(['50.00', '0.00']);
});

test('each payment of another amount is a credit of its own, and the pay-in can still be paid', async () => {
  await calls.hear(payInId, { endToEndId: e2e(1), amount: 1000 });
  await calls.hear(payInId, { endToEndId: e2e(1), amount: 1000 }, { endToEndId: e2e(2), amount: 1000 });
  const all = [1, 2, 3].map((number) => ({ endToEndId: e2e(number), amount: number === 3 ? 2500 : 1000 }));
  await calls.hear(payInId, ...all);
  expect(await calls.payInRecord(payInId)).toMatchObject({ status: 'PAID', endToEndId: e2e(3) });
  expect(world.items('CREDIT').map(({ reason }) => reason)).toEqual(['OTHER_AMOUNT', 'OTHER_AMOUNT']);
  expect(await calls.balance()).toEqual(['45.00', '0.00']);
});

describe('a payment to the bare key', () => {
  let bank: Awaited<ReturnType<typeof connect>>;
  beforeEach(async () => {
    bank = await connect(world);
  });

  test('is a credit without order that keeps its connection, and names its payer if the bank does', async () => {
    const named = bank.pays(1, undefined, 700, { payer });
    const unnamed = bank.pays(2, undefined, 800);
    expect([await bank.hear(named), await bank.hear(named), await bank.hear(unnamed)]).toEqual([
      ...['MOVED', 'SAME', 'MOVED'],
    ]);
    const [first, second] = [
      await creditOf(world.store, companyOne, e2e(1)),
      await creditOf(world.store, companyOne, e2e(2)),
    ];
    expect(first.credit).toMatchObject({
      reason: 'NO_CHARGE',
      amount: 700,
      accountId: account,
      payer,
      connection: connectionId,
    });
    expect(await calls.record(first.credit.id), 'no partner sees connections').not.toHaveProperty('connection');
    for (const name of ['orderId', 'payer']) expect(await calls.record(second.credit.id)).not.toHaveProperty(name);
    const entries = world.items('LEDGER_ENTRY');
    expect(entries.map(({ kind, creditId }) => [kind, creditId])).toEqual([
      ['UNMATCHED_CREDIT', first.credit.id],
      ['UNMATCHED_CREDIT', second.credit.id],
    ]);
    expect(entries.map((entry) => 'counterparty' in entry)).toEqual([true, false]);
    expect(calls.told()).toEqual(['CREDIT.RECEIVED', 'CREDIT.RECEIVED']);
  });

  test('is a credit when its txid is of no charge of the company', async () => {
    await bank.hear(bank.pays(1, 'a'.repeat(32), 700, { chave }));
    expect((await creditOf(world.store, companyOne, e2e(1))).credit.reason).toBe('NO_CHARGE');
  });
});

describe('a payout to another account of the company', () => {
  const receiving = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
  let bank: Awaited<ReturnType<typeof connect>>;
  let payoutId: string;
  beforeEach(async () => {
    await world.openAccount(0, { id: receiving });
    await calls.received('100.00');
    world.bank.payouts.prepare = () => Promise.resolve({ endToEndId: e2e(1) });
    world.bank.payouts.send.submit = () =>
      Promise.resolve({ outcome: 'DONE', state: { status: 'ACCEPTED', returns: [] } });
    const body = {
      externalId: 'own',
      accountId: account,
      paymentMethod: 'PIX',
      amount: brl('7.00'),
      description: 'Own',
    };
    const response = await world.createPayout({
      ...{ companyId: companyOne, key: 'own', body: { ...body, paymentData: { pixKey: receiving } } },
    });
    payoutId = (response.body as { readonly id: string }).id;
    bank = await connect(world);
    bank.pays(1, undefined, 700);
  });
  const heard = () => bank.hear({ kind: 'PIX', endToEndId: e2e(1) });

  test('is no credit when the bank lists the money before it reports the payout as paid', async () => {
    expect(await heard()).toBe('SAME');
    await world.force(payoutId, 'PAID');
    expect(await heard()).toBe('SAME');
    expect(world.items('CREDIT'), 'that of the test').toHaveLength(1);
    expect(await calls.balance(receiving)).toEqual(['7.00', '0.00']);
    expect(calls.entries().filter(([kind]) => kind === 'PAYOUT_RECEIVED')).toHaveLength(1);
  });

  test('is a credit when the bank lists the money although it reported the payout as failed', async () => {
    await world.force(payoutId, 'ERROR');
    expect(await heard()).toBe('MOVED');
    expect(world.items('CREDIT').map(({ amount }) => amount)).toEqual([10_000, 700]);
  });
});
