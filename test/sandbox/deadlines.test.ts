import { beforeEach, describe, expect, test } from 'vitest';
import { instantAt, plusSeconds } from '#shared/core/brasilia-time.ts';
import { reservedDescriptions } from '#shared/bank/simulated/reserved.ts';
import type { ClockWorld } from '#test/support/clock-world.ts';
import { clockWorld } from '#test/support/clock-world.ts';
import { paymentBody } from '#test/support/payment-world.ts';

const day = '2026-01-20';
const eve = '2026-01-19';

let world: ClockWorld;
beforeEach(async () => {
  world = await clockWorld();
});
const to = (on: string, time: string) => world.turn({ now: instantAt(on, time) });
const silent = () => world.scheduled(paymentBody({ dueDate: day, description: reservedDescriptions.timeout }));
const missed = { status: 'ERROR', errorCode: 'DENC' };

describe('a charge that the bank never got', () => {
  test('ends when the company’s clock has passed its day, also by one call', async () => {
    const { id } = await silent();
    await to('2026-01-23', '09:00');
    expect(await world.payment(id)).toMatchObject({ ...missed, updatedAt: instantAt('2026-01-23', '09:00') });
    expect(world.told(id)).toEqual(['PENDING', 'ERROR']);
  });

  test('is still due on its day, and ends after it, whatever was tried before', async () => {
    const { id } = await silent();
    await to(day, '23:59');
    await world.turn({ advanceSeconds: 0 });
    expect((await world.payment(id)).status).toBe('PENDING');
    await to('2026-01-21', '00:02');
    expect(await world.payment(id)).toMatchObject(missed);
  });

  test('ends by the worker as the clock goes on', async () => {
    const { id } = await silent();
    await to(day, '23:59');
    world.clock.real = plusSeconds(world.clock.real!, 180);
    await world.look();
    await world.follow();
    expect(await world.payment(id)).toMatchObject(missed);
  });

  test('is not handed over by jobs that run after the clock was turned over its hour', async () => {
    const { id } = await silent();
    await to(day, '12:00');
    const handed: string[] = [];
    world.bank.recurringCharges.schedule.submit = ({ reference }) => {
      handed.push(reference);
      return Promise.resolve({ outcome: 'DONE', state: { attempts: [] } });
    };
    await to('2026-01-21', '09:00');
    await world.follow();
    expect([handed, (await world.payment(id)).status]).toEqual([[], 'ERROR']);
  });
});

test('a charge is not handed over when its hour comes while the jobs run', async () => {
  const { id } = await silent();
  const handed: string[] = [];
  const { recurringCharges } = world.bank;
  recurringCharges.schedule.submit = ({ reference }) => {
    handed.push(reference);
    return Promise.resolve({ outcome: 'DONE', state: { attempts: [] } });
  };
  const { find } = recurringCharges.schedule;
  recurringCharges.schedule.find = (order, context) => {
    world.clock.real = plusSeconds(world.clock.real!, 60);
    return find(order, context);
  };
  await to(day, '23:59');
  expect([handed, (await world.payment(id)).status]).toEqual([[], 'PENDING']);
});

test('a request to cancel that the bank never got is rejected when the clock has passed 22:00 of the eve', async () => {
  const { id } = await world.scheduled(paymentBody({ dueDate: day }));
  await world.forced(id, 'ACCEPTED');
  await to(eve, '21:59');
  const { withdraw } = world.bank.recurringCharges;
  withdraw.submit = () => Promise.resolve({ outcome: 'UNKNOWN' });
  withdraw.find = () => Promise.resolve({ outcome: 'NEVER_SEEN' });
  await world.withdraw(id, 'k');
  expect(await world.payment(id)).toMatchObject({ cancellation: { status: 'PENDING' } });
  await to(day, '08:00');
  expect(await world.payment(id)).toMatchObject({ status: 'ACCEPTED', cancellation: { status: 'REJECTED' } });
});

describe('what the simulated bank took in time stays as it is, however far the clock is turned:', () => {
  test('a charge, and a request to cancel it', async () => {
    const { id } = await world.scheduled(paymentBody({ dueDate: day }));
    await to(eve, '21:59');
    await world.withdraw(id, 'k');
    await to('2026-01-25', '12:00');
    expect(await world.payment(id)).toMatchObject({ status: 'PENDING', cancellation: { status: 'PENDING' } });
  });

  test('a resend that is made on the way', async () => {
    const { id } = await world.scheduled(paymentBody({ dueDate: day }));
    await to(day, '20:59');
    await world.forced(id, 'CANCELED_SETTLEMENT_ERROR');
    await to('2026-01-25', '12:00');
    await world.turn({ advanceSeconds: 600 });
    expect((await world.all()).map(({ status }) => status).toSorted()).toEqual(['CANCELED', 'PENDING']);
  });
});
