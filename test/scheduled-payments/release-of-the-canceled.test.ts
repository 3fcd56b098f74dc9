import { expect, test } from 'vitest';
import { instantAt } from '#shared/core/brasilia-time.ts';
import { applyRecurrenceState } from '#shared/subscriptions/apply-state.ts';
import { paymentBody, paymentWorld } from '../support/payment-world.ts';

test('a payment of a canceled subscription is canceled in the run in which its window opens, and no bank gets it', async () => {
  const world = await paymentWorld({ schedule: { minDaysAhead: 2, releaseDaysBefore: 10 } });
  const { deps, companyId, clock, subscriptionId } = world;
  const dueDates = ['2026-02-20', '2026-03-20', '2026-04-20'];
  for (const dueDate of dueDates) await world.scheduled(paymentBody({ dueDate }));
  const state = { history: [{ status: 'CANCELED', at: clock.now }] } as const;
  await applyRecurrenceState({ ...deps, at: clock.now, companyId, requestId: 'r' }, subscriptionId, state);
  let sent = 0;
  world.bank.recurringCharges.schedule.submit = () => ((sent += 1), Promise.resolve({ outcome: 'UNKNOWN' }));
  clock.now = instantAt('2026-04-10', '00:00');
  expect(await world.advance()).toMatchObject({ released: 0, canceled: dueDates.length });
  expect(sent).toBe(0);
});
