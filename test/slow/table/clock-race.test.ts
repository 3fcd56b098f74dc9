import { expect, test } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { clockCallSeconds } from '#shared/sandbox/clock-store.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { companyOne, noon, payInBody } from '#test/support/bank-world.ts';
import type { ClockWorld, Turned } from '#test/support/clock-world.ts';
import { clockWorld } from '#test/support/clock-world.ts';
import type { Fault } from '#test/support/faulty-store.ts';
import { faultyStore } from '#test/support/faulty-store.ts';
import { paymentBody } from '#test/support/payment-world.ts';
import { onEveryStore } from '#test/support/stores.ts';

type World = ClockWorld & { readonly accountId: string };

/**
 * The decisions of the engine's conditions when a clock is advanced twice concurrently, or the process that advances it
 * dies.
 */
onEveryStore((store) => {
  const worldOf = async (): Promise<World> => {
    const seed = randomIds.uuid();
    const world = await clockWorld({ wrap: store, seed, accountId: seed }, { externalId: seed });
    await world.reset();
    return { ...world, accountId: seed };
  };
  /** Pay-ins that expire, and a payment that is owed a resend: all by the time of the first answer of the clock. */
  const something = async (world: World, count: number): Promise<{ payIns: string[]; paymentId: string }> => {
    const payIns: string[] = [];
    for (let n = 0; n < count; n += 1) {
      const body = payInBody({ accountId: world.accountId, externalId: randomIds.uuid(), expiresInSeconds: 120 + n });
      const created = await world.createPayIn({ companyId: companyOne, body, key: randomIds.uuid() });
      payIns.push((created.body as { id: string }).id);
    }
    const body = paymentBody({ externalId: randomIds.uuid(), dueDate: '2026-01-15' });
    const { id: paymentId } = await world.scheduled(body);
    await world.forced(paymentId, 'CANCELED_SETTLEMENT_ERROR');
    return { payIns, paymentId };
  };
  const statusOf = async (world: ClockWorld, id: string) =>
    (await world.getPayIn({ companyId: companyOne, params: { id } })).body as Record<string, string>;
  const finished = async (world: ClockWorld, { payIns, paymentId }: Awaited<ReturnType<typeof something>>) => {
    for (const [n, id] of payIns.entries())
      expect(await statusOf(world, id)).toMatchObject({ status: 'EXPIRED', expiredAt: plusSeconds(noon, 120 + n) });
    const resends = (await world.all()).filter(
      ({ originalScheduledPaymentId: originalId }) => originalId === paymentId,
    );
    expect(resends).toMatchObject([{ createdAt: noon, settlementErrorRetryAttempt: 1 }]);
  };

  test('advances at once add up, and each job is done once, at its time', async () => {
    const world = await worldOf();
    const createdOrders = await something(world, 10);
    const responses = await Promise.all(Array.from({ length: 4 }, () => world.put({ advanceSeconds: 3600 })));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const turned = responses.map(({ body }) => body as Turned);
    expect(turned.map(({ offsetSeconds }) => offsetSeconds).toSorted((a, b) => a - b)).toEqual([
      3600, 7200, 10_800, 14_400,
    ]);
    expect((await world.shown()).body).toEqual({ now: plusSeconds(noon, 14_400), offsetSeconds: 14_400 });
    // On a slow engine the time of a call ends before its jobs do.
    expect(await world.turn({ advanceSeconds: 0 })).toMatchObject({ remaining: 0 });
    await finished(world, createdOrders);
  });

  test('a call and the minute’s worker at once do each job once, that an advance left when it died', async () => {
    const world = await worldOf();
    const createdOrders = await something(world, 10);
    let writes = 0;
    const nextFault = (): Fault => (writes >= 1 ? 'before' : 'none');
    const dying = faultyStore(world.store, { nextFault, onWritten: () => (writes += 1) });
    expect(await world.putOn(dying, { advanceSeconds: 3600 })).toMatchObject({ status: 503 });
    world.clock.real = plusSeconds(noon, clockCallSeconds);
    await Promise.all([world.put({ advanceSeconds: 0 }), world.follow(), world.follow()]);
    expect(await world.turn({ advanceSeconds: 0 })).toMatchObject({ remaining: 0 });
    await finished(world, createdOrders);
  });

  test.each([1, 2, 3, 5, 8, 13, 21, 34])(
    'an advance that stops at its call %i to the table is finished by the next one',
    async (dies) => {
      const world = await worldOf();
      const createdOrders = await something(world, 5);
      let calls = 0;
      const nextFault = (): Fault => ((calls += 1) < dies ? 'none' : dies % 2 === 0 ? 'before' : 'after');
      const dying = faultyStore(world.store, { nextFault });
      await world.putOn(dying, { now: plusSeconds(noon, 3600) });
      const { offsetSeconds } = (await world.shown()).body as Turned;
      expect([0, 3600]).toContain(offsetSeconds);
      const left = { advanceSeconds: 3600 - offsetSeconds };
      expect(await world.turn(left)).toMatchObject({ remaining: 0, now: plusSeconds(noon, 3600) });
      await finished(world, createdOrders);
    },
  );

  test.each([1, 2, 3, 5, 8, 13, 21])(
    'an advance with a key that stops at its call %i to the table is made once when it is repeated',
    async (dies) => {
      const world = await worldOf();
      const createdOrders = await something(world, 3);
      let calls = 0;
      const nextFault = (): Fault => ((calls += 1) < dies ? 'none' : dies % 2 === 0 ? 'before' : 'after');
      await world.putOn(faultyStore(world.store, { nextFault }), { advanceSeconds: 3600 }, world.accountId);
      const again = await Promise.all(
        Array.from({ length: 3 }, () => world.putOn(world.store, { advanceSeconds: 3600 }, world.accountId)),
      );
      expect(again.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(new Set(again.map(({ text }) => text)).size).toBe(1);
      expect((await world.shown()).body).toMatchObject({ offsetSeconds: 3600 });
      expect(await world.turn({ advanceSeconds: 0 })).toMatchObject({ remaining: 0 });
      await finished(world, createdOrders);
    },
  );
});
