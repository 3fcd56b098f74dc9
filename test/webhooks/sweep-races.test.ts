import { beforeEach, describe, expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { deliveryItem } from '#shared/platform/outbox/delivery-items.ts';
import type { SweepRun } from '#test/support/sweep.ts';
import { sweep } from '#test/support/sweep.ts';
import { askForDrain } from '#shared/webhooks/health/health.ts';
import { changeHealth, readHealth } from '#shared/webhooks/health/store.ts';
import type { SweepWorld } from './sweep-world.ts';
import { base, grace, sweepWorld, t0 } from './sweep-world.ts';

const now = plusSeconds(t0, grace);
let failures: unknown[];
let { table, deps, given, dispatches } = {} as SweepWorld;

beforeEach(async () => {
  failures = [];
  ({ table, deps, given, dispatches } = await sweepWorld({
    now: () => now,
    failed: (_where, error) => failures.push(error),
  }));
});

const run = (redriving = false) => sweep(deps, { redriving });

describe('the sweep, while others change what it finds,', () => {
  it('reads the newest first after a restart: what it sends again comes later in the index than all that it reads', async () => {
    const orders = new Set<unknown>();
    const query: SweepRun['store']['query'] = (asked) => {
      if (asked.partition.includes('DUE#')) orders.add(asked.ascending);
      return table.query(asked);
    };
    deps = { ...deps, store: { ...table, query } };
    await run(true);
    expect([...orders]).toEqual([false]);
  });

  it('believes the item and not the index, which lags', async () => {
    const { GSI2SK = '', GSI3PK = '' } = deliveryItem(base('d-1'));
    const done = deliveryItem({ ...base('d-1'), status: 'DELIVERED' });
    await table.write([{ put: { ...done, GSI2SK, GSI3PK } }], 'stale');
    await changeHealth(deps, await readHealth(table, 'c-1'), (health) => askForDrain(health, ['type:PAYIN'], t0, t0));
    const later = plusSeconds(now, 600);
    let found: () => Promise<unknown> = () => table.read([]);
    const query: SweepRun['store']['query'] = async (asked) => {
      const page = await table.query(asked);
      if (page.items.some(({ SK }) => SK === 'HEALTH')) await found();
      return page;
    };
    deps = { ...deps, store: { ...table, query } };
    const change = async (at: string | undefined): Promise<void> => {
      await changeHealth({ ...deps, store: table }, await readHealth(table, 'c-1'), ({ drainAt: _, ...health }) => {
        return { ...health, ...(at !== undefined && { drainAt: at }) };
      });
    };
    found = () => change(later);
    expect(await run()).toMatchObject({ sentAgain: 0, failed: 0 });
    expect(await readHealth(table, 'c-1')).toMatchObject({ drainAt: later });
    for (const redriving of [false, true]) {
      await change(t0);
      const { drains } = await readHealth(table, 'c-1');
      found = () => change(undefined);
      expect(await run(redriving)).toMatchObject({ sentAgain: 0, failed: 0 });
      const health = await readHealth(table, 'c-1');
      expect([health.drains, health.drainAt]).toEqual([drains, undefined]);
    }
    expect(failures).toEqual([]);
  });

  it('does not count a delivery as sent again when another worker changed it first', async () => {
    await given(base('d-1'));
    const write: SweepRun['store']['write'] = async (writes, token) => {
      await given({ ...base('d-1'), version: 2, status: 'DELIVERED' });
      return table.write(writes, token);
    };
    deps = { ...deps, store: { ...table, write } };
    expect(await run()).toMatchObject({ sentAgain: 0, failed: 0 });
    expect([dispatches(), failures]).toEqual([[], []]);
  });
});
