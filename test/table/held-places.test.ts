import { expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { heldAtMostSeconds, slowCallsAtOnce, takeSlot } from '#shared/sandbox/simulated-faults.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { onEveryStore } from '../support/stores.ts';

onEveryStore((store) => {
  const placesOf = (companyId: string) => {
    const clock = { now: '2026-01-15T12:00:00.000Z' };
    return { clock, take: () => takeSlot({ store: store(), now: () => clock.now }, companyId) };
  };
  const taken = async (take: () => ReturnType<typeof takeSlot>, calls: number) => {
    const ends = await Promise.all(Array.from({ length: calls }, take));
    return ends.filter((giveBack) => giveBack !== undefined);
  };

  it('concurrent slow calls hold at most all places of a company, and each place is free again once it is returned', async () => {
    const { take } = placesOf(randomIds.uuid());
    const held = await taken(take, 25);
    expect(held).toHaveLength(slowCallsAtOnce);
    expect(await take()).toBeUndefined();
    await Promise.all(held.slice(0, 3).map((giveBack) => giveBack()));
    expect(await taken(take, 8)).toHaveLength(3);
  });

  it('concurrent slow calls find every place when there are as many calls as places', async () => {
    const { take } = placesOf(randomIds.uuid());
    expect(await taken(take, slowCallsAtOnce)).toHaveLength(slowCallsAtOnce);
  });

  it('a place is free once its holder’s time is over, and a late return frees no place of another holder', async () => {
    const { clock, take } = placesOf(randomIds.uuid());
    const dead = await taken(take, slowCallsAtOnce);
    clock.now = plusSeconds(clock.now, heldAtMostSeconds);
    expect(await take()).toBeUndefined();
    clock.now = plusSeconds(clock.now, 1);
    expect(await taken(take, slowCallsAtOnce)).toHaveLength(slowCallsAtOnce);
    await Promise.all(dead.map((giveBack) => giveBack()));
    expect(await take()).toBeUndefined();
  });

  it('companies have places of their own', async () => {
    await taken(placesOf(randomIds.uuid()).take, slowCallsAtOnce);
    expect(await placesOf(randomIds.uuid()).take()).toBeDefined();
  });
});
