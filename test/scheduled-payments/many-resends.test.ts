import { afterEach, expect, test, vi } from 'vitest';
import { instantAt } from '#shared/core/brasilia-time.ts';
import { chargeInserts } from '#shared/scheduled-payments/store.ts';
import { BankUnavailable, responseTimeoutMs } from '#shared/bank/outcome.ts';
import { checkedRecurringCharges } from '#shared/bank/ports/recurring-charges.ts';
import { companyOne } from '#test/support/bank-world.ts';
import { aPayment, terms } from '#test/support/charges.ts';
import { paymentWorld } from '#test/support/payment-world.ts';
import { runCounted } from '#test/support/run-jobs.ts';

const day = '2026-01-20';
const owed = 300;
/** The whole time of a run, milliseconds, as its function has it. */
const runMs = 50_000;

afterEach(() => {
  vi.useRealTimers();
});

test('a bank that hangs holds up no resend: all that are owed are made, and as many handed over as there is time', async () => {
  const world = await paymentWorld();
  const since = instantAt(day, '20:50');
  for (let number = 0; number < owed; number += 1) {
    const id = `dddddddd-0000-4000-8000-${String(number).padStart(12, '0')}`;
    const debt = { status: 'CANCELED', scheduledRetry: { since, by: 'us' } } as const;
    const payment = aPayment({ ...debt, id, externalId: id, dueDate: day, settlementDate: day });
    for (const write of chargeInserts(companyOne, { payment, terms: terms({ firstAttemptId: id }) }))
      await world.store.writeOne(write);
  }
  world.clock.now = instantAt(day, '20:55');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const begun = Date.now();
  let handedOver = 0;
  const hang = () => {
    handedOver += 1;
    return new Promise((_answered, refuse) => {
      setTimeout(() => {
        refuse(new BankUnavailable('No response.'));
      }, responseTimeoutMs);
    });
  };
  const hanging = { submit: hang, find: hang };
  const recurringCharges = checkedRecurringCharges({ schedule: hanging, withdraw: hanging });
  const { deps, dueRun, clock } = world;
  const remainingMs = () => begun + runMs - Date.now();
  const banks = { ...world.simulated, recurringCharges };
  const run = runCounted({ ...deps, ...dueRun, bank: banks, remainingMs, now: () => clock.now }, [
    ['SETTLEMENT_RESEND'],
  ]);
  await vi.advanceTimersByTimeAsync(runMs);
  const { count, due } = await run;
  expect([count('PaymentsResent'), count('ResendsMissed')]).toEqual([owed, 0]);
  expect(due.SETTLEMENT_RESEND?.jobs).toHaveLength(owed);
  expect(handedOver).toBeGreaterThan(0);
});
