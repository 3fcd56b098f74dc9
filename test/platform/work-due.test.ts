import { beforeEach, describe, expect, it } from 'vitest';
import type { DueCount, DueRun, FailedWhere } from '#shared/platform/jobs/work-due.ts';
import { workDue } from '#shared/platform/jobs/work-due.ts';
import type { DueWork } from '#shared/platform/jobs/due.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { dueKinds } from '#shared/platform/jobs/due-kinds.ts';
import { dueAttributesAt, notDue } from '#shared/platform/table/keys.ts';
import { memoryStore } from '../support/memory-store.ts';
import { each } from '../support/each.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { workerNames, workers } from '#functions/workers.ts';

const now = '2026-03-02T12:00:00.000Z';
const kind = 'PAY_IN_EXPIRY';
const yesterday = plusSeconds(now, -86_400);

let table: ReturnType<typeof memoryStore>;
let failures: FailedWhere[];
let run: DueRun;
let queries: number;
beforeEach(() => {
  table = memoryStore();
  failures = [];
  queries = 0;
  const query: DueRun['store']['query'] = (asked) => {
    queries += 1;
    return table.query(asked);
  };
  run = {
    store: { ...table, query },
    now: () => now,
    random: () => 0.5,
    remainingMs: () => Infinity,
    failed: (where) => failures.push(where),
  };
});

const keyOf = (companyId: string, id: string) => ({ PK: `C#${companyId}#IT#${id}`, SK: 'IT' });
async function given(companyId: string, count: number, at = now, name = 'p'): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const id = `${name}-${String(n).padStart(5, '0')}`;
    await table.writeOne({ put: { ...keyOf(companyId, id), ...dueAttributesAt(companyId, kind, at, id) } });
  }
}
/** Work that is done leaves the index, as it does in the service. */
async function finish({ companyId, id }: DueWork): Promise<void> {
  await table.writeOne({ update: keyOf(companyId, id), remove: notDue, when: { is: 'present' } });
}
async function seen(work: (one: DueWork) => Promise<void> = finish, more: Partial<DueRun> = {}) {
  const done: DueWork[] = [];
  const count: DueCount = await workDue({ ...run, ...more }, { kind }, async (one) => {
    done.push(one);
    await work(one);
  });
  return { done, count };
}

describe('due work', () => {
  it('belongs, for each kind, to one worker, which may query the index across companies', () => {
    for (const own of each(dueKinds)) {
      const owners = workerNames.filter((name) => workers[name].due?.[own] !== undefined);
      expect(owners, own).toHaveLength(1);
      expect(owners.every((name) => workers[name].access.indexes?.includes('GSI3') === true)).toBe(true);
      // Resends are due until 20:59 alone; what is left of them then is another worker's.
      const schedule = own === 'SETTLEMENT_RESEND' ? { hour: '0-20' } : 'every minute';
      expect(owners.map((name) => workers[name].schedule)).toEqual([schedule]);
    }
  });

  it('is identified by company and id, whatever characters an id has', async () => {
    const id = 'https://host#part#2';
    await table.writeOne({ put: { ...keyOf('c-1', id), ...dueAttributesAt('c-1', kind, now, id) } });
    expect((await seen()).done).toEqual([{ companyId: 'c-1', id, dueAt: now }]);
  });

  it('costs as many reads for no company as for a hundred thousand with work that is due later', async () => {
    const costs: number[] = [];
    for (const companies of [100, 1000, 10_000, 100_000]) {
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
      queries = 0;
      expect((await seen()).count).toEqual({ done: 0, failed: 0, pending: 0, lateSeconds: 0 });
      costs.push(queries);
    }
    expect(new Set(costs)).toEqual(new Set([8]));
  });

  it('does the single piece of a company early when another company has 10 000', async () => {
    await given('c-loud', 10_000, yesterday);
    for (let quiet = 0; quiet < 16; quiet += 1) await given(`c-quiet-${quiet}`, 1, now);
    const slow = async (one: DueWork): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      await finish(one);
    };
    const { done, count } = await seen(slow);
    const positions = done.flatMap(({ companyId }, place) => (companyId.startsWith('c-quiet') ? [place] : []));
    expect(positions).toHaveLength(16);
    // What is done before them is what is done while ten pages of ids are read.
    expect(Math.max(...positions)).toBeLessThan(1000);
    expect(count).toMatchObject({ done: 2016, pending: 8000 });
  });

  it('is left for the next runs when the time is up, until all of it is done', async () => {
    for (let company = 0; company < 20; company += 1) await given(`c-${company}`, 30, yesterday);
    const firsts = new Set<string>();
    let total = 0;
    for (let minute = 0; minute < 60 && total < 600; minute += 1) {
      let begun = 0;
      const work = async (one: DueWork): Promise<void> => {
        begun += 1;
        await finish(one);
      };
      const { done } = await seen(work, {
        remainingMs: () => (begun < 20 ? 50_000 : 14_000),
        random: () => ((minute * 7) % 20) / 20,
      });
      firsts.add(done[0]?.companyId ?? '');
      total += done.length;
    }
    expect(total).toBe(600);
    expect(firsts.size).toBeGreaterThan(3);
  });

  it('is reached by a later run when older pieces before it fail every time', async () => {
    // More of them than a run takes of one company, and all of them older.
    await given('c-1', 2500, yesterday, 'broken');
    await given('c-1', 1, now, 'good');
    const chances = [0.5, 0.5, 0.2];
    const reached: boolean[] = [];
    for (const chance of chances) {
      const work = ({ id }: DueWork): Promise<void> =>
        id.startsWith('broken') ? Promise.reject(new Error('corrupt')) : Promise.resolve();
      const { done, count } = await seen(work, { random: () => chance });
      expect(count.failed).toBeGreaterThan(1900);
      reached.push(done.some(({ id }) => id.startsWith('good')));
    }
    expect(reached).toEqual([false, false, true]);
    expect(failures[0]).toEqual({ kind, companyId: 'c-1', id: 'broken-00000' });
  });

  it('continues with the other shards when one of them cannot be read', async () => {
    for (let company = 0; company < 40; company += 1) await given(`c-${company}`, 1);
    // The first that is read, with the chance that a run has here.
    const query: DueRun['store']['query'] = (asked) =>
      asked.partition.endsWith('#4') ? Promise.reject(new StoreUnavailable('busy')) : table.query(asked);
    const { done, count } = await seen(finish, { store: { ...table, query } });
    expect(done.length).toBeGreaterThan(20);
    expect(done.length).toBeLessThan(40);
    expect(count.failed).toBe(1);
    expect(failures).toEqual([{ kind }]);
    expect((await seen()).done.length + done.length).toBe(40);
  });

  it('is named as failed when it hangs, and stops neither the other pieces nor the end of the run', async () => {
    await given('c-0', 1, yesterday);
    await given('c-1', 20, now);
    let asked = 0;
    const { done, count } = await seen(
      (one) => (one.companyId === 'c-0' ? new Promise<void>(() => undefined) : finish(one)),
      // The first question is how long the run may wait: a fifth of a second before the three that it keeps.
      { remainingMs: () => ((asked += 1) === 1 ? 3200 : 50_000) },
    );
    expect(done).toHaveLength(21);
    expect(count).toMatchObject({ done: 20, failed: 1, lateSeconds: 86_400 });
    expect(failures).toEqual([{ kind, companyId: 'c-0', id: 'p-00000' }]);
  });

  it('reports the age of its oldest piece, whichever order it is read in', async () => {
    await given('c-1', 3, plusSeconds(now, -90));
    await given('c-2', 3, plusSeconds(now, -30));
    for (const chance of [0.9, 0.1])
      expect((await seen(() => Promise.resolve(), { random: () => chance })).count.lateSeconds).toBe(90);
  });
});
