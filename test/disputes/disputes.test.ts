import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { decideDispute } from '#shared/bank-events/disputes.ts';
import { brl } from '#shared/contract/examples.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import { parseDispute } from '#shared/disputes/store.ts';
import { statusTransition } from '#shared/disputes/transition.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { DisputeNotification } from '#shared/webhooks/notification.ts';
import type { World } from '../support/bank-world.ts';
import { account, bankWorld, companyOne, noon } from '../support/bank-world.ts';
import { creditCalls } from '../support/credits.ts';
import { disputeCalls } from '../support/disputes.ts';
import { each } from '../support/each.ts';
import { collectLines } from '../support/logged.ts';

let world: World;
let calls: ReturnType<typeof disputeCalls>;
let credits: ReturnType<typeof creditCalls>;
beforeEach(async () => {
  world = bankWorld();
  calls = disputeCalls(world);
  credits = creditCalls(world);
  await world.openAccount(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});
const passes = (seconds: number): void => {
  world.clock.now = plusSeconds(world.clock.now, seconds);
};
/** A pay-in that was paid. */
const paid = async (value: string): Promise<string> => {
  const id = await credits.payIn({ amount: brl(value) });
  expect((await world.force(id, 'PAID')).status).toBe(200);
  passes(60);
  return id;
};
let keys = 0;
const spend = async (value: string): Promise<void> => {
  const body = {
    ...{ externalId: `spend-${(keys += 1)}`, accountId: account, paymentMethod: 'PIX', amount: brl(value) },
    ...{ description: 'Compra', paymentData: { pixKey: 'maria@example.com' } },
  };
  const response = await world.createPayout({ companyId: companyOne, key: `spend-${keys}`, body });
  expect(response.status, response.text).toBe(201);
  expect((await world.force((response.body as { id: string }).id, 'PAID')).status).toBe(200);
};

describe('a dispute', () => {
  it('a dispute blocks the payment, and its notification has what is blocked', async () => {
    const orderId = await paid('100.00');
    const id = await calls.opened(orderId);
    expect(await calls.balance()).toEqual(['0.00', '0.00', '100.00']);
    const record = await calls.record(id);
    expect(record).toMatchObject({
      ...{ id, accountId: account, orderId, kind: 'FRAUD', status: 'OPEN', defences: [] },
      ...{ amount: brl('100.00'), blockedAmount: brl('100.00'), returnedAmount: brl('0.00') },
      dueAt: plusSeconds(world.clock.now, 7 * 86_400),
    });
    expect(DisputeNotification.parse(world.notifications().at(-1))).toEqual({
      ...{ event: 'DISPUTE.OPENED', occurredAt: world.clock.now, data: record },
    });
    expect(calls.entries()).toEqual([['MED_BLOCKED', -10_000, 10_000]]);
  });

  it('a dispute that is rejected or canceled releases what was blocked', async () => {
    for (const status of each(['REJECTED', 'CANCELED'])) {
      const id = await calls.opened(await paid('100.00'));
      passes(60);
      await calls.moved(id, status);
      expect(await calls.record(id)).toMatchObject({ status, blockedAmount: brl('0.00'), returnedAmount: brl('0.00') });
      expect(calls.told().at(-1)).toBe(`DISPUTE.${status}`);
    }
    expect(await calls.balance()).toEqual(['200.00', '0.00', '0.00']);
  });

  it('a dispute that is accepted whole makes the pay-in REFUNDED, without a notification of the pay-in', async () => {
    const orderId = await paid('100.00');
    const id = await calls.opened(orderId);
    passes(60);
    await calls.moved(id, 'ACCEPTED');
    expect(await calls.balance()).toEqual(['0.00', '0.00', '0.00']);
    expect(await credits.payInRecord(orderId)).toMatchObject({ status: 'REFUNDED' });
    expect(world.notifications().map(({ event }) => event)).toEqual([
      ...['ORDER-PAYIN.PAID', 'DISPUTE.OPENED', 'DISPUTE.ACCEPTED'],
    ]);
  });

  it('a dispute that is accepted in part releases the rest, and the pay-in stays PAID with what went back', async () => {
    const orderId = await paid('100.00');
    const id = await calls.opened(orderId);
    passes(60);
    await calls.moved(id, 'ACCEPTED', '30.00');
    expect(await calls.balance()).toEqual(['70.00', '0.00', '0.00']);
    expect(await credits.payInRecord(orderId)).toMatchObject({ status: 'PAID', refundedAmount: brl('30.00') });
    expect(calls.entries().at(-1)).toEqual(['MED_RETURNED', 7000, -10_000]);
    const refund = await world.refundPayIn({ companyId: companyOne, key: 'r', params: { id: orderId }, body: {} });
    expect(refund.body).toMatchObject({ amount: brl('70.00') });
  });

  it('a dispute of money that was spent takes available below zero when it is accepted', async () => {
    const orderId = await paid('100.00');
    await spend('60.00');
    const id = await calls.opened(orderId);
    expect(await calls.balance()).toEqual(['0.00', '0.00', '40.00']);
    expect(await calls.record(id)).toMatchObject({ blockedAmount: brl('40.00') });
    passes(60);
    await calls.moved(id, 'ACCEPTED');
    expect(await calls.balance()).toEqual(['-60.00', '0.00', '0.00']);
  });

  it('blocks the rest as money comes in, the oldest dispute first', async () => {
    const [first, second] = [await paid('100.00'), await paid('50.00')];
    await spend('150.00');
    const older = await calls.opened(first);
    passes(1);
    const newer = await calls.opened(second);
    const blocked = async () => [
      (await calls.record(older)).blockedAmount.value,
      (await calls.record(newer)).blockedAmount.value,
    ];
    for (const [comes, expected] of each([
      ['30.00', ['30.00', '0.00']],
      ['80.00', ['100.00', '10.00']],
      ['70.00', ['100.00', '50.00']],
    ] as const)) {
      await credits.received(comes);
      passes(60);
      expect((await world.runDisputeJobs()).failed).toBe(0);
      expect(await blocked()).toEqual(expected);
    }
    expect(await calls.balance()).toEqual(['30.00', '0.00', '150.00']);
    passes(60);
    await world.runDisputeJobs();
    expect(world.items('MED_BLOCK')).toEqual([]);
    expect(world.items('SHORT_DISPUTE')).toEqual([]);
  });

  it('gives what it releases to the next that lacks money', async () => {
    const [first, second] = [await paid('100.00'), await paid('100.00')];
    await spend('100.00');
    const [older, newer] = [await calls.opened(first), await calls.opened(second)];
    expect(await calls.balance()).toEqual(['0.00', '0.00', '100.00']);
    passes(60);
    await calls.moved(older, 'REJECTED');
    expect((await calls.record(newer)).blockedAmount).toEqual(brl('100.00'));
  });

  it('refuses refunds while it is open', async () => {
    const orderId = await paid('100.00');
    const id = await calls.opened(orderId, '10.00');
    const ask = (key: string) => world.refundPayIn({ companyId: companyOne, key, params: { id: orderId }, body: {} });
    expect((await ask('a')).status).toBe(409);
    expect((await world.force(orderId, 'REFUNDED')).status).toBe(409);
    passes(60);
    await calls.moved(id, 'REJECTED');
    expect((await ask('b')).status).toBe(201);
  });

  it('lets the tool settle a refund that was asked for before, by its id alone', async () => {
    const orderId = await paid('100.00');
    const body = { amount: brl('40.00') };
    const asked = await world.refundPayIn({ companyId: companyOne, key: 'a', params: { id: orderId }, body });
    await calls.opened(orderId);
    expect((await world.force(orderId, 'REFUNDED')).status).toBe(409);
    expect(await calls.balance()).toEqual(['0.00', '40.00', '60.00']);
    expect((await world.force((asked.body as { refundId: string }).refundId, 'REFUNDED')).status).toBe(200);
    expect(await calls.balance()).toEqual(['0.00', '0.00', '60.00']);
  });

  it('is defended once, until it is due', async () => {
    const id = await calls.opened(await paid('100.00'));
    const first = await calls.defend(id, 'k');
    expect(first.status, first.text).toBe(201);
    expect((await calls.defend(id, 'k')).text).toBe(first.text);
    expect((await calls.defend(id, 'other')).status).toBe(409);
    expect(await calls.record(id)).toMatchObject({ status: 'DEFENDED', defences: [first.body] });
    const late = await calls.opened(await paid('10.00'));
    passes(7 * 86_400);
    expect((await calls.defend(late, 'late')).body).toMatchObject({ details: [{ issue: 'OUTSIDE_WINDOW' }] });
    expect(calls.told()).toEqual(['DISPUTE.OPENED', 'DISPUTE.DEFENDED', 'DISPUTE.OPENED']);
  });

  it('a dispute is notified as due soon 48 and 6 hours before, once each, while it is open', async () => {
    await calls.opened(await paid('100.00'));
    const opened = world.clock.now;
    const soon = () => calls.told().filter((event) => event === 'DISPUTE.DUE_SOON').length;
    for (const [hours, expected] of each([
      [5 * 24 - 1, 0],
      [5 * 24, 1],
      [5 * 24 + 1, 1],
      [7 * 24 - 6, 2],
      [7 * 24, 2],
      [9 * 24, 2],
    ] as const)) {
      world.clock.now = plusSeconds(opened, hours * 3600);
      await world.runDisputeJobs();
      await world.runDisputeJobs();
      expect(soon(), `${hours} hours later`).toBe(expected);
    }
    expect(world.items('DISPUTE_REMINDER')).toEqual([]);
  });

  it('a dispute refuses a decision, and stays as it is, when more went back than is left of its payment', async () => {
    const id = await calls.opened(await paid('100.00'), '60.00');
    const taken = { outcome: 'ACCEPTED', amount: centavos(10_001), isTaken: true } as const;
    const before = world.items();
    await expect(decideDispute(credits.context(), id, taken)).rejects.toMatchObject({
      ...{ kind: 'state', message: 'Of the payment 100.00 is left.' },
      details: [{ field: 'amount', issue: 'LIMIT_EXCEEDED' }],
    });
    expect(world.items()).toEqual(before);
    await decideDispute(credits.context(), id, { ...taken, amount: centavos(10_000) });
    expect(await calls.record(id)).toMatchObject({ status: 'ACCEPTED', returnedAmount: brl('100.00') });
  });

  it('a dispute keeps its payment from a refund and a second dispute also when the bank says that it is DEFENDED', async () => {
    const orderId = await paid('100.00');
    await calls.moved(await calls.opened(orderId), 'DEFENDED');
    expect(
      (await world.refundPayIn({ companyId: companyOne, key: 'r', params: { id: orderId }, body: {} })).status,
    ).toBe(409);
    expect((await calls.ask({ orderId, status: 'OPEN' })).status).toBe(409);
    expect(await calls.balance()).toEqual(['0.00', '0.00', '100.00']);
  });

  it('a dispute is what its notifications are about, and is opened once', async () => {
    const id = await calls.opened(await paid('100.00'));
    const [told] = world
      .items('DELIVERY')
      .map(parseDelivery)
      .filter(({ event }) => event === 'DISPUTE.OPENED');
    expect(told).toMatchObject({ resource: { type: 'DISPUTE', id }, target: { type: 'DISPUTE' } });
    const [dispute] = world.items('DISPUTE').map(parseDispute);
    const found = { dispute: dispute!, defences: [] };
    expect(() => statusTransition(credits.context(), found, found, [])).toThrow('A dispute is opened once.');
  });

  it('a dispute is counted with its payment when it opens and when it ends, each time once', async () => {
    const orderId = await paid('100.00');
    const lines = collectLines((line) => line['StatusReached'] !== undefined);
    const id = await calls.opened(orderId);
    await calls.moved(id, 'DEFENDED');
    await calls.moved(id, 'ACCEPTED');
    expect(lines.map(({ resource, status }) => `${String(resource)} ${String(status)}`)).toEqual([
      ...['DISPUTE OPEN', 'DISPUTE DEFENDED', 'DISPUTE ACCEPTED', 'PAY_IN REFUNDED'],
    ]);
  });

  it('a dispute of a credit refuses the return and the assignment of the credit', async () => {
    const creditId = await credits.received('25.00');
    const id = ((await calls.ask({ creditId, status: 'OPEN' })).body as { id: string }).id;
    expect((await credits.giveBack(creditId, 'r')).status).toBe(409);
    passes(60);
    await calls.moved(id, 'ACCEPTED');
    expect(await credits.record(creditId)).toMatchObject({ status: 'RETURNED', returnedAmount: brl('25.00') });
    expect(await calls.balance()).toEqual(['0.00', '0.00', '0.00']);
  });
});

it('a dispute is another company’s secret', async () => {
  const id = await calls.opened(await paid('100.00'));
  const other = '22222222-2222-4222-8222-222222222222';
  expect((await world.getDispute({ companyId: other, params: { id } })).status).toBe(404);
  expect((await calls.ask({ id, status: 'REJECTED' }, other)).status).toBe(404);
  expect((await calls.defend(id, 'k', undefined, other)).status).toBe(404);
  expect(noon).toBeTruthy();
});
