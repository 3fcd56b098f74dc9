import { beforeEach, describe, expect, it } from 'vitest';
import { workerNames, workers } from '#functions/workers.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { DueFamily, DueKind } from '#shared/platform/jobs/due-kinds.ts';
import { dueFamilies, dueFamilyNames, dueKinds, dueQueueVariable, familyOf } from '#shared/platform/jobs/due-kinds.ts';
import type { DueMessage, DueQueue, EnqueueOptions } from '#shared/platform/jobs/due-queue.ts';
import { enqueueDue, parseDueMessage } from '#shared/platform/jobs/due-queue.ts';
import type { DueRun } from '#shared/platform/jobs/run.ts';
import { dueAttributesAt, duePartitionOf, dueShards } from '#shared/platform/table/due-keys.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { each } from '../support/each.ts';
import { memoryStore } from '../support/memory-store.ts';

/** No tenth minute. */
const now = '2026-03-02T12:01:00.000Z';
const tenthMinute = '2026-03-02T12:10:59.999Z';
const yesterday = plusSeconds(now, -86_400);
const kind = 'PAY_IN_EXPIRY';

let table: ReturnType<typeof memoryStore>;
let failures: unknown[];
let run: DueRun;
let queries: number;
let sent: DueMessage[];
/** Calls to the queue, by their messages. */
let calls: number[];
let isEmpty: boolean;
let queue: DueQueue;

beforeEach(() => {
  table = memoryStore();
  [failures, sent, calls] = [[], [], []];
  queries = 0;
  isEmpty = true;
  const query: DueRun['store']['query'] = (asked) => {
    queries += 1;
    return table.query(asked);
  };
  run = {
    store: { ...table, query },
    now: () => now,
    remainingMs: () => Infinity,
    failed: (_where, error) => failures.push(error),
  };
  queue = {
    isEmpty: () => Promise.resolve(isEmpty),
    send: (batch) => {
      calls.push(batch.length);
      sent.push(...batch);
      return Promise.resolve(0);
    },
  };
});

const keyOf = (companyId: string, id: string) => ({ PK: `C#${companyId}#IT#${id}`, SK: 'IT' });
async function given(companyId: string, id: string, dueAt: Instant = now, of: DueKind = kind): Promise<void> {
  await table.writeOne({ put: { ...keyOf(companyId, id), ...dueAttributesAt(companyId, of, dueAt, id) } });
}
async function givenMany(companyId: string, count: number, dueAt: Instant, of?: DueKind): Promise<void> {
  for (let number = 0; number < count; number += 1) await given(companyId, `p-${number}`, dueAt, of);
}
/** Runs one minute. Returns what it reports. */
const enqueue = (options: EnqueueOptions = {}, more: Partial<DueRun> = {}, family: DueFamily = 'PAY_INS') =>
  enqueueDue({ ...run, ...more }, family, queue, options);
const sentIds = (): readonly string[] => sent.map(({ id }) => id).toSorted();

describe('a kind of due job', () => {
  it('belongs to one family, and a family to one worker, which queries the index every minute and has its queue', () => {
    expect(dueFamilyNames.flatMap((family) => dueFamilies[family])).toEqual([...new Set(dueKinds)]);
    for (const of of each(dueKinds)) expect(dueFamilies[familyOf[of]], of).toContain(of);
    for (const family of each(dueFamilyNames)) {
      const owners = workerNames.map((name) => workers[name]).filter(({ due }) => due === family);
      expect(owners, family).toHaveLength(1);
      const [{ access, schedule, variables } = workers.authorizer] = owners;
      expect(access).toMatchObject({ table: 'writes', dueQueue: family });
      expect(access.indexes).toContain('GSI3');
      expect(variables).toContain(dueQueueVariable(family));
      // Resends are due until 20:59 alone; the resends that are left then are sent by the worker of PAYMENTS.
      expect(schedule).toEqual(family === 'RESENDS' ? { hour: '0-20' } : 'every minute');
    }
  });

  it('has a queue that no worker of another family may use, but for the relay, which sends new codes', () => {
    for (const name of each(workerNames)) {
      const { due, access, variables } = workers[name];
      expect(access.dueQueue).toBe(due);
      expect(access.keyCodeQueue, name).toBe(name === 'relay-deliveries' ? 'sends' : undefined);
      const urls = variables.filter((variable) => variable.startsWith('DUE_'));
      const used = name === 'relay-deliveries' ? 'KEY_CODES' : due;
      expect(urls, name).toEqual(used === undefined ? [] : [dueQueueVariable(used)]);
    }
  });
});

describe('a due job', () => {
  it('is identified by kind, company and id, whatever characters an id has', async () => {
    const id = 'https://host#part#2';
    await given('c-1', id);
    await enqueue();
    expect(sent).toEqual([{ kind, companyId: 'c-1', id, dueAt: now }]);
    expect(sent.map((job) => parseDueMessage(JSON.stringify(job)))).toEqual(sent);
  });

  it('is sent with nine others, not before its time, and by the run of its family alone', async () => {
    await givenMany('c-1', 25, yesterday);
    await given('c-1', 'later', plusSeconds(now, 1));
    await given('c-1', 'other', yesterday, 'PAYOUT_POLL');
    const due = { [kind]: { pending: 0, lateSeconds: 86_400 } };
    expect(await enqueue()).toEqual({ queued: 25, failed: 0, due });
    expect(calls).toEqual([10, 10, 5]);
    expect(new Set(sentIds()).size).toBe(25);
    expect(sentIds()).not.toContain('later');
    sent = [];
    await enqueue({}, {}, 'PAYOUTS');
    expect(sent).toEqual([{ kind: 'PAYOUT_POLL', companyId: 'c-1', id: 'other', dueAt: yesterday }]);
  });

  it('costs no read before it is due: a minute of a hundred thousand companies reads as often as one of a hundred', async () => {
    const costs: (readonly number[])[] = [];
    for (const companies of [100, 100_000]) {
      table = memoryStore();
      const later = plusSeconds(now, 1);
      for (let start = 0; start < companies; start += 100)
        await table.write(
          Array.from({ length: 100 }, (_, n) => {
            const companyId = `company-${start + n}`;
            return { put: { ...keyOf(companyId, 'x'), ...dueAttributesAt(companyId, kind, later, 'x') } };
          }),
          `${companies}-${start}`,
        );
      const cost: number[] = [];
      for (isEmpty of [true, false]) {
        queries = 0;
        const due = { [kind]: { pending: 0, lateSeconds: 0 } };
        expect(await enqueue()).toEqual({ queued: 0, failed: 0, due });
        cost.push(queries);
      }
      costs.push(cost);
    }
    // With messages in the queue a run reads the new jobs and the others apart.
    const cost = [dueShards, 2 * dueShards];
    expect(costs).toEqual([cost, cost]);
    expect(calls).toEqual([]);
  });
});

describe('a run', () => {
  it('sends jobs of the last three minutes while the queue holds messages, and counts the others as pending', async () => {
    isEmpty = false;
    await given('c-1', 'old', yesterday);
    await given('c-1', 'of three minutes', plusSeconds(now, -180));
    await given('c-1', 'of less', plusSeconds(now, -179.999));
    await given('c-2', 'now', now);
    expect(await enqueue()).toEqual({ queued: 2, failed: 0, due: { [kind]: { pending: 2, lateSeconds: 86_400 } } });
    expect(sentIds()).toEqual(['now', 'of less']);
  });

  it('sends all due jobs in every tenth minute, though the queue holds messages', async () => {
    isEmpty = false;
    await given('c-1', 'old', yesterday);
    const at = (instant: Instant) => enqueue({}, { now: () => instant });
    expect(await at(plusSeconds(tenthMinute, -60))).toMatchObject({ queued: 0, due: { [kind]: { pending: 1 } } });
    expect(await at(tenthMinute)).toMatchObject({ queued: 1, due: { [kind]: { pending: 0 } } });
    expect(await at(plusSeconds(tenthMinute, 60))).toMatchObject({ queued: 0, due: { [kind]: { pending: 1 } } });
    expect(sentIds()).toEqual(['old']);
  });

  it('waits the grace of a kind: a job is new, and not late, when that is over', async () => {
    const options = { graceSeconds: { DELIVERY: 600 } };
    await given('c-1', 'waits', plusSeconds(now, -599.999), 'DELIVERY');
    await given('c-1', 'begins', plusSeconds(now, -600), 'DELIVERY');
    await given('c-1', 'ends', plusSeconds(now, -779.999), 'DELIVERY');
    await given('c-1', 'old', plusSeconds(now, -780), 'DELIVERY');
    await given('c-1', 'drain', now, 'BACKLOG');
    await given('c-1', 'old drain', plusSeconds(now, -180), 'BACKLOG');
    for (isEmpty of [false, true]) {
      sent = [];
      const { due } = await enqueue(options, {}, 'DELIVERIES');
      const old = isEmpty ? ['old', 'old drain'] : [];
      expect(sentIds()).toEqual(['begins', 'drain', 'ends', ...old].toSorted());
      const pending = isEmpty ? 0 : 1;
      expect(due).toEqual({
        DELIVERY: { pending, lateSeconds: 180 },
        BACKLOG: { pending, lateSeconds: 180 },
        DELIVERY_RESEND: { pending: 0, lateSeconds: 0 },
      });
    }
  });

  it('sends jobs of the re-driven kinds whatever their time, newest first and marked, and of others those due', async () => {
    isEmpty = false;
    const times = [yesterday, now, plusSeconds(now, 86_400)];
    for (const [place, at] of times.entries()) {
      // One shard has them all: an order holds within a shard.
      const id = idsOfShard('c-1', 'DELIVERY', 3)[place] ?? '';
      await given('c-1', id, at, 'DELIVERY');
      await given('c-2', `resend-${place}`, at, 'DELIVERY_RESEND');
    }
    await given('c-3', 'drain', plusSeconds(now, 60), 'BACKLOG');
    const redrive = { kinds: ['DELIVERY', 'BACKLOG'], at: now } as const;
    const report = await enqueue({ graceSeconds: { DELIVERY: 600 }, redrive }, {}, 'DELIVERIES');
    expect(report).toMatchObject({ queued: 6, failed: 0, due: { DELIVERY: { pending: 0, lateSeconds: 85_800 } } });
    const of = (own: DueKind) => sent.filter((job) => job.kind === own);
    expect(of('DELIVERY').map(({ dueAt }) => dueAt)).toEqual(times.toReversed());
    expect(of('BACKLOG')).toHaveLength(1);
    expect([...of('DELIVERY'), ...of('BACKLOG')].every(({ redrivenAt }) => redrivenAt === now)).toBe(true);
    const resends = of('DELIVERY_RESEND');
    expect(resends.map(({ dueAt }) => dueAt).toSorted()).toEqual([yesterday, now]);
    expect(resends.every(({ redrivenAt }) => redrivenAt === undefined)).toBe(true);
  });

  it('reports a shard that cannot be read, and sends the jobs of the others', async () => {
    for (let company = 0; company < 40; company += 1) await given(`c-${company}`, 'p');
    const busy = duePartitionOf('c-0', kind, 'p');
    const beside = Array.from({ length: 40 }, (_, company) => duePartitionOf(`c-${company}`, kind, 'p'));
    const hidden = beside.filter((partition) => partition === busy).length;
    const query: DueRun['store']['query'] = (asked) =>
      asked.partition === busy ? Promise.reject(new StoreUnavailable('busy')) : table.query(asked);
    expect(await enqueue({}, { store: { ...table, query } })).toMatchObject({ queued: 40 - hidden, failed: 1 });
    expect(failures).toEqual([new StoreUnavailable('busy')]);
    expect(await enqueue()).toMatchObject({ queued: 40, failed: 0 });
  });

  it('reports a queue that cannot be asked, sends the new jobs, and the next run sends the others', async () => {
    await given('c-1', 'old', yesterday);
    await given('c-1', 'new');
    const { isEmpty: ask } = queue;
    queue = { ...queue, isEmpty: () => Promise.reject(new Error('no queue')) };
    expect(await enqueue()).toMatchObject({ queued: 1, failed: 1, due: { [kind]: { pending: 1 } } });
    expect([failures, sentIds()]).toEqual([[new Error('no queue')], ['new']]);
    queue = { ...queue, isEmpty: ask };
    sent = [];
    expect(await enqueue()).toMatchObject({ queued: 2, failed: 0 });
    expect(sentIds()).toEqual(['new', 'old']);
  });

  it('reports messages that the queue does not take, sends the others, and the next run sends them all', async () => {
    await givenMany('c-1', 35, yesterday);
    const { send } = queue;
    const answers = [() => Promise.resolve(4), () => Promise.reject(new Error('no line'))];
    const unsafe: DueQueue['send'] = () => {
      throw new Error('at once');
    };
    queue = { ...queue, send: (batch) => (answers.pop() ?? (calls.length === 0 ? send : unsafe))(batch) };
    expect(await enqueue()).toMatchObject({ queued: 16, failed: 3 });
    expect(failures.map(String).toSorted()).toEqual([
      'Error: SQS did not take 4 of 10 messages.',
      'Error: at once',
      'Error: no line',
    ]);
    queue = { ...queue, send };
    sent = [];
    expect(await enqueue()).toMatchObject({ queued: 35, failed: 0 });
    expect(new Set(sentIds()).size).toBe(35);
  });

  it('makes ten calls to the queue at the same time at most, and waits for all of them', async () => {
    await givenMany('c-1', 400, yesterday);
    let [open, most] = [0, 0];
    const { send } = queue;
    const slow: DueQueue['send'] = async (batch) => {
      most = Math.max(most, (open += 1));
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return send(batch);
    };
    queue = { ...queue, send: slow };
    expect(await enqueue()).toMatchObject({ queued: 400 });
    expect({ most, open }).toEqual({ most: 10, open: 0 });
  });

  it('ends when its time is up, and later runs send the rest', async () => {
    await givenMany('c-1', 500, yesterday);
    const remainingMs = () => (calls.length < 20 ? 15_000 : 14_999);
    const { queued, failed } = await enqueue({}, { remainingMs });
    expect(failed).toBe(0);
    expect(queued).toBeGreaterThanOrEqual(200);
    expect(queued).toBeLessThan(250);
    sent = [];
    expect(await enqueue()).toMatchObject({ queued: 500 });
  });
});

describe('new jobs of one company', () => {
  /** Pages of ten entries, and a run that ends after so many: the backlog is longer than a run can read. */
  const shortRun = (pages: number): Partial<DueRun> => {
    let read = 0;
    const query: DueRun['store']['query'] = (asked) => {
      read += 1;
      return table.query({ ...asked, limit: 10 });
    };
    return { store: { ...table, query }, remainingMs: () => (read < pages ? Infinity : 0) };
  };

  it.each([
    [kind, 0],
    ['DELIVERY', 600],
  ] as const)('are sent first, however long the backlog of another company is: %s', async (of, grace) => {
    isEmpty = false;
    await givenMany('c-loud', 10_000, yesterday, of);
    for (let quiet = 0; quiet < 16; quiet += 1) await given(`c-quiet-${quiet}`, 'p', plusSeconds(now, -grace), of);
    const { queued, due } = await enqueue({ graceSeconds: { [of]: grace } }, shortRun(3 * dueShards), familyOf[of]);
    expect(queued).toBe(16);
    expect(sent.every(({ companyId }) => companyId.startsWith('c-quiet'))).toBe(true);
    expect(due[of]?.pending).toBeGreaterThan(500);
    expect(due[of]?.lateSeconds).toBe(86_400 - grace);
  });

  it('are sent a minute later when a run that sends everything does not come to them', async () => {
    await givenMany('c-loud', 10_000, yesterday);
    await given('c-quiet', 'p');
    const { queued } = await enqueue({}, shortRun(3 * dueShards));
    expect(queued).toBeGreaterThan(500);
    expect(sentIds()).not.toContain('p');
    [isEmpty, sent] = [false, []];
    await enqueue({}, { ...shortRun(3 * dueShards), now: () => plusSeconds(now, 60) });
    expect(sent.map(({ companyId }) => companyId)).toEqual(['c-quiet']);
  });
});

/** Ids of one company's jobs in one shard. */
function idsOfShard(companyId: string, of: DueKind, count: number): readonly string[] {
  const ids = Array.from({ length: 100 * dueShards }, (_, number) => `d-${number}`);
  const first = duePartitionOf(companyId, of, 'd-0');
  return ids.filter((id) => duePartitionOf(companyId, of, id) === first).slice(0, count);
}
