import { beforeEach, describe, expect, it } from 'vitest';
import type { SweepDeps } from '#shared/webhooks/dispatch/sweep.ts';
import { sweep } from '#shared/webhooks/dispatch/sweep.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { holdBacklog, newBacklog, releaseBacklog } from '#shared/webhooks/backlog/model.ts';
import { newWebhookSettings } from '#shared/webhooks/settings.ts';
import { backlogItem, backlogPut, readBacklog } from '#shared/webhooks/backlog/store.ts';
import { readWebhookSettings, webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import type { SweepWorld } from './sweep-world.ts';
import { base, grace, sweepWorld, t0 } from './sweep-world.ts';

let now: string;
let { table, deps, given, present, dispatches, activeSettings } = {} as SweepWorld;

beforeEach(async () => {
  now = plusSeconds(t0, grace);
  ({ table, deps, given, present, dispatches, activeSettings } = await sweepWorld({ now: () => now }));
});

const run = (redriving = false) => sweep(deps, { redriving });

describe('a line of what is held', () => {
  const name = 'type:PAYIN';
  const held = (place: number, heldAt = plusSeconds(t0, place)): Delivery => {
    return { ...base(`d-${place}`), status: 'HELD', createdAt: plusSeconds(t0, place), heldAt, backlog: name };
  };
  const backlog = () => readBacklog(table, 'c-1', name);

  beforeEach(async () => {
    await activeSettings();
    await table.write([backlogPut(releaseBacklog(newBacklog('c-1', name), t0), t0)], 'backlog');
  });

  it('goes on after whoever had to let the next one out died, and ends when nobody can come late', async () => {
    for (const place of [1, 0]) await given(held(place));
    now = t0;
    await run();
    const out = await present('d-0');
    expect(out).toMatchObject({ status: 'PENDING', dispatch: 2, releasedFrom: { backlog: name } });
    // On its way: however long that takes, nobody overtakes it.
    now = plusSeconds(t0, 121);
    await run();
    expect(await present('d-1')).toMatchObject({ status: 'HELD' });
    const { releasedFrom: _turn, dueAt: _due, nextAttemptAt: _next, ...rest } = (await present('d-0'))!;
    await given({ ...rest, status: 'DELIVERED', version: rest.version + 1 });
    await run();
    expect(await present('d-1')).toMatchObject({ status: 'HELD' });
    now = plusSeconds(t0, 242);
    await run();
    expect(await present('d-1')).toMatchObject({ status: 'PENDING' });
    const { releasedFrom: _over, dueAt: _then, nextAttemptAt: _at, ...last } = (await present('d-1'))!;
    await given({ ...last, status: 'DELIVERED', version: last.version + 1 });
    now = plusSeconds(t0, 500);
    await run();
    expect(await backlog()).toEqual({ companyId: 'c-1', name, version: expect.any(Number) as number });
  });

  it('leaves what was held for more than 7 days to be sent by hand', async () => {
    await given(held(0));
    now = plusSeconds(t0, 7 * 86_400 + 1);
    // It does not stand in the way of what was held later.
    await given(held(1, now));
    await run();
    expect(await present('d-0')).toMatchObject({ status: 'HELD' });
    expect(await present('d-0')).not.toHaveProperty('backlog');
    expect(await present('d-1')).toMatchObject({ status: 'PENDING' });
    expect(dispatches()).toMatchObject([{ deliveryId: 'd-1' }]);
  });

  it('stays held when the type has no active endpoint again, and the line ends', async () => {
    await given(held(0));
    const none = newWebhookSettings({ id: 's', companyId: 'c-1', organizationId: 'o', at: t0 });
    await table.write([{ put: webhookSettingsItem(none) }], 'cleared');
    await run();
    expect(await present('d-0')).toMatchObject({ status: 'HELD' });
    expect((await backlog())?.releasedAt).toBeUndefined();
  });
});

describe('a line of those who wait for an endpoint', () => {
  const name = 'endpoint:00ff';
  const url = 'https://partner.example/hooks';
  const open = { at: t0, failingSince: t0, probes: 0, probedAt: t0 };
  const paused = (place: number, target: Delivery['target'] = { type: 'PAYIN' }): Delivery => {
    const { dueAt: _due, nextAttemptAt: _next, ...rest } = base(`d-${String(place).padStart(3, '0')}`);
    return { ...rest, createdAt: plusSeconds(t0, place), target, backlog: name };
  };
  const failed = (times: number): Delivery['attempts'] =>
    Array.from({ length: times }, (_, place) => {
      return { number: place + 1, claimId: `c-${place}`, at: t0, outcome: 'FAILED' as const };
    });
  const write = async (more: object): Promise<void> => {
    const backlog = { ...newBacklog('c-1', name, url), version: 1, dueAt: t0, ...more };
    await table.write([{ put: backlogItem(backlog, t0) }], 'backlog');
  };
  beforeEach(() => activeSettings());

  it('is marked HELD when it is held, those of a type in its own line after the circuit gave up', async () => {
    for (let place = 0; place < 60; place += 1) await given(paused(place, place % 2 ? { endpoint: url } : undefined));
    const before = { ...newBacklog('c-1', name, url), open };
    await table.write([backlogPut(holdBacklog(before, 'CIRCUIT', t0, plusSeconds(t0, 120)), t0)], 'backlog');
    now = plusSeconds(t0, 119);
    await run();
    expect(await present('d-000')).toMatchObject({ status: 'PENDING' });
    now = plusSeconds(t0, 120);
    await run();
    const all = await Promise.all(Array.from({ length: 60 }, (_, place) => present(paused(place).id)));
    expect(new Set(all.map((one) => `${one?.status} ${one?.backlog} ${one?.heldAt}`))).toEqual(
      new Set([`HELD type:PAYIN ${now}`, `HELD ${name} ${now}`]),
    );
    const backlog = await readBacklog(table, 'c-1', name);
    expect(backlog).toMatchObject({ held: { by: 'CIRCUIT', failingSince: t0, isMarked: true } });
    expect(backlog?.dueAt).toBeUndefined();
  });

  it('is marked no further when the time of the run is up, and where it ended by the next', async () => {
    for (let place = 0; place < 60; place += 1) await given(paused(place, { endpoint: url }));
    await table.write([backlogPut(holdBacklog(newBacklog('c-1', name, url), 'OPERATOR', t0, t0), t0)], 'backlog');
    now = plusSeconds(t0, 120);
    let asked = 0;
    const query: SweepDeps['store']['query'] = (query) => {
      if (query.partition.includes('#BACKLOG#endpoint')) asked += 1;
      return table.query(query);
    };
    const marked = () => table.all().filter(({ entity, status }) => entity === 'DELIVERY' && status === 'HELD').length;
    deps = { ...deps, store: { ...table, query }, remainingMs: () => (asked < 1 ? Infinity : 14_000) };
    await run();
    expect(marked()).toBe(25);
    deps = { ...deps, remainingMs: () => Infinity };
    await run();
    expect(marked()).toBe(60);
  });

  it('is probed by the oldest of those with the most attempts left, at growing intervals', async () => {
    await given({ ...paused(0), attempts: failed(2) });
    await given({ ...paused(1), attempts: failed(1) });
    await given({ ...paused(2), attempts: failed(1) });
    await write({ open: { ...open, probes: 2 } });
    now = plusSeconds(t0, 10);
    await run();
    const at = plusSeconds(t0, 240);
    expect(await present('d-001')).toMatchObject({
      releasedFrom: { backlog: name, probe: true },
      nextAttemptAt: at,
      dispatch: 2,
    });
    expect(await readBacklog(table, 'c-1', name)).toMatchObject({ open: { probes: 2, probedAt: at } });
    expect(dispatches()).toMatchObject([{ deliveryId: 'd-001', notBefore: at }]);
  });

  it("does not spend anybody's last attempt before six hours, and then only one", async () => {
    for (const place of [0, 1]) await given({ ...paused(place), attempts: failed(4) });
    await write({ open: { ...open, probes: 9 } });
    for (const seconds of [900, 2000, 6 * 3600 - 1]) {
      now = plusSeconds(t0, seconds);
      await run();
      expect(dispatches()).toEqual([]);
    }
    now = plusSeconds(t0, 7 * 3600);
    await run();
    expect(dispatches()).toMatchObject([{ deliveryId: 'd-000' }]);
  });

  it('gives the endpoint up after five days: inactive, and its line held', async () => {
    await given(paused(0));
    await write({ open });
    now = plusSeconds(t0, 5 * 86_400);
    await run();
    expect(dispatches()).toEqual([]);
    expect(await readBacklog(table, 'c-1', name)).toMatchObject({ held: { by: 'CIRCUIT', at: now, failingSince: t0 } });
    expect((await readWebhookSettings(table, 'c-1')).events).toMatchObject([{ type: 'PAYIN', status: 'INACTIVE' }]);
    now = plusSeconds(now, 120);
    await run();
    expect(await present('d-000')).toMatchObject({ status: 'HELD', backlog: 'type:PAYIN' });
  });
});
