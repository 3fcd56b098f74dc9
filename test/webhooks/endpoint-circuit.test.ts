import { beforeEach, describe, expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { CallResult } from '#shared/webhooks/deliveries/states.ts';
import type { Backlog } from '#shared/webhooks/backlog/model.ts';
import { newBacklog } from '#shared/webhooks/backlog/model.ts';
import type { BacklogEvent } from '#shared/webhooks/dispatch/report.ts';
import { backlogItem } from '#shared/webhooks/backlog/store.ts';
import { readWebhookSettings } from '#shared/webhooks/settings-store.ts';
import type { NotifierWorld } from './notifier-world.ts';
import { companyId, endpoint, name, notifierWorld, t0 } from './notifier-world.ts';

const failed: CallResult = { outcome: 'FAILED', httpStatus: 500, error: 'STATUS' };
const delivered: CallResult = { outcome: 'DELIVERED', httpStatus: 200 };
const hung: CallResult = { outcome: 'FAILED', error: 'TIMEOUT' };

let now: string;
let result: CallResult;
let calls: number;
let lineEvents: BacklogEvent['kind'][];

let { table, counted, given, receive, present, backlog, dispatches } = {} as NotifierWorld;

beforeEach(async () => {
  [now, result, calls, lineEvents] = [t0, delivered, 0, []];
  ({ table, counted, given, receive, present, backlog, dispatches } = await notifierWorld({
    now: () => now,
    send: () => {
      calls += 1;
      return Promise.resolve(result);
    },
    onBacklog: ({ kind }) => lineEvents.push(kind),
  }));
});

const open = { at: t0, failingSince: t0, probes: 0, probedAt: t0 };
const givenBacklog = (more: Partial<Backlog>) =>
  table.write([{ put: backlogItem({ ...newBacklog(companyId, name, endpoint), version: 1, ...more }, t0) }], 'backlog');

describe('an attempt', () => {
  it('of an endpoint that answers reads one item more than it needs, and writes no more', async () => {
    await given('d-1');
    await receive('d-1');
    expect(counted).toEqual({ reads: 5, writes: 2 });
    expect(await backlog()).toBeUndefined();
  });

  it('that fails is counted by one write, and forgotten by the next that is answered', async () => {
    for (const id of ['d-1', 'd-2', 'd-3']) await given(id);
    result = failed;
    await receive('d-1');
    await receive('d-2');
    expect((await backlog())?.failures).toMatchObject([{ at: t0, timedOut: false }, { at: t0 }]);
    expect(counted.writes).toBe(6);
    result = delivered;
    await receive('d-3');
    expect(await backlog()).toEqual({ companyId, name, endpoint, version: 3 });
  });
});

describe('a circuit', () => {
  it.each([
    ['50 workers whose calls fail', failed, 50],
    ['10 workers whose calls hang', hung, 10],
  ])('is opened by %s at once, and shown in the settings', async (_who, ends, workers) => {
    result = ends;
    // The worst case: all of them in step, so that each decides on what all of them have read.
    const sleep = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const ids = Array.from({ length: workers }, (_, place) => `d-${place}`);
    for (const id of ids) await given(id);
    await Promise.all(ids.map((id) => receive(id, 1, 1, { sleep })));
    expect(await backlog()).toMatchObject({ open: { at: t0, failingSince: t0, probes: 0 }, endpoint });
    expect(calls).toBe(workers);
    expect(lineEvents).toEqual(['circuit-opened']);
    expect((await readWebhookSettings(table, companyId)).events).toMatchObject([{ failingSince: t0 }]);
  });

  it('that is open makes what comes wait without a call, and sends the first of it as a probe', async () => {
    await givenBacklog({ open });
    for (const id of ['d-1', 'd-2']) {
      await given(id);
      expect(await receive(id)).toEqual({ do: 'ack' });
    }
    expect(calls).toBe(0);
    const probeAt = plusSeconds(t0, 60);
    expect(await present('d-1')).toMatchObject({
      status: 'PENDING',
      nextAttemptAt: probeAt,
      releasedFrom: { backlog: name, probe: true },
    });
    expect(await present('d-2')).toMatchObject({ status: 'PENDING', backlog: name, attempts: [] });
    expect(dispatches()).toMatchObject([{ deliveryId: 'd-1', dispatch: 2, notBefore: probeAt }]);
  });

  it('stays open when its probe fails: that one goes back, charged once, and another goes later', async () => {
    await givenBacklog({ open });
    for (const id of ['d-1', 'd-2']) {
      await given(id);
      await receive(id);
    }
    now = plusSeconds(t0, 60);
    result = failed;
    expect(await receive('d-1', 2)).toEqual({ do: 'ack' });
    expect(await present('d-1')).toMatchObject({ status: 'PENDING', backlog: name, attempts: [{ outcome: 'FAILED' }] });
    expect(await present('d-2')).toMatchObject({
      releasedFrom: { probe: true },
      nextAttemptAt: plusSeconds(t0, 60 + 120),
    });
    expect(await backlog()).toMatchObject({ open: { probes: 1 }, inFlight: { deliveryId: 'd-2' } });
    expect(lineEvents).toEqual(['delivery-released', 'probe-failed', 'delivery-released']);
  });

  it('is closed by the probe that is answered, and whoever waits goes out one after the other', async () => {
    await givenBacklog({ open });
    for (const id of ['d-1', 'd-2', 'd-3']) {
      now = plusSeconds(now, 1);
      await given(id);
      await receive(id);
    }
    now = plusSeconds(t0, 60);
    await receive('d-1', 2);
    expect(await backlog()).toMatchObject({ releasedAt: now, inFlight: { deliveryId: 'd-2' } });
    expect((await readWebhookSettings(table, companyId)).events[0]).not.toHaveProperty('failingSince');
    expect(await present('d-3')).toMatchObject({ backlog: name });
    await receive('d-2', 2);
    expect(await present('d-3')).toMatchObject({ status: 'PENDING', dispatch: 2, nextAttemptAt: now });
    await receive('d-3', 2);
    for (const id of ['d-1', 'd-2', 'd-3']) expect(await present(id)).toMatchObject({ status: 'DELIVERED' });
  });

  it('is closed by an attempt that had begun before, whose schedule went on', async () => {
    result = failed;
    await given('old');
    await receive('old');
    await table.write([{ put: backlogItem({ ...(await backlog())!, failures: [], version: 9, open }, t0) }], 'opened');
    await given('new');
    await receive('new');
    now = plusSeconds(t0, 61);
    result = delivered;
    await receive('old', 1, 2);
    expect(await present('old')).toMatchObject({ status: 'DELIVERED' });
    expect(await backlog()).toMatchObject({ releasedAt: now });
    expect(lineEvents).toContain('circuit-closed');
  });

  it('stops nothing that goes elsewhere: of another company, or to another address', async () => {
    await givenBacklog({ open });
    await given('d-1', { endpoint: 'https://other.example/' });
    await receive('d-1');
    expect(calls).toBe(1);
  });
});
