import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import type { DueWork } from '#shared/platform/jobs/due.ts';
import { dueIn, dueOf, isDueBy } from '#shared/platform/jobs/due.ts';
import type { DueKind } from '#shared/platform/jobs/due-kinds.ts';
import { dueFamilies, dueFamilyNames, dueKinds, realTimeKinds } from '#shared/platform/jobs/due-kinds.ts';
import { dueAttributesAt, duePartitionOf, dueShards, notDue } from '#shared/platform/table/due-keys.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { dueIdsOf, dueJobs } from '#test/support/due.ts';
import type { TestEngine } from '#test/support/engine.ts';
import { startEngine } from '#test/support/engine.ts';
import { onEveryStore } from '#test/support/stores.ts';
import { each } from '#test/support/each.ts';

const now = '2026-03-02T12:00:00.000Z';
const later = plusSeconds(now, 1);

const lost = (error: unknown): never => {
  throw error;
};

async function collect(found: AsyncIterable<DueWork>): Promise<DueWork[]> {
  const all: DueWork[] = [];
  for await (const one of found) all.push(one);
  return all;
}

async function fill(store: Store, work: readonly DueWork[]): Promise<void> {
  for (let start = 0; start < work.length; start += 100) {
    const some = work.slice(start, start + 100);
    const puts = some.map(({ kind, companyId, id, dueAt: at }) => ({
      put: { ...keys.order(companyId, id), ...dueAttributesAt(companyId, kind, at, id) },
    }));
    await store.write(puts, randomUUID());
  }
}

/** Ids of a company's jobs, all of them in one shard. */
function idsOfShard(companyId: string, kind: DueKind, count: number): readonly string[] {
  const ids = Array.from({ length: 2 * count * dueShards }, (_, n) => `s-${n}`);
  const first = duePartitionOf(companyId, kind, 's-0');
  return ids.filter((id) => duePartitionOf(companyId, kind, id) === first).slice(0, count);
}

onEveryStore((open) => {
  describe('work that is due', () => {
    it('is found across companies, each job once, page by page, in either direction, and in its company', async () => {
      const kind = 'PAY_IN_EXPIRY';
      const companies = Array.from({ length: 20 }, () => randomUUID());
      const [loud = '', quiet = ''] = companies;
      // One shard has more than a page.
      const ofShard = idsOfShard(loud, kind, 1100).map((id) => ({ companyId: loud, id }));
      const ofAll = Array.from({ length: 1500 }, (_, n) => ({ companyId: companies[n % 20] ?? '', id: `p-${n}` }));
      const work = [...ofShard, ...ofAll].map(
        (one, n) => ({ ...one, kind, dueAt: plusSeconds(now, -(n % 97)) }) as const,
      );
      await fill(open(), work);
      await fill(open(), [{ kind, companyId: quiet, id: 'later', dueAt: later }]);
      await fill(open(), [{ kind: 'BACKLOG', companyId: quiet, id: 'other', dueAt: now }]);
      const byId = (some: readonly DueWork[]) => some.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      for (const range of [{ until: now }, { until: now, order: 'NEWEST_FIRST' }] as const)
        expect(byId(await collect(dueIn(open(), 'PAY_INS', range, lost)))).toEqual(byId(work));
      const own = await collect(dueOf(open(), loud, kind, now));
      expect(own.map(({ dueAt: at }) => at)).toEqual(own.map(({ dueAt: at }) => at).toSorted());
      expect(byId(own)).toEqual(byId(work.filter(({ companyId }) => companyId === loud)));
    });

    it('is found by a range of its times: after the first, and up to the last', async () => {
      const companyId = randomUUID();
      const times = [-2, -1, 0, 1].map((seconds) => plusSeconds(now, seconds));
      await fill(
        open(),
        times.map((dueAt) => ({ kind: 'KEY_CODE', companyId, id: dueAt, dueAt })),
      );
      const range = { after: plusSeconds(now, -2), until: now };
      const found = await collect(dueIn(open(), 'KEY_CODES', range, lost));
      expect(found.map(({ dueAt }) => dueAt).toSorted()).toEqual(times.slice(1, 3));
    });

    it('leaves both indexes at once', async () => {
      const companyId = randomUUID();
      const key = keys.order(companyId, 'd');
      await open().writeOne({ put: { ...key, ...dueAttributesAt(companyId, 'PAY_IN_EXPIRY', now, 'd') } });
      const findOwnDue = () => dueIdsOf(open(), companyId, 'PAY_IN_EXPIRY', now);
      expect(await findOwnDue()).toHaveLength(1);
      expect((await dueOf(open(), companyId, 'PAY_IN_EXPIRY', now).next()).value).toMatchObject({ id: 'd' });
      await open().writeOne({ update: key, remove: notDue, when: { is: 'present' } });
      expect(await findOwnDue()).toEqual([]);
      expect(await open().read([key])).toEqual([key]);
      expect(await dueOf(open(), companyId, 'PAY_IN_EXPIRY', now).next()).toEqual({ done: true, value: undefined });
    });

    it('is taken when it is due, as its own kind, by one of two runs', async () => {
      const companyId = randomUUID();
      const key = keys.order(companyId, 'p');
      const attributesAt = (at: string) => dueAttributesAt(companyId, 'PAYOUT_SUBMISSION', at, 'p');
      await open().writeOne({ put: { ...key, ...attributesAt(now) } });
      const take = async (kind: DueKind, id: string, at: string): Promise<boolean> => {
        const when = isDueBy(companyId, kind, id, at);
        return (await open().writeOne({ update: key, set: attributesAt(plusSeconds(at, 60)), when })).ok;
      };
      expect(await take('PAYOUT_SUBMISSION', 'p', plusSeconds(now, -1))).toBe(false);
      // The query of a payout is in the same shard.
      expect(await take('PAYOUT_POLL', 'p', now)).toBe(false);
      expect(await take('PAYOUT_SUBMISSION', 'p', now)).toBe(true);
      expect(await take('PAYOUT_SUBMISSION', 'p', now)).toBe(false);
    });

    it('stands in one index where its kind follows the clock of the machine', async () => {
      for (const kind of each(realTimeKinds)) {
        const companyId = randomUUID();
        const key = keys.order(companyId, kind);
        await open().writeOne({ put: { ...key, ...dueAttributesAt(companyId, kind, now, kind) } });
        expect(await dueIdsOf(open(), companyId, kind, now)).toEqual([kind]);
        expect((await open().read([key]))[0]).not.toHaveProperty('GSI2PK');
      }
    });

    it('is found once by a newest-first read when it moves to a later time meanwhile', async () => {
      const kind = 'DELIVERY';
      const companyId = randomUUID();
      // One shard has more than a page.
      const ids = idsOfShard(companyId, kind, 1100);
      const work = ids.map((id, n) => ({ kind, companyId, id, dueAt: plusSeconds(now, n) }) as const);
      await fill(open(), work);
      const found = dueIn(open(), 'DELIVERIES', { until: '9999', order: 'NEWEST_FIRST' }, lost);
      const met: string[] = [];
      for await (const one of found) {
        if (one.companyId !== companyId) continue;
        if (met.length < 3) await fill(open(), [{ ...one, dueAt: plusSeconds(now, 2000) }]);
        met.push(one.id);
      }
      expect(met).toEqual(ids.toReversed());
    });
  });
});

describe('a minute without due work', () => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startEngine('due');
  });
  afterAll(async () => {
    await engine.stop();
  });

  it('costs the same with a hundred and with a thousand companies that have work for later', async () => {
    let units = 0;
    let calls = 0;
    const store = dynamoStore({
      client: engine.client,
      tableName: engine.tableName,
      onConsumed: (consumed) => {
        units += consumed.units;
        calls += 1;
      },
    });
    const costs: { calls: number; units: number }[] = [];
    for (const companies of [100, 900]) {
      for (const kind of dueKinds)
        await fill(
          store,
          Array.from({ length: companies }, () => ({ kind, companyId: randomUUID(), id: 'x', dueAt: later })),
        );
      [units, calls] = [0, 0];
      for (const family of dueFamilyNames)
        expect(await collect(dueIn(store, family, { until: now }, lost))).toEqual([]);
      costs.push({ calls, units });
    }
    expect(costs[1]).toEqual(costs[0]);
    expect(costs[0]?.calls).toBe(dueShards * dueFamilyNames.length);
  });

  it('finds the jobs of every kind by the read of its family', async () => {
    const store = dynamoStore({ client: engine.client, tableName: engine.tableName });
    const companyId = randomUUID();
    await fill(
      store,
      dueKinds.map((kind) => ({ kind, companyId, id: kind, dueAt: now })),
    );
    for (const family of each(dueFamilyNames)) {
      const found = await collect(dueIn(store, family, { until: now }, lost));
      expect(found.map(({ kind }) => kind).toSorted()).toEqual(dueFamilies[family].toSorted());
    }
    expect(await dueJobs(store, 'CREDIT_RETURN', now)).toHaveLength(1);
  });
});
