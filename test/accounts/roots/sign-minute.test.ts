import { describe, expect, it } from 'vitest';
import { signMinute } from '#shared/accounts/roots/sign-minute.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { at, chainWorld } from '#test/support/chain-world.ts';
import { each } from '#test/support/each.ts';
import type { Fault } from '#test/support/faulty-store.ts';
import { localSigning } from '#test/support/signing-key.ts';

/** Three accounts with entries in the first minute, two of them in the second; nothing is closed yet. */
async function busyWorld(signing = localSigning()) {
  const world = chainWorld([2, 1, 1], signing);
  await world.ready;
  await world.close(at(180));
  const records = [
    await world.commit(at(1)),
    await world.commit(at(2), { shard: 1 }),
    await world.commit(at(3), { account: 1 }),
    await world.commit(at(4), { account: 2 }),
    await world.commit(at(61), { account: 2 }),
    await world.commit(at(62)),
  ];
  await world.note(records);
  return { ...world, records, signing };
}

/** More than two runs make. */
const calls = Array.from({ length: 120 }, (_, at) => at + 1);

/** Closes both minutes, with a death of the process at a call, before or after its effect, and what comes after it. */
async function dying(call: number, fault: Fault) {
  const world = await busyWorld();
  let made = 0;
  world.through(() => {
    made += 1;
    if (made === call) return fault;
    return made > call ? 'before' : 'none';
  });
  const died = await world.close(at(300)).catch((error: unknown) => error);
  world.reliably();
  if (died instanceof StoreUnavailable) await world.close(at(300));
  return { ...world, isOver: made < call };
}

it('signs one root for each minute, over the accounts that were chained further in it', async () => {
  const world = await busyWorld();
  await world.close(at(240));
  expect(world.roots().map(([minute]) => minute)).toEqual(['2026-01-15T15:00']);
  await world.close(at(300));
  await world.close(at(600));
  expect(world.roots().map(([minute]) => minute)).toEqual(['2026-01-15T15:00', '2026-01-15T15:01']);
  expect(world.problems()).toEqual([]);
});

it('signs the same roots when the process dies at any call and another one goes on', async () => {
  const plain = await busyWorld();
  await plain.close(at(300));
  expect((await dying(calls.length + 1, 'before')).isOver).toBe(true);
  for (const fault of each(['before', 'after'] as const))
    for (const call of each(calls)) {
      const world = await dying(call, fault);
      expect(world.problems(), `${fault} call ${call}`).toEqual([]);
      expect(world.roots(), `${fault} call ${call}`).toEqual(plain.roots());
    }
});

it('signs the same roots when the stream is replayed from any point', async () => {
  const plain = await busyWorld();
  await plain.close(at(600));
  for (const from of each(plain.records.keys())) {
    const world = await busyWorld();
    await world.close(at(240));
    await world.note(world.records.slice(from), at(241));
    await world.close(at(300));
    await world.note(world.records.slice(from), at(301));
    await world.close(at(600));
    expect(world.problems()).toEqual([]);
    expect(world.roots()).toEqual(plain.roots());
  }
});

it('signs one root when two runs close the minute at the same time, and keeps that one', async () => {
  const world = await busyWorld();
  await Promise.all([world.close(at(240)), world.close(at(240)), world.close(at(300))]);
  await world.close(at(300));
  expect(world.problems()).toEqual([]);
  expect(world.roots()).toHaveLength(2);
});

describe.each(['the key', 'the bucket'])('while %s fails', (part) => {
  it('leaves the minute open, and signs it once when it works again', async () => {
    const working = localSigning();
    let fails = true;
    const failing = <A extends unknown[], R>(call: (...given: A) => Promise<R>) => {
      return (...given: A): Promise<R> => (fails ? Promise.reject(new Error('KMSInternal')) : call(...given));
    };
    const signing =
      part === 'the key'
        ? { ...working, key: { publicKey: working.key.publicKey, sign: failing(working.key.sign) } }
        : { ...working, keep: failing(working.keep) };
    const world = await busyWorld(signing);
    await expect(world.close(at(240))).rejects.toThrow('KMSInternal');
    await expect(world.close(at(300))).rejects.toThrow('KMSInternal');
    expect(working.kept.size).toBe(0);
    fails = false;
    await world.close(at(300));
    expect(world.problems()).toEqual([]);
    expect(world.roots()).toHaveLength(2);
  });
});

it('signs in the next minute the entries of an account that failed in the one before', async () => {
  const world = await busyWorld();
  let calls = 0;
  world.through(() => ((calls += 1) === 20 ? 'before' : 'none'));
  const { failed } = await world.close(at(240));
  world.reliably();
  expect(failed).toBe(1);
  await world.close(at(300));
  expect(world.problems()).toEqual([]);
});

it('signs nothing for a minute that another run has closed meanwhile', async () => {
  const working = localSigning();
  let fails = true;
  const key = {
    ...working.key,
    sign: (text: Buffer) => (fails ? Promise.reject(new Error('KMS')) : working.key.sign(text)),
  };
  const world = await busyWorld({ ...working, key });
  await expect(world.close(at(240))).rejects.toThrow('KMS');
  fails = false;
  const accounts = world.accounts.map(({ id }) => ({ companyId: world.companyId, accountId: id }));
  const closing = { closing: '2026-01-15T14:58', closed: '2026-01-15T14:57' };
  await signMinute({ store: world.store, now: () => at(240), signing: working }, closing, accounts);
  expect(world.roots()).toEqual([]);
  expect(working.kept.size).toBe(0);
  await world.close(at(300));
  expect(world.problems()).toEqual([]);
});
