import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import type { Listed } from '#partner-tools/listen/delivery-log.ts';
import type { Cursor } from '#partner-tools/listen/cursor.ts';
import { beginAfter, beginAfterAll, finish, notice, readAgainSeconds, postpone } from '#partner-tools/listen/cursor.ts';
import { follow, promised } from '#partner-tools/listen/follow.ts';
import { instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import { fc } from '#test/support/properties.ts';

const start = Date.UTC(2026, 0, 15, 12);
/** A notification that was created so many seconds after the start. */
const one = (id: string, seconds: number): Listed => ({
  id,
  createdAt: instantFromEpochMs(start + seconds * 1000),
  event: 'ORDER-PAYIN.PAID',
});
const ids = (cursor: Cursor) => ({ open: cursor.open.map(({ id }) => id), done: cursor.done.map(({ id }) => id) });

test('a listed notification is open, oldest first, and is noticed once', () => {
  const listed = [one('b', 2), one('a', 1)];
  const cursor = notice(beginAfter(''), listed, 5);
  expect(ids(cursor)).toEqual({ open: ['a', 'b'], done: [] });
  expect(notice(cursor, listed, 6)).toBe(cursor);
  expect(notice(finish(cursor, 'a'), listed, 6).open.map(({ id }) => id)).toEqual(['b']);
});

test('a notification that appears late, within the overlap, is still noticed', () => {
  const seen = finish(notice(beginAfter(''), [one('new', 500)], 0), 'new');
  expect(seen.from).toBe(instantFromEpochMs(start + (500 - readAgainSeconds) * 1000));
  const late = one('late', 500 - readAgainSeconds + 1);
  expect(late.createdAt > seen.from).toBe(true);
  expect(ids(notice(seen, [one('new', 500), late], 0))).toEqual({ open: ['late'], done: ['new'] });
});

test('the cursor forgets a done notification that cannot be listed again, and never an open one', () => {
  let cursor = notice(beginAfter(''), [one('old', 0), one('open', 1)], 0);
  cursor = finish(cursor, 'old');
  cursor = finish(notice(cursor, [one('new', 1000)], 0), 'new');
  expect(ids(cursor)).toEqual({ open: ['open'], done: ['new'] });
});

test('a list that was requested before the cursor moved on reopens no notification', () => {
  const listed = [one('new', 1000), one('old', 0)];
  const cursor = finish(finish(notice(beginAfter(''), listed, 0), 'old'), 'new');
  expect(notice(cursor, listed, 1)).toBe(cursor);
});

test('a listener that begins now opens no notification that exists already', () => {
  const listed = [one('b', 200), one('a', 150)];
  const cursor = beginAfterAll(listed);
  expect(notice(cursor, [one('c', 201), ...listed], 0).open.map(({ id }) => id)).toEqual(['c']);
});

test('a failed call is due later', () => {
  const cursor = postpone(notice(beginAfter(''), [one('a', 1)], 0), 'a', 99);
  expect(cursor.open).toMatchObject([{ failures: 1, dueAt: 99 }]);
});

test('the waits and the time for a call are those of the service', () => {
  expect(promised.delaysSeconds).toEqual(environments.hml.deliveries.retryDelaysSeconds);
});

/**
 * Runs a listener that dies at given calls, before or after the receiver got them, and is started again with its stored
 * cursor, until no call is left.
 */
async function followThroughCrashes(listed: readonly Listed[], crashes: ReadonlyMap<number, 'before' | 'after'>) {
  const calls: string[] = [];
  let kept = beginAfter('');
  let died = 0;
  let started = 0;
  for (let run = 0; run <= crashes.size; run += 1) {
    const stop = new AbortController();
    const runState = { ended: false };
    const die = (): void => {
      runState.ended = true;
      died += 1;
      stop.abort();
    };
    const call = async ({ id }: { id: string }) => {
      started += 1;
      const crash = runState.ended ? undefined : crashes.get(started);
      if (crash === 'before') die();
      // A dead listener makes no call; one that dies after the call does not know that the receiver got it.
      if (!runState.ended) calls.push(id);
      await Promise.resolve();
      if (crash === 'after') die();
      return { taken: true, status: 200, ms: 1 };
    };
    await follow(kept, {
      log: {
        listAfter: (from) => {
          if (kept.open.length === 0 && kept.done.length === listed.length) stop.abort();
          return Promise.resolve(listed.filter(({ createdAt }) => createdAt > from));
        },
      },
      call,
      // A process that is dead keeps nothing more.
      keep: (cursor) => {
        if (runState.ended) return;
        kept = cursor;
        if (cursor.open.length === 0 && cursor.done.length === listed.length) stop.abort();
      },
      report: () => undefined,
      delaysSeconds: [1],
      pollMs: 1,
      signal: stop.signal,
    });
    if (!runState.ended) break;
  }
  return { calls, died };
}

test('a call that hangs holds up no other', async () => {
  const stop = new AbortController();
  const hanging = Promise.withResolvers<{ taken: boolean; ms: number }>();
  const listed = [one('hangs', 1)];
  const calls: string[] = [];
  await follow(beginAfter(''), {
    log: { listAfter: (from) => Promise.resolve(listed.filter(({ createdAt }) => createdAt > from)) },
    call: ({ id }) => {
      calls.push(id);
      if (id === 'hangs') {
        listed.push(one('next', 2));
        return hanging.promise;
      }
      stop.abort();
      hanging.resolve({ taken: true, ms: 1 });
      return Promise.resolve({ taken: true, ms: 1 });
    },
    keep: () => undefined,
    report: () => undefined,
    delaysSeconds: [1],
    pollMs: 1,
    signal: stop.signal,
  });
  expect(calls).toEqual(['hangs', 'next']);
});

test('a notification that is accepted while the log is being read is not forwarded again', async () => {
  const stop = new AbortController();
  const lists = [Promise.resolve([one('a', 1)])];
  const slow = Promise.withResolvers<Listed[]>();
  const calls: string[] = [];
  let reading = false;
  await follow(beginAfter(''), {
    log: {
      listAfter: () => {
        const list = lists.shift();
        if (list !== undefined) return list;
        if (reading) stop.abort();
        reading = true;
        return slow.promise;
      },
    },
    call: async ({ id }) => {
      calls.push(id);
      // The call ends while the second look at the log is under way, which began before.
      while (!reading) await sleep(1);
      return { taken: true, ms: 1 };
    },
    keep: ({ done }) => {
      if (done.length === 1 && calls.length === 1) slow.resolve([one('b', 2), one('a', 1)]);
    },
    report: () => undefined,
    delaysSeconds: [1],
    pollMs: 1,
    signal: stop.signal,
  });
  expect(calls).toEqual(['a', 'b']);
});

test('the listener stops with the error when a call fails unexpectedly', async () => {
  const call = () => Promise.reject(new Error('broken contract'));
  const log = { listAfter: () => Promise.resolve([one('a', 1)]) };
  const quiet = { keep: () => undefined, report: () => undefined, delaysSeconds: [1], pollMs: 1 };
  const { signal } = new AbortController();
  await expect(follow(beginAfter(''), { log, call, ...quiet, signal })).rejects.toThrow('broken contract');
});

test('a notification is given up after its last attempt, and not called again', async () => {
  const stop = new AbortController();
  const reported: unknown[] = [];
  let looks = 0;
  await follow(beginAfter(''), {
    log: {
      listAfter: (from) => {
        looks += 1;
        if (reported.length === 3 && looks > 6) stop.abort();
        return Promise.resolve([one('a', 1)].filter(({ createdAt }) => createdAt > from));
      },
    },
    call: () => Promise.resolve({ taken: false, status: 500, ms: 1 }),
    keep: () => undefined,
    report: (_one, _outcome, next) => reported.push(next),
    delaysSeconds: [0, 0],
    pollMs: 1,
    signal: stop.signal,
  });
  expect(reported).toEqual([0, 0, 'failed']);
});

test('the listener leaves out no notification through crashes, and repeats only calls that were under way', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: readAgainSeconds - 1 }), { minLength: 1, maxLength: 12 }),
      fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.constantFrom('before', 'after')), { maxLength: 4 }),
      async (times, crashes) => {
        const listed = times.map((seconds, index) => one(`n${index}`, seconds));
        const { calls, died } = await followThroughCrashes(listed, new Map(crashes));
        expect(new Set(calls).size).toBe(listed.length);
        expect(calls.length - listed.length).toBeLessThanOrEqual(died * 4);
      },
    ),
    { numRuns: 60 },
  );
});
