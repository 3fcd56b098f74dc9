import { beforeEach, describe, expect, test } from 'vitest';
import { allCapabilities } from '#shared/bank/capabilities.ts';
import { instantAt } from '#shared/core/brasilia-time.ts';
import { retryCharge } from '#shared/scheduled-payments/retry.ts';
import { companyOne } from '#test/support/bank-world.ts';
import type { PaymentRecord, PaymentWorld } from '#test/support/payment-world.ts';
import { paymentBody, paymentWorld } from '#test/support/payment-world.ts';
import { refused } from '#test/support/refusals.ts';

const day = '2026-01-20';
let world: PaymentWorld;
let payment: PaymentRecord;
beforeEach(async () => {
  world = await paymentWorld();
  payment = await world.scheduled(paymentBody({ dueDate: day }));
  await world.forced(payment.id, 'ACCEPTED');
});
const at = (time: string, on = day) => {
  world.clock.now = instantAt(on, time);
};
const fail = (id: string) => world.forced(id, 'CANCELED_SETTLEMENT_ERROR');
const resends = async () => (await world.all()).filter(({ purpose }) => purpose === 'RESEND_DUE_TO_SETTLEMENT_ERROR');

describe('a settlement error on the day', () => {
  test('is followed by a resend with names of its own', async () => {
    at('10:00');
    await fail(payment.id);
    expect(await world.payment(payment.id)).toMatchObject({
      status: 'CANCELED',
      cancellation: { status: 'ACCEPTED', reason: 'SETTLEMENT_ERROR' },
    });
    at('10:01');
    expect(await world.resend()).toMatchObject({ resent: 1, missed: 0 });
    const [resend, ...others] = await resends();
    expect(others).toEqual([]);
    expect(resend).toEqual({
      id: expect.not.stringMatching(payment.id) as string,
      externalId: expect.not.stringMatching(payment.externalId) as string,
      subscriptionId: payment.subscriptionId,
      status: 'PENDING',
      statusHistory: ['INITIAL', 'PENDING'].map((status) => ({ status, createdAt: world.clock.now })),
      amount: payment.amount,
      dueDate: day,
      settlementDate: day,
      purpose: 'RESEND_DUE_TO_SETTLEMENT_ERROR',
      originalScheduledPaymentId: payment.id,
      settlementErrorRetryRootId: payment.id,
      settlementErrorRetryAttempt: 1,
      endToEndId: expect.not.stringMatching(payment.endToEndId ?? '') as string,
      createdAt: world.clock.now,
      updatedAt: world.clock.now,
    });
    expect(world.told(resend?.id ?? '')).toEqual(['PENDING']);
    expect(await world.resend()).toMatchObject({ resent: 0, missed: 0 });
  });

  test('is followed by three resends at most, each naming the one before and the root', async () => {
    at('09:00');
    let last = payment;
    for (const attempt of [1, 2, 3]) {
      await fail(last.id);
      expect(await world.resend()).toMatchObject({ resent: 1 });
      const next = (await resends()).find((one) => one.settlementErrorRetryAttempt === attempt);
      if (next === undefined) throw new Error(`No resend ${attempt}.`);
      expect(next).toMatchObject({ originalScheduledPaymentId: last.id, settlementErrorRetryRootId: payment.id });
      last = next;
    }
    await fail(last.id);
    expect(await world.resend()).toMatchObject({ resent: 0, missed: 0 });
    expect(await resends()).toHaveLength(3);
    expect(world.notified().at(-1)?.data).toMatchObject({
      data: {
        purpose: 'RESEND_DUE_TO_SETTLEMENT_ERROR',
        settlementErrorRetryRootId: payment.id,
        settlementErrorRetryAttempt: 3,
      },
    });
  });

  test('keeps the cycle for the chain, and gives it back when the chain has ended', async () => {
    at('10:00');
    const again = () => world.schedule(paymentBody({ dueDate: '2026-01-25' }));
    await fail(payment.id);
    refused(await again(), 409);
    await world.resend();
    refused(await again(), 409);
    const [resend] = await resends();
    await world.forced(resend?.id ?? '', 'REJECTED');
    expect((await again()).status).toBe(201);
  });

  test('is followed by one pay-in, which names the resend, when the resend settles', async () => {
    at('10:00');
    await fail(payment.id);
    await world.resend();
    const [resend] = await resends();
    await world.forced(resend?.id ?? '', 'ACCEPTED', 'COMPLETED');
    expect(world.items('PAY_IN')).toMatchObject([{ subscription: { scheduledPayment: { id: resend?.id } } }]);
  });
});

describe('a payment gets no resend', () => {
  test.each([
    ['on another day', '2026-01-19', '10:00'],
    ['after 21:00', day, '21:00'],
  ])('when its settlement error comes %s, is canceled, and frees its cycle', async (_name, on, time) => {
    at(time, on);
    await fail(payment.id);
    expect((await world.payment(payment.id)).status).toBe('CANCELED');
    at('10:00', day);
    expect(await world.resend()).toMatchObject({ resent: 0, missed: 0 });
    expect((await world.schedule(paymentBody({ dueDate: '2026-01-25' }))).status).toBe(201);
  });

  test('when the worker runs at 21:00, is counted as missed once, and frees its cycle', async () => {
    at('20:59');
    await fail(payment.id);
    at('21:00');
    expect(await world.advance()).toMatchObject({ missed: 1 });
    expect(await world.advance()).toMatchObject({ missed: 0 });
    at('00:00', '2026-01-21');
    expect(await world.resend()).toMatchObject({ resent: 0, missed: 0 });
    expect(await resends()).toEqual([]);
    expect((await world.schedule(paymentBody({ dueDate: '2026-01-25' }))).status).toBe(201);
  });

  test('from the worker of other due work before 21:00, only from the worker of resends', async () => {
    at('20:59');
    await fail(payment.id);
    expect(await world.advance()).toMatchObject({ missed: 0 });
    expect(await world.resend()).toMatchObject({ resent: 1 });
  });

  test('when a run that began before 21:00 reaches it after 21:00', async () => {
    at('20:59');
    await fail(payment.id);
    const slow: PaymentWorld['store'] = {
      ...world.store,
      read: async (keys) => {
        const items = await world.store.read(keys);
        at('21:00');
        return items;
      },
    };
    const context = { ...world.deps, store: slow, companyId: companyOne, requestId: 'r', ispb: '99999004' };
    expect(await retryCharge(context, payment.id)).toEqual({ outcome: 'MISSED' });
    expect(await resends()).toEqual([]);
  });
});

/** P14 */
test.each([2, 5, 20])('%i concurrent runs create one resend of each marker', async (runs) => {
  at('10:00');
  const others = await Promise.all(
    ['2026-01-20', '2026-01-20', '2026-01-20'].map(async (dueDate) => {
      const subscriptionId = await world.accepted({ startDate: day });
      const { id } = await world.scheduled(paymentBody({ dueDate }), subscriptionId);
      await world.forced(id, 'CANCELED_SETTLEMENT_ERROR');
      return subscriptionId;
    }),
  );
  await fail(payment.id);
  const counts = await Promise.all(Array.from({ length: runs }, () => world.resend()));
  expect(counts.reduce((sum, { resent }) => sum + resent, 0)).toBe(4);
  expect(await resends()).toHaveLength(1);
  for (const subscriptionId of others) expect(await world.all(subscriptionId)).toHaveLength(2);
});

describe('with a bank that resends by itself', () => {
  beforeEach(async () => {
    world.bank.capabilities = () =>
      Promise.resolve({ ...allCapabilities, retryOwner: 'bank', settlementDriver: 'tools' });
    at('10:00');
    await fail(payment.id);
  });
  const context = () => ({ ...world.deps, companyId: companyOne, requestId: 'r' });

  test('the service creates no resend of its own, and records the bank’s', async () => {
    expect(await world.resend()).toMatchObject({ resent: 0, missed: 0 });
    const endToEndId = 'E6070119020260120130012345678901';
    const byBank = { endToEndId, at: instantAt(day, '10:30') };
    const recorded = await retryCharge(context(), payment.id, byBank);
    expect(recorded.outcome).toBe('RETRIED');
    expect(await retryCharge(context(), payment.id, byBank)).toEqual({ outcome: 'NOTHING' });
    expect(await resends()).toMatchObject([{ endToEndId, settlementErrorRetryAttempt: 1, status: 'PENDING' }]);
    at('23:00');
    expect(await world.advance()).toMatchObject({ missed: 0, open: 0 });
  });

  test('a charge frees its cycle when the bank has not resent it by 21:00', async () => {
    at('21:00');
    expect(await world.advance()).toMatchObject({ missed: 1 });
    expect((await world.schedule(paymentBody({ dueDate: '2026-01-25' }))).status).toBe(201);
  });
});
