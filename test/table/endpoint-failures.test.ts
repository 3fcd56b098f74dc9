import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { epochSeconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { CallResult } from '#shared/webhooks/deliveries/states.ts';
import type { CircuitRules } from '#shared/webhooks/health/circuit.ts';
import { countCall } from '#shared/webhooks/health/count-call.ts';
import type { CompanyHealth } from '#shared/webhooks/health/health.ts';
import { addressCircuit, afterCall, originCircuit } from '#shared/webhooks/health/health.ts';
import { changeHealth, readHealth } from '#shared/webhooks/health/store.ts';
import { circuitRules } from '../support/circuit.ts';
import { onEveryStore } from '../support/stores.ts';

const t0 = '2026-03-02T12:00:00.000Z';
const after = (seconds: number): string => plusSeconds(t0, seconds);
const endpoint = 'https://partner.example/hooks';
const answered: CallResult = { outcome: 'FAILED', error: 'STATUS', httpStatus: 500 };
const hung: CallResult = { outcome: 'FAILED', error: 'TIMEOUT' };
const delivered: CallResult = { outcome: 'DELIVERED', httpStatus: 200 };
/** No circuit opens: all that is counted stays. */
const neverOpen: CircuitRules = { ...circuitRules, failures: 1000, timeouts: 1000 };

type CallOptions = {
  readonly at?: string;
  readonly earlier?: readonly string[];
  readonly to?: string;
  /** What its worker read of the health before the call; unless given, what there is. */
  readonly known?: CompanyHealth;
  readonly rules?: CircuitRules;
};

function workers(store: Store) {
  const companyId = randomUUID();
  let now = t0;
  const deps = (rules: CircuitRules) => ({
    ...{ store, now: () => now, newId: () => randomUUID(), rules },
    sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
  });
  const health = () => readHealth(store, companyId);
  /** One call ends, and is counted. */
  const call = async (result: CallResult, { at = now, earlier = [], to = endpoint, ...more }: CallOptions = {}) => {
    now = at;
    const { rules = neverOpen, known = await health() } = more;
    const attempts = earlier.map((begun, place) => {
      return { number: place + 1, claimId: '', at: begun, outcome: 'FAILED' as const };
    });
    const endedCall = { id: randomUUID(), delivery: { attempts }, endpoint: to, at, result, isProbe: false };
    const seen = await countCall(deps(rules), known, endedCall);
    return changeHealth(deps(rules), seen.health, (current) => afterCall(current, endedCall, seen.counted, now, rules));
  };
  /** So many calls end at the same time, of workers that all have read the health before. */
  const atOnce = async (count: number, result: (place: number) => CallResult, more: (place: number) => CallOptions) => {
    const known = await health();
    await Promise.all(Array.from({ length: count }, (_, place) => call(result(place), { known, ...more(place) })));
  };
  const failuresOf = async (name = addressCircuit(endpoint)) =>
    (await store.read([keys.endpointFailures(companyId, name)]))[0];
  return { health, call, atOnce, failuresOf };
}

onEveryStore((open) => {
  describe('failed calls in a row', () => {
    it.each([
      ['answers of 500', answered, { failures: 80, deliveries: 80, timeouts: 0 }],
      ['timeouts', hung, { failures: 80, deliveries: 80, timeouts: 80 }],
    ])('are all counted when eighty workers have %s concurrently', async (_name, result, expected) => {
      const { atOnce, failuresOf } = workers(open());
      await atOnce(
        80,
        () => result,
        () => ({}),
      );
      expect(await failuresOf()).toMatchObject({ ...expected, since: t0 });
      const origin = await failuresOf(originCircuit(endpoint));
      expect(origin?.['timeouts']).toBe(result === hung ? 80 : undefined);
    });

    it('open their circuit by the numbers of the rules when many workers fail at once', async () => {
      const { atOnce, health } = workers(open());
      const rules = circuitRules;
      await atOnce(
        49,
        () => answered,
        () => ({ rules }),
      );
      expect((await health()).circuits).toMatchObject([{ state: 'CLOSED' }]);
      await atOnce(
        30,
        () => answered,
        () => ({ rules }),
      );
      expect((await health()).circuits).toMatchObject([{ state: 'OPEN', failingSince: t0, probes: 0 }]);
    });

    it('are counted for each of twenty addresses when the first calls to all of them fail at once', async () => {
      const { atOnce, health, failuresOf } = workers(open());
      const to = (place: number): string => `${endpoint}/${place % 20}`;
      await atOnce(
        80,
        () => answered,
        (place) => ({ to: to(place) }),
      );
      expect((await health()).circuits).toHaveLength(20);
      for (let place = 0; place < 20; place += 1)
        expect(await failuresOf(addressCircuit(to(place)))).toMatchObject({ failures: 4 });
    });

    it('are counted from 0 after a success, also by a worker that read the health before it', async () => {
      const { call, health, failuresOf } = workers(open());
      await call(answered);
      const known = await health();
      await call(answered, { at: after(1) });
      await call(delivered, { at: after(2) });
      expect(await failuresOf()).not.toHaveProperty('since');
      await call(answered, { at: after(3), known });
      expect(await failuresOf()).toMatchObject({ since: after(3), failures: 1, deliveries: 1 });
      await call(delivered, { at: after(4) });
      await call(delivered, { at: after(5) });
      expect(await failuresOf()).toMatchObject({ failures: 0, deliveries: 0, timeouts: 0 });
    });

    it('count as timeouts in a row without another outcome between them, each delivery once', async () => {
      const { call, failuresOf } = workers(open());
      await call(hung);
      await call(hung, { at: after(60), earlier: [t0] });
      await call(hung, { at: after(61) });
      expect(await failuresOf()).toMatchObject({ failures: 3, deliveries: 2, timeouts: 2, timeoutsSince: t0 });
      await call(answered, { at: after(62) });
      expect(await failuresOf()).toMatchObject({ failures: 4, deliveries: 3, timeouts: 0 });
      await call(hung, { at: after(63), earlier: [t0, after(60)] });
      expect(await failuresOf()).toMatchObject({ failures: 5, deliveries: 3, timeouts: 1, timeoutsSince: after(63) });
    });

    it('stay in the table for two days after the last of them, however it failed', async () => {
      const { call, failuresOf } = workers(open());
      for (const [place, result] of [answered, answered, hung, hung, answered].entries()) {
        const at = after(place * 40_000);
        await call(result, { at });
        expect(await failuresOf()).toMatchObject({ lastAt: at, expiresAt: epochSeconds(at) + 2 * 86_400 });
      }
    });

    it('count within ten minutes of the first; timeouts go on', async () => {
      const { call, failuresOf } = workers(open());
      await call(hung);
      await call(hung, { at: after(600) });
      expect(await failuresOf()).toMatchObject({ since: t0, failures: 2, timeouts: 2 });
      await call(hung, { at: after(601) });
      const expected = { since: after(601), failures: 1, deliveries: 1, timeouts: 3, timeoutsSince: t0 };
      expect(await failuresOf()).toMatchObject(expected);
    });

    it('lose none of failures and timeouts that mix at once, and a success among them loses none that follow', async () => {
      const { atOnce, call, failuresOf } = workers(open());
      await atOnce(
        60,
        (place) => (place % 2 === 0 ? answered : hung),
        () => ({}),
      );
      expect(await failuresOf()).toMatchObject({ failures: 60, deliveries: 60 });
      await atOnce(
        60,
        (place) => (place % 3 === 0 ? delivered : answered),
        () => ({}),
      );
      await call(delivered);
      await atOnce(
        10,
        () => answered,
        () => ({}),
      );
      expect(await failuresOf()).toMatchObject({ failures: 10, deliveries: 10 });
    });

    it('are no longer looked for once a success came a minute after the last; the next failure begins a count', async () => {
      const { call, health, failuresOf } = workers(open());
      const failed = await call(answered);
      await call(delivered, { at: after(59) });
      expect((await health()).circuits).toHaveLength(1);
      await call(delivered, { at: after(60) });
      expect((await health()).circuits).toEqual([]);
      await call(answered, { at: after(61), known: failed });
      await call(answered, { at: after(62), known: failed });
      expect(await failuresOf()).toMatchObject({ since: after(61), failures: 2 });
      expect((await health()).circuits).toMatchObject([{ counted: { id: (await failuresOf())?.['id'] } }]);
    });
  });
});
