import { beforeEach, describe, expect, test } from 'vitest';
import { allCapabilities } from '#shared/bank/capabilities.ts';
import type { Capabilities } from '#shared/bank/capabilities.ts';
import type { ChargeAttempt } from '#shared/bank/ports/recurring-charges.ts';
import { instantAt } from '#shared/core/brasilia-time.ts';
import { pollCharge } from '#shared/scheduled-payments/poll.ts';
import { dueEntry } from '#test/support/due.ts';
import { lostCommandsWorld } from '#test/support/lost-commands.ts';
import { paymentBody } from '#test/support/payment-world.ts';
import { runCounted } from '#test/support/run-jobs.ts';
import { refused } from '#test/support/refusals.ts';

const day = '2026-01-20';
const number = 'E6070119020260120120012345678901';

let world: Awaited<ReturnType<typeof lostCommandsWorld>>;
let asked: string[];
let attempts: readonly ChargeAttempt[];
const bankCan = (more: Partial<Capabilities>): void => {
  world.deps.bank.capabilities = () => Promise.resolve({ ...allCapabilities, ...more });
};
const buildAttempt = (...statuses: readonly ChargeAttempt['history'][number]['status'][]): ChargeAttempt => {
  const history = statuses.map((status) => ({ status, at: world.clock.now }));
  return { kind: 'FIRST_ATTEMPT', day, endToEndId: number, history };
};
beforeEach(async () => {
  world = await lostCommandsWorld();
  bankCan({ isPolled: true });
  world.bank.found = () => {
    asked.push(world.clock.now);
    return { outcome: 'DONE', state: { attempts } };
  };
  asked = [];
  attempts = [];
});
/** The worker that asks, at each of these hours of Brasilia of a day. */
const runAt = async (on: string, ...hours: readonly string[]): Promise<void> => {
  for (const hour of hours) {
    world.at(hour, on);
    await world.advance();
  }
};
const everyQuarter = Array.from({ length: 96 }, (_, quarter) => {
  const [hour, minute] = [Math.floor(quarter / 4), (quarter % 4) * 15];
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
});
const due = (id: string) =>
  world.items('SCHEDULED_PAYMENT').flatMap((item) => (item['id'] === id ? (dueEntry(item)?.kind ?? []) : []));

describe('a payment that the bank has', () => {
  test('is polled four times on its day, and on each day after', async () => {
    const { id } = await world.scheduled(paymentBody({ dueDate: day }));
    await runAt('2026-01-16', '10:00');
    asked = [];
    for (const on of ['2026-01-19', day, '2026-01-21']) await runAt(on, ...everyQuarter);
    const hours = ['08:30', '12:00', '18:30', '21:15'];
    expect(asked).toEqual([day, '2026-01-21'].flatMap((on) => hours.map((hour) => instantAt(on, hour))));
    expect((await world.payment(id)).status).toBe('PENDING');
  });

  test('stays PENDING until the bank reports it when its subscription is canceled after its day', async () => {
    const { id } = await world.scheduled(paymentBody({ dueDate: day }));
    await runAt('2026-01-16', '10:00');
    // Collected on its day, without an event of the bank.
    attempts = [buildAttempt('REQUESTED', 'SCHEDULED', 'PAID')];
    world.at('00:30', '2026-01-21');
    await world.forceSubscription(world.subscriptionId, 'CANCELED');
    expect((await world.payment(id)).status).toBe('PENDING');
    await runAt('2026-01-21', '08:30');
    expect((await world.payment(id)).status).toBe('COMPLETED');
  });

  test('gets the status that the bank reports, and is polled no more when it is COMPLETED', async () => {
    const { id } = await world.scheduled(paymentBody({ dueDate: day }));
    await runAt('2026-01-16', '10:00');
    attempts = [buildAttempt('REQUESTED', 'SCHEDULED')];
    await runAt(day, '08:30');
    expect((await world.payment(id)).status).toBe('ACCEPTED');
    expect(due(id)).toEqual(['CHARGE_POLL']);
    attempts = [buildAttempt('REQUESTED', 'SCHEDULED', 'PAID')];
    await runAt(day, '12:00');
    expect((await world.payment(id)).status).toBe('COMPLETED');
    expect(due(id)).toEqual([]);
  });

  test('is polled after its commands, also when it was accepted meanwhile', async () => {
    const { id } = await world.scheduled(paymentBody({ dueDate: day }));
    await world.forced(id, 'ACCEPTED');
    expect(due(id)).toEqual(['CHARGE_POLL']);
    await world.withdraw(id, 'k');
    expect(due(id)).toEqual(['CHARGE_COMMAND']);
    await runAt('2026-01-16', '10:00');
    expect(due(id)).toEqual(['CHARGE_POLL']);
  });

  test('is polled once by two concurrent runs, and again at its next time when the bank does not answer', async () => {
    await world.scheduled(paymentBody({ dueDate: day }));
    await runAt('2026-01-16', '10:00');
    asked = [];
    world.bank.found = () => {
      asked.push(world.clock.now);
      return { outcome: 'UNKNOWN' };
    };
    world.at('08:30');
    const run = () => runCounted({ ...world.deps, ...world.dueRun, now: () => world.clock.now }, [['CHARGE_POLL']]);
    const [one, other] = await Promise.all([run(), run()]);
    expect(asked).toEqual([instantAt(day, '08:30')]);
    expect(one.failed + other.failed).toBe(1);
    await runAt(day, '08:45', '12:00');
    expect(asked).toEqual([instantAt(day, '08:30'), instantAt(day, '12:00')]);
  });

  test('is not polled while a command of it is due, even when the index still shows its poll', async () => {
    const { id } = await world.lose.resend('11:50');
    expect(due(id)).toEqual(['CHARGE_COMMAND']);
    asked = [];
    world.at('18:45');
    const { deps } = world;
    const context = { ...deps, companyId: world.companyId, requestId: 'r', now: () => world.clock.now };
    expect(await pollCharge({ ...context, realNow: () => world.clock.now }, id)).toBe('ANSWERED');
    expect([asked, due(id)]).toEqual([[], ['CHARGE_COMMAND']]);
  });

  test('is never polled when the bank reports every change itself', async () => {
    bankCan({});
    const { id } = await world.scheduled(paymentBody({ dueDate: day }));
    await runAt('2026-01-16', '10:00');
    expect(due(id)).toEqual([]);
    expect(world.items('SCHEDULED_PAYMENT')[0]).not.toHaveProperty('pollAt');
  });
});

describe('a resend that the bank owes', () => {
  let id: string;
  beforeEach(async () => {
    bankCan({ isPolled: true, retryOwner: 'bank', settlementDriver: 'bank' });
    ({ id } = await world.scheduled(paymentBody({ dueDate: day })));
    await runAt('2026-01-16', '10:00');
    world.at('08:00');
    attempts = [{ ...buildAttempt('REQUESTED', 'CANCELED'), code: 'FAIL' }];
    await runAt(day, '08:30');
    expect((await world.payment(id)).status).toBe('CANCELED');
  });
  const others = async () => (await world.all()).filter((one) => one.id !== id);

  test('is found by the polls of its day, and is polled itself from then on', async () => {
    await runAt(day, '12:00');
    expect(await others()).toEqual([]);
    const resend = { kind: 'RESEND_DUE_TO_SETTLEMENT_ERROR', endToEndId: number.replace(/.$/u, '2') } as const;
    world.at('17:00');
    attempts = [...attempts, { ...buildAttempt('REQUESTED'), ...resend }];
    await runAt(day, '18:30');
    const [payment] = await others();
    expect(payment).toMatchObject({ status: 'PENDING', endToEndId: resend.endToEndId, settlementErrorRetryAttempt: 1 });
    expect(due(id)).toEqual([]);
    attempts = [attempts[0]!, { ...buildAttempt('REQUESTED', 'SCHEDULED', 'PAID'), ...resend }];
    await runAt(day, '21:15');
    expect(await others()).toMatchObject([{ status: 'COMPLETED' }]);
  });

  test('is missed when the last poll of the day does not find it, and its cycle is free again', async () => {
    await runAt(day, '12:00', '18:30', '21:00');
    refused(await world.schedule(paymentBody({ dueDate: '2026-01-25' })), 409, undefined, 'not before');
    world.at('21:15');
    expect(await world.advance()).toMatchObject({ missed: 1 });
    expect(due(id)).toEqual([]);
    expect((await world.schedule(paymentBody({ dueDate: '2026-01-25' }))).status).toBe(201);
  });
});
