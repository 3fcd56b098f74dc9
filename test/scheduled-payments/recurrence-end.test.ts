import { beforeEach, describe, expect, test } from 'vitest';
import { instantAt } from '#shared/core/brasilia-time.ts';
import { endRecurrence } from '#shared/scheduled-payments/recurrence-expiry.ts';
import type { ClockWorld } from '../support/clock-world.ts';
import { clockWorld } from '../support/clock-world.ts';
import { paymentBody } from '../support/payment-world.ts';
import { compositeBody, subscriptionBody } from '../support/subscription-world.ts';
import { refused } from '../support/refusals.ts';

/** A Saturday. */
const endDate = '2026-02-14';
let world: ClockWorld;
beforeEach(async () => {
  world = await clockWorld();
});

const opened = async (more: object = {}): Promise<string> =>
  (
    await world.created(
      subscriptionBody({ startDate: '2026-01-15', endDate, fixedAmount: { currency: 'BRL', value: '9.90' }, ...more }),
    )
  ).id;
const accepted = async (more: object = {}): Promise<string> => {
  const id = await opened(more);
  await world.forceSubscription(id, 'ACCEPTED');
  return id;
};
const shown = async (id: string) => (await world.get(id)).body as Readonly<Record<string, unknown>>;
const statusOf = async (id: string) => (await shown(id))['status'];
/** Midnight of a day. */
async function turnTo(day: string): Promise<void> {
  await world.turn({ now: instantAt(day, '00:00') });
}
const endsOn = async (id: string, last: string, day: string) => {
  await world.turn({ now: instantAt(last, '23:59') });
  expect(await statusOf(id)).toBe('ACCEPTED');
  await turnTo(day);
  expect(await statusOf(id)).toBe('CANCELED');
};
const scheduled = async (id: string, body: Readonly<Record<string, unknown>>): Promise<string> => {
  const response = await world.schedule(paymentBody(body), id);
  expect(response.status, response.text).toBe(201);
  return (response.body as { id: string }).id;
};

describe('a recurrence', () => {
  test('ends on the day after its endDate, with its event and no request', async () => {
    const id = await accepted();
    await endsOn(id, endDate, '2026-02-15');
    const { cancellations, statusHistory } = await shown(id);
    expect(cancellations).toEqual([]);
    expect(statusHistory).toMatchObject([
      {},
      {},
      { status: 'ACCEPTED' },
      { status: 'CANCELED', createdAt: '2026-02-15T03:00:00.000Z' },
    ]);
    expect(
      world
        .notified()
        .filter(({ resource }) => (resource as { id: string }).id === id)
        .map(({ event }) => event),
    ).toEqual(['SUBSCRIPTION.ACCEPTED', 'SUBSCRIPTION.CANCELED']);
    expect(world.items('RECURRENCE_END')).toEqual([]);
  });

  test('without an endDate goes on', async () => {
    const id = await accepted({ endDate: undefined });
    await turnTo('2036-01-15');
    expect(await statusOf(id)).toBe('ACCEPTED');
    expect(world.items('RECURRENCE_END')).toEqual([]);
  });

  test('is canceled on the day after its endDate when the payer never accepted it, and its first charge stays PENDING', async () => {
    const id = await opened({ allowChargeAfterDueDate: true });
    const today = await world.created(compositeBody({ endDate: '2026-01-15' }));
    await turnTo('2026-01-16');
    expect(await statusOf(today.id)).toBe('CANCELED');
    expect(world.items('PAY_IN')).toMatchObject([{ status: 'PENDING' }]);
    await world.turn({ now: instantAt(endDate, '23:59') });
    expect(await statusOf(id)).toBe('PENDING_AUTHORIZATION');
    await turnTo('2026-02-15');
    expect(await statusOf(id)).toBe('CANCELED');
    expect((await shown(id))['cancellations']).toEqual([]);
  });

  test.each([
    ['on its last day', endDate],
    ['before its last day, a Sunday', '2026-02-15'],
  ])(
    'is canceled after the settlement date of a payment that is due %s, and leaves the payment PENDING',
    async (_when, last) => {
      const id = await accepted({ allowAdjustToBusinessDay: true, endDate: last });
      const payment = await scheduled(id, { dueDate: endDate, amount: undefined });
      await endsOn(id, '2026-02-16', '2026-02-17');
      expect(world.items('SCHEDULED_PAYMENT').filter(({ id: one }) => one === payment)).toMatchObject([
        { status: 'PENDING' },
      ]);
      expect(world.items('PAYMENT_SWEEP')).toEqual([]);
    },
  );

  test('waits for an open payment that stands behind more ended ones than are read together', async () => {
    const id = await accepted({ allowAdjustToBusinessDay: true });
    for (let count = 0; count < 51; count += 1)
      await world.forced(await scheduled(id, { dueDate: '2026-02-13', amount: undefined }), 'REJECTED');
    await scheduled(id, { dueDate: endDate, amount: undefined });
    await endsOn(id, '2026-02-16', '2026-02-17');
  });

  test('waits for a resend that is still owed, however late it looks', async () => {
    const id = await accepted({ allowAdjustToBusinessDay: true });
    const payment = await scheduled(id, { dueDate: endDate, amount: undefined });
    await world.forced(payment, 'ACCEPTED');
    // The Monday on which it settles; nothing looked since the end on Saturday.
    world.clock.now = instantAt('2026-02-16', '10:00');
    await world.forced(payment, 'CANCELED_SETTLEMENT_ERROR');
    const context = { ...world.deps, companyId: world.companyId, requestId: 'r', now: () => world.clock.now };
    await endRecurrence(context, id);
    expect(await statusOf(id)).toBe('ACCEPTED');
    world.clock.now = instantAt('2026-02-17', '00:00');
    await endRecurrence(context, id);
    expect(await statusOf(id)).toBe('CANCELED');
  });

  test('does not wait for a payment that has ended', async () => {
    const id = await accepted({ allowAdjustToBusinessDay: true });
    const payment = await scheduled(id, { dueDate: endDate, amount: undefined });
    await world.forced(payment, 'REJECTED');
    await endsOn(id, endDate, '2026-02-15');
  });

  test('is canceled seven days later when it may be charged after the due date', async () => {
    const id = await accepted({ allowChargeAfterDueDate: true });
    await endsOn(id, '2026-02-21', '2026-02-22');
  });

  test('stays unchanged, and is no longer due, when it was canceled before its endDate', async () => {
    const id = await accepted();
    await world.forceSubscription(id, 'CANCELED');
    const before = await shown(id);
    await turnTo('2026-02-15');
    expect(await shown(id)).toEqual(before);
    expect(world.items('RECURRENCE_END')).toEqual([]);
  });

  test('answers an open request to cancel it', async () => {
    const id = await accepted();
    await world.cancel({
      companyId: world.companyId,
      params: { id },
      body: { reason: 'REQUESTED_BY_PAYER' },
      key: 'k',
    });
    await turnTo('2026-02-15');
    expect(await shown(id)).toMatchObject({ status: 'CANCELED', cancellations: [{ status: 'ACCEPTED' }] });
  });

  test('is not canceled by the service when it was created at a bank that ends recurrences itself', async () => {
    world.setCapabilities({ settlementDriver: 'bank', isPolled: true });
    const id = await opened();
    world.setCapabilities({});
    await world.forceSubscription(id, 'ACCEPTED');
    await turnTo('2026-03-15');
    expect(await statusOf(id)).toBe('ACCEPTED');
    expect(world.items('RECURRENCE_END')).toEqual([]);
  });
});

describe('a payment', () => {
  test('is 400 beyond the endDate, and 409 once the recurrence has ended', async () => {
    const id = await accepted();
    const beyond = () => world.schedule(paymentBody({ dueDate: '2026-02-15', amount: undefined }), id);
    refused(await beyond(), 400, ['dueDate:OUT_OF_RANGE']);
    await turnTo('2026-02-15');
    const late = await beyond();
    refused(late, 409, ['status:TRANSITION_NOT_ALLOWED']);
  });
});
