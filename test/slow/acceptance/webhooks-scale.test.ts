import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestContext } from 'vitest';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import { ListEndpoints } from '#functions/webhooks/list-endpoints/contract.ts';
import { ReleaseEndpoint } from '#functions/webhooks/release-endpoint/contract.ts';
import { ReplaceWebhookSettings } from '#functions/webhooks/replace/contract.ts';
import { GetWebhookSettings } from '#functions/webhooks/get/contract.ts';
import type { Partner } from '@banking-order/partner-tools';
import type { Store } from '#shared/platform/table/store.ts';
import { readHealth } from '#shared/webhooks/health/store.ts';
import { partnerOf } from '#test/support/client.ts';
import { needs } from '#test/support/environment.ts';
import type { LocalProcess } from '#test/support/environment-local.ts';
import { startLocalProcess } from '#test/support/environment-local.ts';
import type { CountingReceiver } from '#test/support/many-deliveries.ts';
import {
  givenCompany,
  notify,
  notifyAtOnce,
  notifySteadily,
  p99,
  startCountingReceiver,
  startNameServer,
  tableOf,
} from '#test/support/many-deliveries.ts';

const folder = mkdtempSync(join(tmpdir(), 'banking-order-service-scale-'));
let local: LocalProcess | undefined;
let store: Store;
let receiver: CountingReceiver;
let nameServer: Awaited<ReturnType<typeof startNameServer>>;
let partner: Partner;

/** The environment of these tests, with a name server of theirs. It is started by the first. */
async function begin(context: TestContext): Promise<void> {
  needs(context, 'latency', 'in a slow environment the waits of deliveries cannot be measured');
  if (local !== undefined) return;
  [nameServer, receiver] = [await startNameServer(), await startCountingReceiver()];
  // A delivery that fails before a circuit opens must not be FAILED before it closes.
  const retryDelaysSeconds = '20,60,60,60';
  local = await startLocalProcess({ folder, retryDelaysSeconds, nameServers: nameServer.address });
  store = tableOf(folder);
  partner = partnerOf(local.sandbox, local.sandbox.companies[0]);
}
afterEach(() => {
  if (local !== undefined) receiver.behave(() => ({ status: 200, afterMs: 0 }));
});
afterAll(async () => {
  if (local !== undefined) {
    await local.stop();
    await receiver.stop();
    nameServer.stop();
  }
  rmSync(folder, { recursive: true, force: true });
});

/** A call writes more than once, and reads: so many times the time of writing them all may sending them all take. */
const drainsInAWrite = 4;
/** For the record of the decision: `SHOW=1`. */
const show = (...figures: readonly unknown[]): void => {
  if (process.env['SHOW'] !== undefined) process.stderr.write(`${figures.join(' ')}\n`);
};
const shownOf = async (endpoint: string) =>
  (await partner.call(ListEndpoints)).body.data.find((one) => one.endpoint === endpoint);
const setEndpoint = (endpoint: string): Promise<unknown> =>
  partner.call(ReplaceWebhookSettings, { body: { events: [{ type: 'PAYIN', endpoint }] } });

describe('a receiver that takes two seconds', () => {
  test('keeps up with twenty a second, and is called busy', async (context) => {
    await begin(context);
    const endpoint = `${receiver.url}/slow`;
    await setEndpoint(endpoint);
    receiver.behave(() => ({ status: 200, afterMs: 2000 }));
    const seconds = 60;
    const sending = notifySteadily({ perSecond: 20, seconds }, () => notify(store, partner.companyId));
    await sleep(40_000);
    expect(await shownOf(endpoint)).toMatchObject({ state: 'BUSY' });
    const { events } = (await partner.call(GetWebhookSettings)).body;
    expect(events).toMatchObject([{ endpoint, status: 'ACTIVE' }]);
    expect(events[0]).not.toHaveProperty('failingSince');
    const waiting = (await partner.call(ListDeliveries, { query: { status: 'PENDING', limit: '100' } })).body.data;
    expect(new Set(waiting.map(({ pausedReason }) => pausedReason))).not.toContain('ENDPOINT_FAILING');
    const ids = await sending;
    const endedAt = Date.now();
    const arrivals = await receiver.until(ids, 200_000);
    expect(arrivals).toHaveLength(ids.length);
    // Calls that keep up are never far behind, however slow the machine is. Four at a time serve a tenth.
    const arrivedAt = new Map(arrivals.map(({ id, at }) => [id, at]));
    const late = ids.slice(ids.length / 2).filter((id) => arrivedAt.get(id)! <= endedAt);
    show('slow: p99', p99(arrivals.map(({ waitedMs }) => waitedMs)), 'served in time', (2 * late.length) / ids.length);
    expect(late.length).toBeGreaterThanOrEqual(0.25 * (ids.length / 2));
  });
});

describe('a receiver that was down', () => {
  test('gets five thousand that waited, each once, oldest first', async (context) => {
    await begin(context);
    const count = 5000;
    const endpoint = `${receiver.url}/back`;
    await setEndpoint(endpoint);
    receiver.behave(() => ({ status: 503, afterMs: 0 }));
    // The circuit opens with the first fifty; all that comes then waits.
    const failed = await notifySteadily({ perSecond: 50, seconds: 2 }, () => notify(store, partner.companyId));
    await expect.poll(() => shownOf(endpoint)).toMatchObject({ state: 'OPEN' });
    // Two of each order: they must come in their order.
    const orders = Array.from({ length: count / 2 }, () => randomUUID());
    const deferredBefore = deferralsOf(partner.companyId);
    const waiting: string[] = [];
    const writingFrom = Date.now();
    for (let from = 0; from < count; from += 50)
      waiting.push(
        ...(await Promise.all(
          Array.from({ length: 50 }, (_, place) =>
            notify(store, partner.companyId, { type: 'PAYIN' }, orders[(from + place) % orders.length]),
          ),
        )),
      );
    const writtenMs = Date.now() - writingFrom;
    // All wait, but for fifty at most: one that comes to the notifiers while the others are sent is not in their order.
    await expect.poll(() => deferralsOf(partner.companyId) - deferredBefore).toBeGreaterThanOrEqual(count - 50);
    await expect
      .poll(() => shownOf(endpoint))
      .toMatchObject({ state: 'OPEN', reason: 'HTTP 503', waitingExact: false });
    const last = async () => (await partner.call(ListDeliveries, { query: { limit: '1' } })).body.data[0];
    await expect.poll(last).toMatchObject({ status: 'PENDING', pausedReason: 'ENDPOINT_FAILING' });

    receiver.behave(() => ({ status: 200, afterMs: 50 }));
    const from = receiver.arrivals.length;
    const backAt = Date.now();
    // With thousands waiting, a release and new settings are answered immediately.
    await partner.call(ReleaseEndpoint, { body: { endpoint } });
    await setEndpoint(endpoint);
    expect(Date.now() - backAt).toBeLessThan(Math.max(2000, writtenMs / 10));
    await receiver.until(waiting, Math.max(200_000, 5 * writtenMs));
    await receiver.until(failed, 200_000);
    const arrivals = receiver.arrivals.slice(from);
    const begun = arrivals.filter(({ id }) => waiting.includes(id));
    expect(new Set(begun.map(({ id }) => id)).size).toBe(begun.length);
    const drainedMs = begun.at(-1)!.at - begun[0]!.at;
    show('back: first after', begun[0]!.at - backAt, 'ms, all', count, 'in', drainedMs, 'ms, written in', writtenMs);
    // A hundred thousand in twenty minutes is as much in this time. A slow machine writes them slowly, too.
    expect(drainedMs).toBeLessThanOrEqual(Math.max(1200_000 * (count / 100_000), drainsInAWrite * writtenMs));
    const positions = new Map(waiting.map((id, place) => [id, place]));
    begun.forEach(({ id }, place) => {
      // Fifty were created concurrently, and fifty are called concurrently.
      expect(Math.abs((positions.get(id) ?? 0) - place)).toBeLessThanOrEqual(100);
    });
    const later = await notifySteadily({ perSecond: 5, seconds: 6 }, () => notify(store, partner.companyId));
    const waits = (await receiver.until(later, 200_000)).map(({ waitedMs }) => waitedMs);
    show('new ones from then on: p99', p99(waits));
    expect(p99(waits)).toBeLessThanOrEqual(Math.max(10_000, writtenMs));
  });
});

/**
 * Notifies well companies, each once a second, beside whatever else happens, until all are delivered. Returns the 99th
 * percentile of their waits, milliseconds: for the record, because a busy machine adds its own.
 */
async function serveWell(
  companies: readonly string[],
  seconds: number,
  beside: () => Promise<unknown> = () => Promise.resolve(),
): Promise<number> {
  const meanwhile = beside();
  const ids = await notifySteadily({ perSecond: companies.length, seconds }, (place) =>
    notify(store, companies[place % companies.length]!),
  );
  const arrivals = await receiver.until(ids, 200_000);
  await meanwhile;
  return p99(arrivals.map(({ waitedMs }) => waitedMs));
}
/** How many deliveries of a company the notifiers have left to its drain. */
function deferralsOf(companyId: string): number {
  const lines = readFileSync(join(folder, 'functions.log'), 'utf8').split('\n');
  return lines.filter((line) => line.includes('Delivery deferred') && line.includes(companyId)).length;
}
const givenWell = (count: number): Promise<readonly string[]> =>
  Promise.all(Array.from({ length: count }, (_, place) => givenCompany(store, `${receiver.url}/well-${place}`)));

/** Most calls that were open at once. @param begun when each began; it hangs for ten seconds */
function mostAtOnce(begun: readonly number[]): number {
  return Math.max(...begun.map((at) => begun.filter((other) => other <= at && at < other + 10_000).length));
}

describe('a host that fails', () => {
  test('opens one circuit when it hangs at 300 addresses, and its deliveries leave the notifiers after the first slow calls', async (context) => {
    await begin(context);
    const companies = await givenWell(10);
    // Of a host that has answered within the last minute a call that hangs does not count: two companies.
    const [answered, dead] = [await givenCompany(store, receiver.url), await givenCompany(store, receiver.url)];
    await serveWell(companies, 3);
    const burst = (company: string) => () =>
      notifySteadily({ perSecond: 20, seconds: 15 }, (place) =>
        notify(store, company, { endpoint: `${receiver.url}/hook?subscription=${place}` }),
      );
    const besideWell = await serveWell(companies, 15, burst(answered));
    receiver.behave((path) => (path.startsWith('/hook') ? 'hangs' : { status: 200, afterMs: 0 }));
    const from = receiver.arrivals.length;
    const beside = serveWell(companies, 25, burst(dead));
    // The first slow calls tell, long before ten timeouts do: from then on its deliveries take no notifier.
    const statesOf = async () => (await readHealth(store, dead)).circuits.map(({ state }) => state);
    await expect.poll(statesOf, { timeout: 100_000, interval: 100 }).toContain('BUSY');
    const othersBeside = await beside;
    const calls = receiver.arrivals.slice(from).flatMap(({ path, at }) => (path.startsWith('/hook') ? [at] : []));
    show(
      'dead host: calls',
      calls.length,
      'at once',
      mostAtOnce(calls),
      'others p99 beside a host that answers',
      besideWell,
      'beside the dead one',
      othersBeside,
    );
    expect(mostAtOnce(calls)).toBeLessThanOrEqual(60);
    // Probes go on for as long as a slow machine takes. Without a circuit all three hundred are called.
    expect(calls.length).toBeLessThan(150);
    // Ten calls in a row without a response: on a busy machine they take their time.
    const openOf = async () => (await readHealth(store, dead)).circuits.filter(({ state }) => state === 'OPEN');
    await expect.poll(async () => (await openOf()).map(({ url }) => url)).toEqual([receiver.url]);
  });

  test('gets no more than its company’s share of calls when a burst comes to 100 addresses at once, and others wait for none of it', async (context) => {
    await begin(context);
    const companies = await givenWell(10);
    const dead = await givenCompany(store, receiver.url);
    await serveWell(companies, 3);
    const quiet = await serveWell(companies, 8);
    receiver.behave((path) => (path.startsWith('/burst') ? 'hangs' : { status: 200, afterMs: 0 }));
    const from = receiver.arrivals.length;
    const stalls = monitorEventLoopDelay();
    stalls.enable();
    const beside = await serveWell(companies, 11, () =>
      Promise.all(
        Array.from({ length: 5 }, (_, part) =>
          notifyAtOnce(store, dead, 20, (place) => ({ endpoint: `${receiver.url}/burst?of=${20 * part + place}` })),
        ),
      ),
    );
    stalls.disable();
    const begun = receiver.arrivals.slice(from).flatMap(({ path, at }) => (path.startsWith('/burst') ? [at] : []));
    // Of the machine as it is now, too: other work may have begun on it.
    receiver.behave(() => ({ status: 200, afterMs: 0 }));
    const quietMost = Math.max(quiet, await serveWell(companies, 8));
    show(
      'burst to a dead host: calls',
      begun.length,
      'at once',
      mostAtOnce(begun),
      'others',
      quietMost,
      'beside',
      beside,
    );
    expect(mostAtOnce(begun)).toBeLessThanOrEqual(60);
    // What holds up this process holds up the service's, too. A machine that is slow at rest shows only itself.
    const most = quietMost > 500 ? Infinity : 1000 + 5 * quietMost + (2 * stalls.max) / 1e6;
    expect(beside).toBeLessThanOrEqual(most);
  });

  test('opens the circuit of a path that answers 500, not that of the host, and its other path is served', async (context) => {
    await begin(context);
    /** Notifies both paths for some time. Returns those of the good one that came within it, and of how many. */
    const notifyBoth = async (company: string) => {
      const ids = await notifySteadily({ perSecond: 20, seconds: 15 }, (place) =>
        notify(store, company, { endpoint: `${receiver.url}${place % 2 === 0 ? '/bad' : '/good'}` }),
      );
      const good = ids.filter((_, place) => place % 2 === 1);
      const endedAt = Date.now();
      const arrivals = await receiver.until(good, 200_000);
      return { inTime: arrivals.filter(({ at }) => at <= endedAt).length, of: good.length };
    };
    // What this machine serves when both paths answer.
    const usual = await notifyBoth(await givenCompany(store, receiver.url));
    const company = await givenCompany(store, receiver.url);
    receiver.behave((path) => ({ status: path === '/bad' ? 500 : 200, afterMs: 0 }));
    const beside = await notifyBoth(company);
    const { circuits } = await readHealth(store, company);
    // A busy machine may make calls of the good one slow, which is counted and opens nothing.
    expect(circuits.filter(({ state }) => state === 'OPEN').map(({ url }) => url)).toEqual([`${receiver.url}/bad`]);
    show('one bad path: in time at the good one', beside.inTime, 'when both are good', usual.inTime, 'of', usual.of);
    expect(beside.inTime).toBeGreaterThanOrEqual(0.5 * usual.inTime);
  });
});

type Times = { readonly written: number; readonly arrived: number };
/**
 * The shares of a burst that were delivered before each of the others, of what waited when the other was written:
 * 0 is the first of all, 1 the last. Only of those before which two hundred waited.
 */
function sharesServedBefore(others: readonly Times[], burst: readonly Times[]): readonly number[] {
  return others.flatMap(({ written, arrived }) => {
    const before = burst.filter((notification) => notification.written < written && notification.arrived > written);
    const served = before.filter((notification) => notification.arrived < arrived);
    return before.length < 200 ? [] : [served.length / before.length];
  });
}
/** The value below which this part of all lies. */
function at(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? NaN;
}

describe('fifty companies', () => {
  test('overtake a burst of five thousand to one endpoint that is queued before them', async (context) => {
    await begin(context);
    const companies = await givenWell(50);
    const bursting = await givenCompany(store, `${receiver.url}/burst`);
    await serveWell(companies, 3);
    receiver.behave((path) => ({ status: 200, afterMs: path === '/burst' ? 300 : 0 }));
    const from = receiver.arrivals.length;
    const writtenAt = new Map<string, number>();
    const written = (ids: readonly string[]): void => {
      for (const id of ids) writtenAt.set(id, Date.now());
    };
    const burst: string[] = [];
    const others = notifySteadily({ perSecond: companies.length, seconds: 30 }, async (place) => {
      const id = await notify(store, companies[place % companies.length]!);
      written([id]);
      return id;
    });
    // Five writers at a time are faster than the deliveries: all this time thousands wait in the queue.
    while (burst.length < 5000) {
      const ids = await Promise.all(Array.from({ length: 5 }, () => notifyAtOnce(store, bursting, 20)));
      written(ids.flat());
      burst.push(...ids.flat());
    }
    const overtaking = await others;
    await receiver.until(overtaking, 300_000);
    await receiver.until(burst, 400_000);
    const arrivedAt = new Map(receiver.arrivals.slice(from).map(({ id, at }) => [id, at]));
    const timesOf = (id: string): Times => ({ written: writtenAt.get(id)!, arrived: arrivedAt.get(id)! });
    const shares = sharesServedBefore(overtaking.map(timesOf), burst.map(timesOf));
    show(
      'burst: served before others, share of what was queued before them, p90',
      at(shares, 0.9),
      'of',
      shares.length,
    );
    // First come, first served is a share of one, however slow the machine is.
    expect(shares.length).toBeGreaterThan(50);
    expect(at(shares, 0.9)).toBeLessThanOrEqual(0.9);
  });

  test('are served beside a burst for hosts whose name servers never answer, which the drain takes over', async (context) => {
    await begin(context);
    const companies = await Promise.all(
      Array.from({ length: 20 }, (_, place) => givenCompany(store, `http://p${place}.example.com:${receiver.port}/`)),
    );
    const silent = await givenCompany(store, receiver.url);
    await serveWell(companies, 3);
    const alone = await serveWell(companies, 10);
    const beside = await serveWell(companies, 20, () =>
      notifySteadily({ perSecond: 20, seconds: 15 }, (place) =>
        notify(store, silent, { endpoint: `http://silent-${place}.example.com:${receiver.port}/` }),
      ),
    );
    const deferred = deferralsOf(silent);
    show('silent name servers: others p99 alone', alone, 'beside', beside, 'deferred of 300', deferred);
    // Each host has one delivery: no circuit opens by its timeouts. Without the slow calls' circuit none is deferred;
    // with it 260 on a quiet machine, and as few as 60 on a busy one.
    expect(deferred).toBeGreaterThanOrEqual(15);
  });
});
