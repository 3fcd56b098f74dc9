import { beforeEach, describe, expect, test } from 'vitest';
import { instantAt, plusDays } from '#shared/core/brasilia-time.ts';
import { testClient } from '#test/support/api.ts';
import { holder } from '#test/support/bank-world.ts';
import type { PaymentRecord, PaymentWorld } from '#test/support/payment-world.ts';
import { paymentBody, paymentWorld } from '#test/support/payment-world.ts';
import { refused } from '#test/support/refusals.ts';

let world: PaymentWorld;
let payment: PaymentRecord;
beforeEach(async () => {
  world = await paymentWorld();
  payment = await world.scheduled(paymentBody({ dueDate: '2026-01-20' }));
});
const read = () => world.payment(payment.id);

describe('a request to cancel', () => {
  test('is PENDING until the bank answers it, and sends CANCELLATION.PENDING', async () => {
    world.clock.now = '2026-01-16T12:00:00.000Z';
    const response = await world.withdraw(payment.id, 'k', { reason: 'ACCOUNT_BLOCKED' });
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      id: expect.any(String) as string,
      status: 'PENDING',
      endToEndId: payment.endToEndId,
      reason: 'ACCOUNT_BLOCKED',
      canceledAt: world.clock.now,
      customer: { document: holder.document },
    });
    const record = await read();
    const cancellation = { ...(response.body as object), createdBy: testClient };
    expect(record).toEqual({ ...payment, createdBy: testClient, cancellation });
    expect(world.notified().at(-1)?.data).toMatchObject({
      event: 'SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.PENDING',
      data: { id: payment.id, status: 'PENDING', updatedAt: payment.updatedAt, cancellation },
    });
  });

  test.each([
    ['CANCELED', 'CANCELED', 'ACCEPTED'],
    ['CANCELLATION_REJECTED', 'PENDING', 'REJECTED'],
  ])('is completed by %s: the payment is %s and the request is %s', async (tool, status, answered) => {
    const { id } = (await world.withdraw(payment.id, 'k')).body as { id: string };
    await world.forced(payment.id, tool);
    expect(await read()).toMatchObject({
      status,
      cancellation: { id, status: answered, reason: 'REQUESTED_BY_RECEIVER' },
    });
    expect(world.told(payment.id)).toEqual(['PENDING', 'CANCELLATION.PENDING', `CANCELLATION.${answered}`]);
  });

  test('is possible until 22:00 of the eve', async () => {
    world.clock.now = instantAt('2026-01-19', '22:00');
    const late = await world.withdraw(payment.id, 'late');
    refused(late, 409, ['paymentId:OUTSIDE_WINDOW']);
    world.clock.now = instantAt('2026-01-19', '21:59');
    expect((await world.withdraw(payment.id, 'in time')).status).toBe(201);
  });

  test('is one at a time, and another one follows a rejection', async () => {
    const first = await world.withdraw(payment.id, 'a');
    const second = await world.withdraw(payment.id, 'b');
    refused(second, 409, ['paymentId:TRANSITION_NOT_ALLOWED']);
    await world.forced(payment.id, 'CANCELLATION_REJECTED');
    expect((await world.withdraw(payment.id, 'b')).status).toBe(201);
    const replayed = await world.withdraw(payment.id, 'a');
    expect([replayed.status, replayed.text]).toEqual([201, first.text]);
    expect(replayed.headers['idempotent-replayed']).toBe('true');
  });

  test('is recorded once when it comes 20 times concurrently with one key', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => world.withdraw(payment.id, 'k')));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(world.told(payment.id)).toEqual(['PENDING', 'CANCELLATION.PENDING']);
  });

  test('is refused for a payment that is final, unknown or of another subscription', async () => {
    const other = await world.accepted({});
    refused(await world.withdraw(payment.id, 'k', {}, other), 404);
    refused(await world.withdraw(world.ids.uuid(), 'k'), 404);
    await world.forced(payment.id, 'REJECTED');
    const response = await world.withdraw(payment.id, 'k');
    refused(response, 409, ['status:TRANSITION_NOT_ALLOWED']);
  });

  test('cancels a payment in INITIAL immediately, without a command to the bank', async () => {
    const production = await paymentWorld({ schedule: { minDaysAhead: 2, releaseDaysBefore: 10 } });
    const calls: string[] = [];
    const { schedule, withdraw } = production.simulated.recurringCharges;
    production.bank.recurringCharges.schedule.submit = (...order) => (
      calls.push('schedule'),
      schedule.submit(...order)
    );
    production.bank.recurringCharges.withdraw.submit = (...order) => (
      calls.push('withdraw'),
      withdraw.submit(...order)
    );
    const held = await production.scheduled(paymentBody({ dueDate: '2026-02-20' }));
    const response = await production.withdraw(held.id, 'k');
    expect(response.body).toMatchObject({ status: 'ACCEPTED', reason: 'REQUESTED_BY_RECEIVER' });
    expect(await production.payment(held.id)).toMatchObject({ status: 'CANCELED', cancellation: response.body });
    expect(production.told(held.id)).toEqual(['CANCELLATION.ACCEPTED']);
    expect((await production.withdraw(held.id, 'k')).text).toBe(response.text);
    production.clock.now = '2026-03-01T12:00:00.000Z';
    expect(await production.advance()).toMatchObject({ released: 0 });
    expect(calls).toEqual([]);
    expect((await production.schedule(paymentBody({ dueDate: '2026-03-10' }))).status).toBe(201);
  });
});

test('a request that is open when the payment completes is rejected, with its event', async () => {
  await world.forced(payment.id, 'ACCEPTED');
  await world.withdraw(payment.id, 'k');
  await world.forced(payment.id, 'COMPLETED');
  expect(await read()).toMatchObject({ status: 'COMPLETED', cancellation: { status: 'REJECTED' } });
  expect(world.told(payment.id)).toEqual([
    'PENDING',
    'ACCEPTED',
    'CANCELLATION.PENDING',
    'COMPLETED',
    'CANCELLATION.REJECTED',
  ]);
});

test.each(['COMPLETED', 'ERROR', 'CANCELED_SETTLEMENT_ERROR'])(
  'two events of one %s have rising times, and the second time is that of the cancellation',
  async (move) => {
    await world.forced(payment.id, 'ACCEPTED');
    await world.withdraw(payment.id, 'k');
    await world.forced(payment.id, move);
    const notifications = world.notified().map(({ data }) => data as { occurredAt?: string });
    const [first, second] = notifications.filter(({ occurredAt }) => occurredAt !== undefined).slice(-2);
    expect(first?.occurredAt).toBe(world.clock.now);
    expect(Date.parse(second?.occurredAt ?? '')).toBe(Date.parse(world.clock.now) + 1);
    expect((await read()).cancellation?.canceledAt).toBe(second?.occurredAt);
  },
);

describe('a subscription that is canceled', () => {
  const dueDates = ['2026-01-20', '2026-02-20', '2026-03-20', '2026-04-20'];
  const statuses = async () =>
    (await world.all()).map(({ dueDate, status, cancellation }) => [dueDate, status, cancellation?.reason ?? '-']);

  test('cancels its open payments that do not settle today, each with its event, once', async () => {
    for (const dueDate of dueDates.slice(1)) await world.scheduled(paymentBody({ dueDate }));
    const [, , rejected, last] = await world.all();
    await world.forced(rejected?.id ?? '', 'REJECTED');
    world.clock.now = instantAt('2026-02-20', '12:00');
    await world.forceSubscription(world.subscriptionId, 'CANCELED');
    expect(await statuses()).toEqual([
      ['2026-01-20', 'CANCELED', 'AUTHORIZATION_CANCELED'],
      ['2026-02-20', 'PENDING', '-'],
      ['2026-03-20', 'REJECTED', '-'],
      ['2026-04-20', 'CANCELED', 'AUTHORIZATION_CANCELED'],
    ]);
    expect(world.told(last?.id ?? '')).toEqual(['PENDING', 'CANCELLATION.ACCEPTED']);
    expect(await world.advance()).toMatchObject({ canceled: 0 });
    expect(world.items('PAYMENT_SWEEP')).toEqual([]);
  });

  test.each(['20:59', '21:00', '23:59'])(
    'at %s of Brasilia keeps the payments of that settlement date, and cancels those of the next day',
    async (hour) => {
      const daily = await paymentWorld({}, { frequencyType: 'WEEKLY', startDate: '2026-01-21' });
      await daily.scheduled(paymentBody({ dueDate: '2026-01-28' }));
      await daily.scheduled(paymentBody({ dueDate: '2026-02-04' }));
      daily.clock.now = instantAt('2026-01-27', hour);
      await daily.forceSubscription(daily.subscriptionId, 'CANCELED');
      const open = (await daily.all()).filter(({ status }) => status === 'PENDING').map(({ dueDate }) => dueDate);
      expect(open).toEqual([]);
      const later = await paymentWorld({}, { frequencyType: 'WEEKLY', startDate: '2026-01-21' });
      await later.scheduled(paymentBody({ dueDate: '2026-01-28' }));
      later.clock.now = instantAt('2026-01-28', hour);
      await later.forceSubscription(later.subscriptionId, 'CANCELED');
      expect((await later.all()).map(({ dueDate, status }) => [dueDate, status])).toEqual([['2026-01-28', 'PENDING']]);
    },
  );

  test('leaves what settles on the day of the cancellation when the worker comes to it on the next day', async () => {
    const weekly = await paymentWorld({}, { frequencyType: 'WEEKLY', startDate: '2026-01-15' });
    const dayOf = (week: number) => plusDays('2026-01-15', 7 * week);
    for (let week = 1; week <= 53; week += 1) await weekly.scheduled(paymentBody({ dueDate: dayOf(week) }));
    weekly.clock.now = instantAt(dayOf(52), '23:59');
    await weekly.forceSubscription(weekly.subscriptionId, 'CANCELED');
    weekly.clock.now = instantAt(plusDays(dayOf(52), 1), '00:10');
    expect(await weekly.advance()).toMatchObject({ canceled: 2 });
    const open = (await weekly.all()).filter(({ status }) => status === 'PENDING').map(({ dueDate }) => dueDate);
    expect(open).toEqual([dayOf(52)]);
  });

  test('has the rest of its 120 payments canceled by the worker, each once, page by page', async () => {
    const weekly = await paymentWorld({}, { frequencyType: 'WEEKLY', startDate: '2026-01-15' });

    for (let week = 1; week <= 120; week += 1)
      await weekly.scheduled(paymentBody({ dueDate: plusDays('2026-01-15', 7 * week) }));
    await weekly.forceSubscription(weekly.subscriptionId, 'CANCELED');
    const open = () => weekly.items('SCHEDULED_PAYMENT').filter(({ status }) => status === 'PENDING').length;
    expect(open()).toBe(70);
    // The page that is done is remembered: the next run does not read it again.
    expect(weekly.items('PAYMENT_SWEEP')).toMatchObject([{ swept: { dueDate: plusDays('2026-01-15', 7 * 50) } }]);
    const [first, second] = await Promise.all([weekly.advance(), weekly.advance()]);
    expect(first.canceled + second.canceled).toBe(70);
    expect(open()).toBe(0);
    expect(weekly.items('PAYMENT_SWEEP')).toEqual([]);
    const accepted = weekly.notified().filter(({ event }) => event.endsWith('CANCELLATION.ACCEPTED'));
    expect(new Set(accepted.map(({ resource }) => (resource as { id: string }).id)).size).toBe(120);
    expect(accepted).toHaveLength(120);
  });
});
