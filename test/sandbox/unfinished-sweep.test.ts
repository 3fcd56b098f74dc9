import { expect, test } from 'vitest';
import { plusDays } from '#shared/core/brasilia-time.ts';
import { runDueJobs } from '#shared/sandbox/advance-clock.ts';
import { clockWorld } from '../support/clock-world.ts';
import { paymentBody } from '../support/payment-world.ts';

test('a job whose time ends after its first page still counts as remaining', async () => {
  const world = await clockWorld({}, { frequencyType: 'WEEKLY', startDate: '2026-01-15' });
  for (let week = 1; week <= 120; week += 1)
    await world.scheduled(paymentBody({ dueDate: plusDays('2026-01-15', 7 * week) }));
  await world.forceSubscription(world.subscriptionId, 'CANCELED');
  const open = (): number => world.items('SCHEDULED_PAYMENT').filter(({ status }) => status === 'PENDING').length;
  expect(open()).toBe(70);
  const { deps, clock, companyId } = world;
  const never = { remainingMs: () => Infinity, mayGoOn: () => false };
  const context = { ...deps, bank: world.jobBank, companyId, requestId: 'r', ...never };
  const { jobs, remaining } = await runDueJobs({ ...context, realNow: () => clock.now }, clock.now);
  expect([jobs.map(({ kind }) => kind), remaining, open()]).toEqual([['PAYMENT_SWEEP'], 1, 20]);
});
