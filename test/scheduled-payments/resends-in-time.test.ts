import { beforeEach, describe, expect, test } from 'vitest';
import { instantAt } from '#shared/core/brasilia-time.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentBody, paymentWorld } from '../support/payment-world.ts';

/** A resend has until 21:00 of its day: the run that makes it hands it to the bank. */

const day = '2026-01-20';
let world: PaymentWorld;
let submitted: { readonly number: string; readonly at: string }[];
beforeEach(async () => {
  world = await paymentWorld();
  submitted = [];
  const { submit } = world.simulated.recurringCharges.schedule;
  world.bank.recurringCharges.schedule.submit = (order, context) => {
    if (order.kind === 'RESEND_DUE_TO_SETTLEMENT_ERROR')
      submitted.push({ number: order.endToEndId ?? '', at: world.clock.now });
    return submit(order, context);
  };
});

/** So many payments of subscriptions of their own, each canceled by a settlement error at this hour. */
async function failedAt(hour: string, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let place = 0; place < count; place += 1) {
    const { id } = await world.scheduled(paymentBody({ dueDate: day }), await world.accepted({}));
    await world.forced(id, 'ACCEPTED');
    ids.push(id);
  }
  world.clock.now = instantAt(day, hour);
  for (const id of ids) await world.forced(id, 'CANCELED_SETTLEMENT_ERROR');
  return ids;
}

const resends = () =>
  world.items('SCHEDULED_PAYMENT').filter(({ purpose }) => purpose === 'RESEND_DUE_TO_SETTLEMENT_ERROR');

describe('the run after a settlement error', () => {
  const rows = ['00:00', '12:00', '20:57', '20:58'].flatMap((hour) => [1, 2, 5].map((count) => [hour, count] as const));
  test.each(rows)('at %s submits all its %i resends in the same run', async (hour, count) => {
    await failedAt(hour, count);
    const now = instantAt(day, hour).replace(':00.000Z', ':59.000Z');
    world.clock.now = now;
    expect(await world.resend()).toMatchObject({ resent: count, missed: 0 });
    expect(resends()).toHaveLength(count);
    expect(submitted.map(({ at }) => at)).toEqual(Array.from({ length: count }, () => now));
    expect(new Set(submitted.map(({ number }) => number))).toEqual(
      new Set(resends().map(({ endToEndId }) => endToEndId)),
    );
  });

  test('at 20:59 still submits it, and at 21:00 makes none', async () => {
    await failedAt('20:58', 1);
    world.clock.now = instantAt(day, '20:59');
    expect(await world.resend()).toMatchObject({ resent: 1 });
    expect(submitted).toHaveLength(1);
    const [first] = resends();
    await world.forced(first?.['id'] as string, 'ACCEPTED', 'CANCELED_SETTLEMENT_ERROR');
    world.clock.now = instantAt(day, '21:00');
    expect(await world.resend()).toMatchObject({ resent: 0, missed: 1 });
    expect([resends().length, submitted.length]).toEqual([1, 1]);
  });

  test('submits none twice when it is repeated', async () => {
    await failedAt('12:00', 3);
    for (let times = 0; times < 3; times += 1) {
      await world.resend();
      await world.advance();
    }
    expect(submitted).toHaveLength(3);
  });
});
