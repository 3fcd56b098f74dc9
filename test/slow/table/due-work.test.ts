import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import type { DueWork } from '#shared/platform/jobs/due.ts';
import { dueEverywhere, dueOf } from '#shared/platform/jobs/due.ts';
import type { DueKind } from '#shared/platform/jobs/due-kinds.ts';
import { dueKinds, realTimeKinds } from '#shared/platform/jobs/due-kinds.ts';
import { dueAttributesAt, keys, notDue } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { dueIdsOf } from '#test/support/due.ts';
import type { TestEngine } from '#test/support/engine.ts';
import { startEngine } from '#test/support/engine.ts';
import { onEveryStore } from '#test/support/stores.ts';
import { each } from '#test/support/each.ts';

const now = '2026-03-02T12:00:00.000Z';
const later = plusSeconds(now, 1);

const lost = (error: unknown): void => {
  throw error;
};

async function allDue(store: Store, kind: DueKind, chance = 0.5): Promise<DueWork[]> {
  const options = { random: () => chance, lost };
  const found: DueWork[] = [];
  for await (const one of dueEverywhere(store, kind, now, options)) found.push(one);
  return found;
}

async function fill(store: Store, kind: DueKind, work: readonly DueWork[]): Promise<void> {
  for (let start = 0; start < work.length; start += 100) {
    const some = work.slice(start, start + 100);
    const puts = some.map(({ companyId, id, dueAt: at }) => ({
      put: { ...keys.order(companyId, id), ...dueAttributesAt(companyId, kind, at, id) },
    }));
    await store.write(puts, randomUUID());
  }
}

onEveryStore((open) => {
  describe('work that is due', () => {
    it('is found across companies, each piece once, page by page, in either direction, and in its company', async () => {
      const companies = Array.from({ length: 20 }, () => randomUUID());
      const work = Array.from({ length: 2600 }, (_, n) => ({
        // One company has most of it, so that its shard has more than a page.
        companyId: companies[n < 2200 ? 0 : n % 20] ?? '',
        id: `p-${n}`,
        dueAt: plusSeconds(now, -(n % 97)),
      }));
      await fill(open(), 'PAY_IN_EXPIRY', work);
      await fill(open(), 'PAY_IN_EXPIRY', [{ companyId: companies[1] ?? '', id: 'later', dueAt: later }]);
      await fill(open(), 'BACKLOG', [{ companyId: companies[1] ?? '', id: 'other', dueAt: now }]);
      const byId = (some: readonly DueWork[]) => some.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      for (const chance of [0.1, 0.3, 0.99])
        expect(byId(await allDue(open(), 'PAY_IN_EXPIRY', chance)), `${chance}`).toEqual(byId(work));
      const own: DueWork[] = [];
      for await (const one of dueOf(open(), companies[0] ?? '', 'PAY_IN_EXPIRY', now)) own.push(one);
      expect(own.map(({ dueAt: at }) => at)).toEqual(own.map(({ dueAt: at }) => at).toSorted());
      expect(byId(own)).toEqual(byId(work.filter(({ companyId }) => companyId === companies[0])));
    });

    it('leaves both indexes at once', async () => {
      const companyId = randomUUID();
      const key = keys.order(companyId, 'd');
      await open().writeOne({ put: { ...key, ...dueAttributesAt(companyId, 'PAY_IN_EXPIRY', now, 'd') } });
      const findOwnDue = async () =>
        (await allDue(open(), 'PAY_IN_EXPIRY')).filter((one) => one.companyId === companyId);
      expect(await findOwnDue()).toHaveLength(1);
      expect((await dueOf(open(), companyId, 'PAY_IN_EXPIRY', now).next()).value).toMatchObject({ id: 'd' });
      await open().writeOne({ update: key, remove: notDue, when: { is: 'present' } });
      expect(await findOwnDue()).toEqual([]);
      expect(await open().read([key])).toEqual([key]);
      expect(await dueOf(open(), companyId, 'PAY_IN_EXPIRY', now).next()).toEqual({ done: true, value: undefined });
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
      const companyId = randomUUID();
      // More than a page.
      const work = Array.from({ length: 1100 }, (_, n) => ({ companyId, id: `d-${n}`, dueAt: plusSeconds(now, n) }));
      await fill(open(), 'DELIVERY', work);
      const found = dueEverywhere(open(), 'DELIVERY', '9999', { random: () => 0.99, lost, order: 'NEWEST_FIRST' });
      const met: string[] = [];
      for await (const one of found) {
        if (one.companyId !== companyId) continue;
        if (met.length < 3) await fill(open(), 'DELIVERY', [{ ...one, dueAt: plusSeconds(now, 2000) }]);
        met.push(one.id);
      }
      expect(met).toEqual(work.map(({ id }) => id).toReversed());
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
          kind,
          Array.from({ length: companies }, () => ({ companyId: randomUUID(), id: 'x', dueAt: later })),
        );
      [units, calls] = [0, 0];
      for (const kind of dueKinds) expect(await allDue(store, kind)).toEqual([]);
      costs.push({ calls, units });
    }
    expect(costs[1]).toEqual(costs[0]);
    expect(costs[0]?.calls).toBe(8 * dueKinds.length);
  });
});
