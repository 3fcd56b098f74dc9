import { beforeEach, describe, expect, test } from 'vitest';
import { instantAt } from '#shared/core/brasilia-time.ts';
import type { PaymentRecord, PaymentWorld } from '#test/support/payment-world.ts';
import { paymentBody, paymentWorld } from '#test/support/payment-world.ts';
import { faultsOf, refused } from '#test/support/refusals.ts';

/** Monthly from 15 January; the charge of 20 January found no money, and it is the evening after. */
let world: PaymentWorld;
let first: PaymentRecord;
beforeEach(async () => {
  world = await paymentWorld({}, { allowChargeAfterDueDate: true });
  first = await world.scheduled(paymentBody({ dueDate: '2026-01-20' }));
  await world.forced(first.id, 'ACCEPTED');
  world.clock.now = instantAt('2026-01-20', '21:30');
});
const unpaid = () => world.forced(first.id, 'CANCELED_INSUFFICIENT_BALANCE');
const asked = (more: object = {}) =>
  paymentBody({
    dueDate: '2026-01-22',
    purpose: 'NEW_ATTEMPT_AFTER_DUE_DATE',
    originalScheduledPaymentId: first.id,
    ...more,
  });
const again = (more: object = {}, subscriptionId?: string) => world.schedule(asked(more), subscriptionId);

describe('a new attempt', () => {
  test('charges the same amount on a later day, and names the first', async () => {
    await unpaid();
    const { id } = await world.scheduled(asked({ amount: undefined }));
    expect(await world.payment(id)).toMatchObject({
      status: 'PENDING',
      purpose: 'NEW_ATTEMPT_AFTER_DUE_DATE',
      originalScheduledPaymentId: first.id,
      amount: first.amount,
      dueDate: '2026-01-22',
    });
    await world.forced(id, 'ACCEPTED', 'COMPLETED');
    expect(world.items('PAY_IN')).toMatchObject([{ amount: 4990 }]);
    refused(await again({ dueDate: '2026-01-23' }), 409, ['originalScheduledPaymentId:TRANSITION_NOT_ALLOWED']);
  });

  test('is made one at a time, on different days, three times', async () => {
    await unpaid();
    for (const dueDate of ['2026-01-22', '2026-01-23', '2026-01-24']) {
      const { id } = await world.scheduled(asked({ dueDate }));
      refused(await again({ dueDate: '2026-01-25' }), 409, ['originalScheduledPaymentId:TRANSITION_NOT_ALLOWED']);
      await world.forced(id, 'ACCEPTED', 'CANCELED_INSUFFICIENT_BALANCE');
      if (dueDate < '2026-01-24') refused(await again({ dueDate }), 400, ['dueDate:OUT_OF_RANGE']);
    }
    refused(await again({ dueDate: '2026-01-25' }), 409, ['originalScheduledPaymentId:LIMIT_EXCEEDED']);
  });

  test('is one of many that are made at once', async () => {
    await unpaid();
    const days = ['2026-01-21', '2026-01-22', '2026-01-23', '2026-01-24', '2026-01-25'];
    const responses = await Promise.all(days.map((dueDate) => world.schedule(asked({ dueDate }))));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
  });

  test('follows an error too, and then shuts out another first attempt', async () => {
    await world.forced(first.id, 'ERROR');
    await world.scheduled(asked());
    const again = await world.schedule(paymentBody({ dueDate: '2026-01-25' }));
    refused(again, 409, ['dueDate:ALREADY_EXISTS']);
  });

  test('does not follow an error after which another first attempt was made', async () => {
    await world.forced(first.id, 'ERROR');
    await world.scheduled(paymentBody({ dueDate: '2026-01-25' }));
    refused(await again(), 409, ['originalScheduledPaymentId:TRANSITION_NOT_ALLOWED']);
  });

  test.each(['CANCELED', 'COMPLETED'])('is refused when its first attempt is %s or still open', async (status) => {
    refused(await again(), 409, ['originalScheduledPaymentId:TRANSITION_NOT_ALLOWED']);
    await world.forced(first.id, status);
    refused(await again(), 409, ['originalScheduledPaymentId:TRANSITION_NOT_ALLOWED']);
  });

  test('follows a chain of resends whose end found no money', async () => {
    world.clock.now = instantAt('2026-01-20', '10:00');
    await world.forced(first.id, 'CANCELED_SETTLEMENT_ERROR');
    await world.resend();
    const resend = (await world.all()).find(({ purpose }) => purpose === 'RESEND_DUE_TO_SETTLEMENT_ERROR');
    await world.forced(resend?.id ?? '', 'ACCEPTED', 'CANCELED_INSUFFICIENT_BALANCE');
    expect((await world.schedule(asked())).status).toBe(201);
  });

  test('has its own chain of resends, whose root it is', async () => {
    await unpaid();
    const { id } = await world.scheduled(asked());
    world.clock.now = instantAt('2026-01-22', '08:00');
    await world.forced(id, 'CANCELED_SETTLEMENT_ERROR');
    await world.resend();
    const resend = (await world.all()).find(({ purpose }) => purpose === 'RESEND_DUE_TO_SETTLEMENT_ERROR');
    expect(resend).toMatchObject({ originalScheduledPaymentId: id, settlementErrorRetryRootId: id });
    await world.forced(resend?.id ?? '', 'ERROR');
    refused(await world.schedule(paymentBody({ dueDate: '2026-01-25' })), 409);
    expect((await world.schedule(asked({ dueDate: '2026-01-23' }))).status).toBe(201);
  });
});

describe('a new attempt is refused', () => {
  test.each([
    ['for today', { dueDate: '2026-01-20' }, ['dueDate:OUT_OF_RANGE']],
    ['for the eighth day after the due date', { dueDate: '2026-01-28' }, ['dueDate:OUT_OF_RANGE']],
    ['of another amount', { amount: { currency: 'BRL', value: 1 } }, ['amount.value:INVALID_VALUE']],
    [
      'without the id of the first attempt',
      { originalScheduledPaymentId: undefined },
      ['originalScheduledPaymentId:REQUIRED'],
    ],
    ['with the purpose of a first attempt', { purpose: 'FIRST_ATTEMPT' }, ['originalScheduledPaymentId:INVALID_VALUE']],
    [
      'with the purpose of a resend',
      { purpose: 'RESEND_DUE_TO_SETTLEMENT_ERROR' },
      ['purpose:INVALID_VALUE', 'originalScheduledPaymentId:INVALID_VALUE'],
    ],
  ])('%s', async (_name, more, expected) => {
    await unpaid();
    expect(faultsOf(refused(await again(more), 400)).toSorted()).toEqual(expected.toSorted());
  });

  test('when it names an unknown payment, one of another subscription, or one that is no first attempt', async () => {
    await unpaid();
    refused(await again({ originalScheduledPaymentId: world.ids.uuid() }), 404, []);
    const other = await world.accepted({ allowChargeAfterDueDate: true, startDate: '2026-01-20' });
    refused(await again({}, other), 404, []);
    const { id } = await world.scheduled(asked());
    refused(await again({ originalScheduledPaymentId: id }), 400, ['originalScheduledPaymentId:INVALID_VALUE']);
  });

  test('when it names a resend and not the first attempt of the charge', async () => {
    world.clock.now = instantAt('2026-01-20', '10:00');
    await world.forced(first.id, 'CANCELED_SETTLEMENT_ERROR');
    await world.resend();
    const resend = (await world.all()).find(({ purpose }) => purpose === 'RESEND_DUE_TO_SETTLEMENT_ERROR');
    await world.forced(resend?.id ?? '', 'ACCEPTED', 'CANCELED_INSUFFICIENT_BALANCE');
    const named = await again({ originalScheduledPaymentId: resend?.id });
    refused(named, 400, ['originalScheduledPaymentId:INVALID_VALUE']);
  });

  test('where the subscription allows none', async () => {
    const strict = await world.accepted({ startDate: '2026-01-20' });
    world.clock.now = instantAt('2026-01-20', '10:00');
    const { id } = await world.scheduled(paymentBody({ dueDate: '2026-01-20' }), strict);
    await world.forced(id, 'ACCEPTED', 'CANCELED_INSUFFICIENT_BALANCE');
    refused(await again({ originalScheduledPaymentId: id }, strict), 409, ['purpose:TRANSITION_NOT_ALLOWED']);
  });

  test('when the next cycle of a weekly recurrence has begun: it leaves six days', async () => {
    const weekly = await world.accepted({
      allowChargeAfterDueDate: true,
      frequencyType: 'WEEKLY',
      startDate: '2026-01-21',
    });
    const { id } = await world.scheduled(paymentBody({ dueDate: '2026-01-21' }), weekly);
    await world.forced(id, 'ACCEPTED', 'CANCELED_INSUFFICIENT_BALANCE');
    const named = { originalScheduledPaymentId: id };
    refused(await again({ ...named, dueDate: '2026-01-28' }, weekly), 400, ['dueDate:OUT_OF_RANGE']);
    expect((await world.schedule(asked({ ...named, dueDate: '2026-01-27' }), weekly)).status).toBe(201);
  });
});
