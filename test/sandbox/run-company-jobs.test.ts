import { beforeEach, expect, test } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { endpointFunction } from '#functions/workers.ts';
import { clockCallSeconds } from '#shared/sandbox/clock-store.ts';
import { companyOne, noon, payInBody } from '../support/bank-world.ts';
import type { ClockWorld } from '../support/clock-world.ts';
import { clockWorld } from '../support/clock-world.ts';
import { faultyStore } from '../support/faulty-store.ts';

let world: ClockWorld;
beforeEach(async () => {
  world = await clockWorld();
});
const payIns = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1)
    await world.createPayIn({ companyId: companyOne, body: payInBody({ expiresInSeconds: 60 + n }), key: `k-${n}` });
};
const expired = () => world.items('PAY_IN').filter(({ status }) => status === 'EXPIRED');

test('the worker of turned clocks expires a pay-in when it becomes due, with the time at which it was due', async () => {
  await world.turn({ advanceSeconds: 86_400 });
  await payIns(1);
  expect(await world.follow()).toEqual({ jobsRun: 0, failed: 0 });
  world.clock.real = plusSeconds(noon, 75);
  expect(await world.follow()).toEqual({ jobsRun: 1, failed: 0 });
  expect(expired()).toMatchObject([{ expiredAt: plusSeconds(noon, 86_460) }]);
});

test('the worker of turned clocks runs all the jobs that an advance left over', async () => {
  await payIns(230);
  expect(await world.turn({ advanceSeconds: 3600 })).toMatchObject({ jobsRun: 100, remaining: 130 });
  world.clock.real = plusSeconds(noon, clockCallSeconds);
  expect(await world.follow()).toEqual({ jobsRun: 130, failed: 0 });
  expect(expired()).toHaveLength(230);
});

test('the worker of turned clocks leaves due jobs to the call that turned the clock, as long as its function may run', async () => {
  expect(clockCallSeconds).toBe(endpointFunction.timeoutSeconds);
  await payIns(1);
  let writes = 0;
  const dying = faultyStore(world.store, {
    nextFault: () => (writes >= 1 ? 'before' : 'none'),
    onWritten: () => (writes += 1),
  });
  expect(await world.putOn(dying, { advanceSeconds: 3600 })).toMatchObject({ status: 503 });
  world.clock.real = plusSeconds(noon, clockCallSeconds - 0.001);
  expect(await world.follow()).toEqual({ jobsRun: 0, failed: 0 });
  world.clock.real = plusSeconds(noon, clockCallSeconds);
  expect(await world.follow()).toEqual({ jobsRun: 1, failed: 0 });
  expect(expired()).toHaveLength(1);
});

test('the worker of turned clocks leaves a company alone while it has real time', async () => {
  await payIns(1);
  world.clock.real = plusSeconds(noon, 3600);
  expect(await world.follow()).toEqual({ jobsRun: 0, failed: 0 });
  await world.turn({ advanceSeconds: 1 });
  expect(expired()).toHaveLength(1);
  await world.reset();
  await world.createPayIn({ companyId: companyOne, body: payInBody({ expiresInSeconds: 60 }), key: 'later' });
  world.clock.real = plusSeconds(noon, 7200);
  expect(await world.follow()).toEqual({ jobsRun: 0, failed: 0 });
  expect(expired()).toHaveLength(1);
});
