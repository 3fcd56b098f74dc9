import { beforeEach, describe, expect, it } from 'vitest';
import type { DeadLetterMessage } from '#shared/webhooks/dispatch/sweep.ts';
import { removeStaleDeadLetters } from '#shared/webhooks/dispatch/sweep.ts';
import type { SweepRun } from '#test/support/sweep.ts';
import { sweep } from '#test/support/sweep.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { newResend, resendInsert } from '#shared/webhooks/deliveries/resend.ts';
import { askForDrain } from '#shared/webhooks/health/health.ts';
import { duePartitionOf } from '#shared/platform/table/due-keys.ts';
import { deliveryInserts, deliveryItem } from '#shared/platform/outbox/delivery-items.ts';
import { changeHealth, readHealth } from '#shared/webhooks/health/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { registryItem } from '#shared/platform/company.ts';
import { companyId, notifierWorld } from './notifier-world.ts';
import type { SweepWorld } from './sweep-world.ts';
import { base, grace, notificationOf, sweepWorld, t0 } from './sweep-world.ts';

let now: string;
let deadLetters: DeadLetterMessage[];
let failures: unknown[];
let { table, deps, given, present, dispatches, activeSettings } = {} as SweepWorld;

beforeEach(async () => {
  now = plusSeconds(t0, grace);
  deadLetters = [];
  failures = [];
  ({ table, deps, given, present, dispatches, activeSettings } = await sweepWorld({
    now: () => now,
    deadLetters: {
      receive: () => Promise.resolve(deadLetters.slice(0, 10)),
      remove: (deadLetter) => {
        deadLetters = deadLetters.filter((each) => each !== deadLetter);
        return Promise.resolve();
      },
    },
    failed: (_where, error) => failures.push(error),
  }));
});

const run = (redriving = false) => sweep(deps, { redriving });
const deadLetter = (id: string, deliveryId: string, dispatch: number): DeadLetterMessage => {
  return { id, receiptHandle: id, body: JSON.stringify({ companyId: 'c-1', deliveryId, dispatch }) };
};
describe('the sweep', () => {
  it('sends again what is overdue, of every company, in one transaction with its counter', async () => {
    await given(base('d-1'));
    await given(base('d-2', 'c-2'));
    expect(await run()).toMatchObject({ sentAgain: 2, failed: 0 });
    expect(await present('d-1')).toMatchObject({ status: 'PENDING', dispatch: 2 });
    expect(dispatches()).toMatchObject([
      { deliveryId: 'd-1', dispatch: 2 },
      { deliveryId: 'd-2', companyId: 'c-2', dispatch: 2 },
    ]);
    expect(await run()).toMatchObject({ sentAgain: 0 });
  });

  it('sends again what lay in a queue that was deleted, and a message of it that comes after all is passed over', async () => {
    const called: string[] = [];
    const world = await notifierWorld({
      now: () => now,
      send: ({ endpoint }) => {
        called.push(endpoint);
        return Promise.resolve({ outcome: 'DELIVERED', httpStatus: 200, durationMs: 1, returnCode: '0' });
      },
    });
    now = t0;
    await world.given('d-1');
    await world.table.write([{ put: registryItem(companyId) }], 'registry');
    now = plusSeconds(t0, grace);
    expect(await sweep({ ...deps, store: world.table }, { redriving: false })).toMatchObject({ sentAgain: 1 });
    expect(await world.receive('d-1', 2)).toEqual({ do: 'ack' });
    expect(await world.receive('d-1', 1)).toEqual({ do: 'ack' });
    expect(called).toHaveLength(1);
    expect(await world.present('d-1')).toMatchObject({ status: 'DELIVERED', dispatch: 2 });
  });

  it('leaves a delivery alone when it is not overdue, being called, waiting for its time, or done', async () => {
    const claim = { id: 'c', number: 1, at: t0, leaseUntil: plusSeconds(now, 1) };
    await given({ ...base('d-1'), dueAt: plusSeconds(t0, 1) });
    await given({ ...base('d-2'), claim });
    await given({ ...base('d-3'), nextAttemptAt: plusSeconds(t0, 60), dueAt: plusSeconds(t0, 60) });
    await given({ ...base('d-4'), status: 'DELIVERED' });
    await given({ ...base('d-5'), status: 'HELD', heldAt: t0, backlog: 'type:PAYIN' });
    expect(await run()).toMatchObject({ sentAgain: 0 });
    expect(dispatches()).toEqual([]);
  });

  it('sends every pending delivery again at its time, also one with an open claim, when it recovers', async () => {
    const later = plusSeconds(now, 60);
    await given({ ...base('d-1'), dueAt: now, claim: { id: 'c', number: 1, at: t0, leaseUntil: later } });
    await given({ ...base('d-2'), nextAttemptAt: later, dueAt: later });
    expect(await run(true)).toMatchObject({ sentAgain: 2 });
    expect(dispatches()).toHaveLength(2);
    expect(dispatches()).toContainEqual(expect.objectContaining({ deliveryId: 'd-1' }));
    expect(dispatches()).toContainEqual(expect.objectContaining({ deliveryId: 'd-2', notBefore: later }));
    expect((await present('d-1'))?.claim?.leaseUntil).toBe(now);
  });

  it('counts what resends sent again, those of companies that are worked off beside each other included', async () => {
    for (const companyId of ['c-1', 'c-2']) {
      await activeSettings(companyId);
      const failed = notificationOf(`failed-of-${companyId}`);
      await table.write(deliveryInserts(companyId, failed), failed.id);
      await given({ ...base(failed.id, companyId), status: 'FAILED' });
      const id = `resend-of-${companyId}`;
      const asked = { companyId, id, createdFrom: t0, requestId: 'r', createdAt: plusSeconds(t0, 60) };
      await table.write([resendInsert(newResend(asked))], id);
    }
    expect(await run()).toMatchObject({ resent: 2 });
  });

  it('does not let one delivery or company that fails keep the others waiting', async () => {
    await given(base('d-1'));
    await table.write([{ put: { ...deliveryItem(base('d-2')), status: 'LOST' } }], 'corrupt');
    await given(base('d-3', 'c-2'));
    await askedAt(t0);
    const store: SweepRun['store'] = {
      ...table,
      read: (keys) => (keys[0]?.SK === 'HEALTH' ? Promise.reject(new StoreUnavailable('x')) : table.read(keys)),
    };
    deps = { ...deps, store };
    expect(await run()).toMatchObject({ sentAgain: 2, failed: 2 });
    expect(failures).toHaveLength(2);
  });

  it('asks again for a drain that did not begin a minute after its time, or whose worker died', async () => {
    await askedAt(plusSeconds(now, -59));
    await run();
    expect(await readHealth(table, 'c-1')).toMatchObject({ drains: 1 });
    now = plusSeconds(now, 1);
    await run();
    expect(await readHealth(table, 'c-1')).toMatchObject({ drains: 2, drainAt: now });
    const lease = { id: 'l', until: plusSeconds(now, 60) };
    await changeHealth(deps, await readHealth(table, 'c-1'), ({ drainAt: _, ...health }) => ({ ...health, lease }));
    now = plusSeconds(now, 119);
    await run();
    expect(await readHealth(table, 'c-1')).toMatchObject({ drains: 2, lease });
    now = plusSeconds(now, 1);
    await run();
    const health = await readHealth(table, 'c-1');
    expect(health).toMatchObject({ drains: 3, drainAt: now });
    expect(health).not.toHaveProperty('lease');
  });

  const askedAt = async (at: string): Promise<void> => {
    await changeHealth({ ...deps, store: table }, await readHealth(table, 'c-1'), (health) =>
      askForDrain(health, ['type:PAYIN'], at, at),
    );
  };

  it('goes on when it recovers and a shard of the index cannot be read', async () => {
    await given(base('d-1'));
    await given(base('d-2', 'c-2'));
    const query: SweepRun['store']['query'] = (asked) =>
      asked.partition === duePartitionOf('c-1', 'DELIVERY', 'd-1')
        ? Promise.reject(new StoreUnavailable('x'))
        : table.query(asked);
    deps = { ...deps, store: { ...table, query } };
    expect(await run(true)).toMatchObject({ sentAgain: 1, failed: 1 });
    expect(failures).toHaveLength(1);
  });

  it('looks through no dead letters when the run is nearly over', async () => {
    await given({ ...base('delivered'), status: 'DELIVERED' });
    deadLetters = [deadLetter('m-1', 'delivered', 1)];
    now = '2026-03-02T12:10:30.000Z';
    deps = { ...deps, remainingMs: () => 7999 };
    expect(await run()).toMatchObject({ deadLettersRemoved: 0 });
    deps = { ...deps, remainingMs: () => 8000 };
    expect(await run()).toMatchObject({ deadLettersRemoved: 1 });
  });

  it('asks immediately for a drain that is not due yet when it recovers, and for none that was not asked for', async () => {
    const later = plusSeconds(now, 600);
    await askedAt(later);
    await run();
    expect(await readHealth(table, 'c-1')).toMatchObject({ drains: 1, drainAt: later });
    await run(true);
    expect(await readHealth(table, 'c-1')).toMatchObject({ drains: 2, drainAt: now });
    await changeHealth(deps, await readHealth(table, 'c-1'), ({ drainAt: _, ...health }) => health);
    await run(true);
    expect(await readHealth(table, 'c-1')).toMatchObject({ drains: 2 });
  });

  it('completes the rest when the dead letters cannot be read, and counts that as an error of its own', async () => {
    await given(base('d-1'));
    const fault = new Error('The queue does not answer.');
    deps = { ...deps, deadLetters: { ...deps.deadLetters, receive: () => Promise.reject(fault) } };
    expect(await run()).toMatchObject({ sentAgain: 1, deadLettersRemoved: 0, failed: 1 });
    expect(failures).toEqual([fault]);
  });

  it('ends early when its time is up, and leaves the rest to the next run', async () => {
    await given(base('d-1'));
    deps = { ...deps, remainingMs: () => 0 };
    expect(await run()).toMatchObject({ sentAgain: 0 });
  });
});

describe('dead letters', () => {
  it('stay for deliveries that failed, one each, and for what is unknown or not judged yet', async () => {
    await given({ ...base('failed'), status: 'FAILED', messageId: 'm-1' });
    await given({ ...base('failed-unread'), status: 'FAILED' });
    await given({ ...base('pending'), dispatch: 2, messageId: 'm-0' });
    const stay = [
      deadLetter('m-1', 'failed', 1),
      deadLetter('m-2', 'failed-unread', 1),
      deadLetter('m-3', 'pending', 2),
      deadLetter('m-4', 'unknown', 1),
      { id: 'm-5', receiptHandle: 'm-5', body: 'torn' },
    ];
    deadLetters = [...stay];
    expect(await removeStaleDeadLetters(deps, deps.deadLetters)).toBe(0);
    expect(deadLetters).toEqual(stay);
    // No delivery is read for a malformed dead letter.
    deadLetters = [stay[4]!];
    const read = () => Promise.reject(new StoreUnavailable('x'));
    expect(await removeStaleDeadLetters({ ...deps, store: { ...table, read } }, deps.deadLetters)).toBe(0);
  });

  it('go when they are copies, of an earlier dispatch, or of what was delivered or held after all', async () => {
    await given({ ...base('failed'), status: 'FAILED', messageId: 'm-1', dispatch: 2 });
    await given({ ...base('pending'), dispatch: 2 });
    await given({ ...base('delivered'), status: 'DELIVERED' });
    await given({ ...base('held'), status: 'HELD', heldAt: t0, backlog: 'type:PAYIN' });
    deadLetters = [
      deadLetter('m-1', 'failed', 2),
      deadLetter('m-2', 'failed', 2),
      deadLetter('m-3', 'failed', 1),
      deadLetter('m-4', 'pending', 1),
      deadLetter('m-5', 'delivered', 1),
      deadLetter('m-6', 'held', 1),
    ];
    expect(await removeStaleDeadLetters(deps, deps.deadLetters)).toBe(5);
    expect(deadLetters.map(({ id }) => id)).toEqual(['m-1']);
  });

  it('go from behind hundreds that stay, which two letters of one delivery do not confuse', async () => {
    await given({ ...base('failed'), status: 'FAILED', messageId: 'm-1', dispatch: 2 });
    const stay = Array.from({ length: 400 }, (_, place) => deadLetter(`u-${place}`, 'unknown', 1));
    deadLetters = [...stay, deadLetter('m-1', 'failed', 2), deadLetter('m-2', 'failed', 2)];
    const hidden = new Set<string>();
    const receive = () => {
      const batch = deadLetters.filter(({ id }) => !hidden.has(id)).slice(0, 10);
      for (const { id } of batch) hidden.add(id);
      return Promise.resolve(batch);
    };
    expect(await removeStaleDeadLetters(deps, { ...deps.deadLetters, receive })).toBe(1);
    expect(deadLetters.slice(stay.length).map(({ id }) => id)).toEqual(['m-1']);
  });

  it('are looked through when something was sent again, and every ten minutes', async () => {
    await given({ ...base('delivered'), status: 'DELIVERED' });
    const stale = deadLetter('m-1', 'delivered', 1);
    deadLetters = [stale];
    expect(await run()).toMatchObject({ deadLettersRemoved: 0 });
    now = '2026-03-02T12:10:30.000Z';
    expect(await run()).toMatchObject({ deadLettersRemoved: 1 });
    deadLetters = [stale];
    now = '2026-03-02T12:11:30.000Z';
    await given(base('d-1'));
    expect(await run()).toMatchObject({ sentAgain: 1, deadLettersRemoved: 1 });
  });

  it('are looked at once a run each, by one read for each receive, and a thousand at most', async () => {
    deadLetters = Array.from({ length: 3000 }, (_, place) => deadLetter(`m-${place}`, 'unknown', 1));
    let received = 0;
    const { remove } = deps.deadLetters;
    const receive = () => {
      const batch = deadLetters.slice(received % 3000, (received % 3000) + 10);
      received += batch.length;
      return Promise.resolve(batch);
    };
    let reads = 0;
    const counting = { ...table, read: (names: Parameters<typeof table.read>[0]) => ((reads += 1), table.read(names)) };
    await removeStaleDeadLetters({ ...deps, store: counting }, { receive, remove });
    expect({ received, reads }).toEqual({ received: 1000, reads: 100 });
    received = 0;
    deadLetters = deadLetters.slice(0, 5);
    await removeStaleDeadLetters(deps, { receive: () => Promise.resolve(((received += 1), deadLetters)), remove });
    expect(received).toBe(2);
  });
});
