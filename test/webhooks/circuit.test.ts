import { describe, expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { CallResult } from '#shared/webhooks/deliveries/states.ts';
import type { Circuit } from '#shared/webhooks/health/circuit.ts';
import { afterProbe, hasFailedTooLong, mayProbeWithLast, openCircuit } from '#shared/webhooks/health/circuit.ts';
import { countCall } from '#shared/webhooks/health/count-call.ts';
import type { CompanyHealth } from '#shared/webhooks/health/health.ts';
import {
  addressCircuit,
  admit,
  afterCall,
  afterQuick,
  afterSlow,
  askForDrain,
  newHealth,
  pausedReasonOf,
} from '#shared/webhooks/health/health.ts';
import { changeHealth, readHealth } from '#shared/webhooks/health/store.ts';
import { holdEndpoint } from '#shared/webhooks/health/operations.ts';
import { newWebhookSettings, replaceEndpoints } from '#shared/webhooks/settings.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import { circuitRules as rules } from '../support/circuit.ts';
import { each } from '../support/each.ts';
import { memoryStore } from '../support/memory-store.ts';
import { testIds } from '../support/test-ids.ts';
import { base } from './sweep-world.ts';

const t0 = '2026-03-02T12:00:00.000Z';
const after = (seconds: number): string => plusSeconds(t0, seconds);
const origin = 'https://partner.example';
const endpoint = `${origin}/hooks`;
const answered: CallResult = { outcome: 'FAILED', error: 'STATUS', httpStatus: 500 };
const hung: CallResult = { outcome: 'FAILED', error: 'TIMEOUT' };
const dead: CallResult = { outcome: 'FAILED', error: 'TIMEOUT', isUnreached: true };
const settings = newWebhookSettings({ id: 's', companyId: 'c', organizationId: 'o', at: t0 });
const delivered: CallResult = { outcome: 'DELIVERED', httpStatus: 200 };

type CallOptions = { readonly earlier?: readonly string[]; readonly to?: string; readonly isProbe?: boolean };
/** A company whose calls end one after the other, each counted as a worker counts it. */
function company() {
  const store = memoryStore();
  const ids = testIds();
  let [now, callCount] = [t0, 0];
  const deps = { store, now: () => now, newId: () => ids.uuid(), rules };
  const health = () => readHealth(store, 'c');
  const change = async (next: Parameters<typeof changeHealth>[2]) => changeHealth(deps, await health(), next);
  const call = async (result: CallResult, at: string, more: CallOptions = {}): Promise<CompanyHealth> => {
    now = at;
    callCount += 1;
    const attempts = (more.earlier ?? []).map((begun, place) => {
      return { number: place + 1, claimId: '', at: begun, outcome: 'FAILED' as const };
    });
    const to = { endpoint: more.to ?? endpoint, isProbe: more.isProbe ?? false };
    const endedCall = { id: `call-${callCount}`, delivery: { attempts }, ...to, at, result };
    const { health: known, counted } = await countCall(deps, await health(), endedCall);
    return changeHealth(deps, known, (current) => afterCall(current, endedCall, counted, at, rules));
  };
  const calls = async (count: number, result: CallResult, more: (place: number) => CallOptions = () => ({})) => {
    for (let place = 0; place < count; place += 1) await call(result, after(place), more(place));
    return health();
  };
  return { store, health, change, call, calls };
}
const calls = (...given: Parameters<ReturnType<typeof company>['calls']>) => company().calls(...given);
const states = ({ circuits }: CompanyHealth) =>
  Object.fromEntries(circuits.map(({ url, state }) => [url.slice(origin.length), state]));

describe('a circuit', () => {
  it('writes no item for calls that are quick and delivered', async () => {
    const { call, store } = company();
    expect(await call(delivered, t0)).toEqual(newHealth('c'));
    expect(store.all()).toEqual([]);
    const health = newHealth('c');
    expect(afterQuick(health, endpoint, t0)).toBe(health);
  });

  it('opens after 50 failed answers in a row over 25 deliveries within ten minutes, at its address alone', async () => {
    expect(states(await calls(49, answered))).toEqual({ '/hooks': 'CLOSED' });
    expect(states(await calls(50, answered))).toEqual({ '/hooks': 'OPEN' });
    const again = (deliveries: number) => (place: number) => (place < deliveries ? {} : { earlier: [after(1)] });
    expect(states(await calls(60, answered, again(24)))).toEqual({ '/hooks': 'CLOSED' });
    expect(states(await calls(49, answered, again(25)))).toEqual({ '/hooks': 'CLOSED' });
    expect(states(await calls(50, answered, again(25)))).toEqual({ '/hooks': 'OPEN' });
    const opened = (await calls(50, answered)).circuits[0];
    expect(opened).toMatchObject({ failingSince: t0, reason: 'HTTP 500', probes: 0, probeAt: after(49 + 60) });
  });

  it('begins to count again after a success, and after ten minutes', async () => {
    const counted = async (...then: readonly (readonly [CallResult, string])[]) => {
      const { calls, call, health } = company();
      await calls(49, answered);
      for (const [result, at] of then) await call(result, at);
      return states(await health());
    };
    expect(await counted([delivered, after(50)], [answered, after(51)])).toEqual({ '/hooks': 'CLOSED' });
    expect(await counted([answered, after(601)])).toEqual({ '/hooks': 'CLOSED' });
    expect(await counted([answered, after(600)])).toEqual({ '/hooks': 'OPEN' });
  });

  it('opens for address and origin after ten timeouts in a row, of ten deliveries', async () => {
    expect(states(await calls(9, hung))).toEqual({ '/hooks': 'CLOSED', '': 'CLOSED' });
    expect(states(await calls(10, hung))).toEqual({ '/hooks': 'OPEN', '': 'OPEN' });
    const onceMore = (place: number): CallOptions => (place === 9 ? { earlier: [after(3)] } : {});
    expect(states(await calls(10, hung, onceMore))).toEqual({ '/hooks': 'CLOSED', '': 'CLOSED' });
  });

  it('opens for the origin alone where no request was delivered, whatever the addresses', async () => {
    const health = await calls(10, dead, (place) => ({ to: `${endpoint}?subscription=${place}` }));
    expect(states(health)).toEqual({ '': 'OPEN' });
    const settings = { events: [] };
    const other = { target: { endpoint: `${origin}/other` }, attempts: [] };
    expect(admit(other, settings, health, after(10))).toMatchObject({
      to: 'defer',
      backlog: expect.stringMatching(/^origin:/u) as string,
    });
    expect(admit({ ...other, target: { endpoint: 'https://a.example/' } }, settings, health, t0).to).toBe('endpoint');
  });

  it('stays closed for an origin that answers, while the one of a path that times out opens', async () => {
    const { call, health } = company();
    for (let place = 0; place < 40; place += 1) {
      await call(hung, after(2 * place), { to: `${origin}/hangs` });
      await call(place % 2 === 0 ? answered : delivered, after(2 * place + 1));
    }
    expect(states(await health())).toMatchObject({ '/hangs': 'OPEN', '': 'CLOSED' });
  });

  it('is half-open after any successful call, and its next probe is later after each failed one', async () => {
    const { calls, call } = company();
    const open = await calls(50, answered);
    expect(await call(answered, after(100))).toEqual(open);
    const probed = await call(answered, after(110), { isProbe: true });
    expect(probed.circuits[0]).toMatchObject({ state: 'OPEN', probes: 1, probeAt: after(110 + 120) });
    let failing = probed;
    for (let probe = 0; probe < 5; probe += 1) failing = await call(answered, after(1000), { isProbe: true });
    expect(failing.circuits[0]).toMatchObject({ probeAt: after(1900) });
    expect(states(await call(delivered, after(1000)))).toEqual({ '/hooks': 'HALF_OPEN' });
  });

  it('is busy while calls take long, and ends by itself', () => {
    const slow = afterSlow(newHealth('c'), endpoint, true, t0);
    expect(states(slow)).toEqual({ '/hooks': 'BUSY', '': 'BUSY' });
    expect(afterSlow(slow, endpoint, true, after(20))).toBe(slow);
    const settings = { events: [] };
    const one = { target: { endpoint }, attempts: [] };
    expect(admit(one, settings, slow, after(59)).to).toBe('defer');
    expect(admit(one, settings, slow, after(60)).to).toBe('endpoint');
    const quick = afterQuick(slow, `${origin}/quick`, after(10));
    expect(states(quick)).toEqual({ '/hooks': 'BUSY', '': 'CLOSED' });
    // The origin answers: another slow path says nothing about it for a minute.
    expect(states(afterSlow(quick, `${origin}/slow`, true, after(20)))).toMatchObject({
      '/slow': 'BUSY',
      '': 'CLOSED',
    });
    expect(states(afterSlow(quick, `${origin}/slow`, false, after(20)))).toMatchObject({ '': 'BUSY' });
  });

  it.each([
    ['OPEN', 'HTTP 500', false, 'defer'],
    ['OPEN', 'HTTP 500', true, 'endpoint'],
    ['OPEN', 'TIMEOUT', true, 'defer'],
    ['HALF_OPEN', '', true, 'endpoint'],
    ['HALF_OPEN', '', false, 'defer'],
    ['HELD', '', true, 'hold'],
  ] as const)('in state %s (%s) decides for a delivery with an attempt (%s): %s', (state, reason, hasBegun, to) => {
    const known: Circuit = { name: addressCircuit(endpoint), url: endpoint, state: 'CLOSED', until: t0 };
    const open = openCircuit(known, { now: t0, failingSince: t0, reason }, rules);
    const { name, url } = open;
    const circuit: Circuit =
      state === 'OPEN'
        ? open
        : state === 'HELD'
          ? { name, url, state, since: t0, by: 'OPERATOR' }
          : { name, url, state, since: t0 };
    const attempts = [{ number: 1, claimId: 'c', at: t0, outcome: 'FAILED' as const }];
    // The claim of a worker that died is an attempt, too.
    const claim = { id: 'c', number: 1, at: t0, leaseUntil: after(20) };
    const begun = hasBegun ? [{ attempts }, { attempts: [], claim }] : [{ attempts: [] }];
    for (const known of each(begun))
      expect(admit({ target: { endpoint }, ...known }, { events: [] }, { circuits: [circuit] }, t0).to).toBe(to);
  });

  it('is ignored when it was not probed for a day, as no delivery waits for it', async () => {
    const open = await calls(50, answered);
    const one = { target: { endpoint }, attempts: [] };
    expect(admit(one, { events: [] }, open, after(49 + 60 + 86_399)).to).toBe('defer');
    expect(admit(one, { events: [] }, open, after(49 + 60 + 86_400)).to).toBe('endpoint');
  });

  it('gives its endpoint up after days, and probes with a last attempt after 24 of its longest waits', async () => {
    const [open] = (await calls(50, answered)).circuits as [Circuit];
    expect(hasFailedTooLong(open, after(49 + 5 * 86_400 - 1), rules)).toBe(false);
    expect(hasFailedTooLong(open, after(49 + 5 * 86_400), rules)).toBe(true);
    expect(mayProbeWithLast(open, after(49 + 24 * 900 - 1), rules)).toBe(false);
    expect(mayProbeWithLast(open, after(49 + 24 * 900), rules)).toBe(true);
  });

  it('probes with a last attempt only after 24 of its longest waits since the last probe, whichever it was', async () => {
    let [circuit] = (await calls(50, answered)).circuits as [Circuit];
    for (const at of each(Array.from({ length: 30 }, (_, probe) => 49 + 60 + 900 * probe))) {
      circuit = afterProbe(circuit, 'HTTP 500', after(at), rules);
      expect(mayProbeWithLast(circuit, after(at + 24 * 900 - 1), rules)).toBe(false);
      expect(mayProbeWithLast(circuit, after(at + 24 * 900), rules)).toBe(true);
    }
  });

  it('is kept for 64 addresses at most: one that only counts is removed first, one that is held last', async () => {
    const [open] = (await calls(50, answered)).circuits as [Circuit];
    const circuits = Array.from({ length: 64 }, (_, place): Circuit => {
      const named = { name: `address:${place.toString(16)}` as const, url: `${endpoint}/${place}` };
      return place === 3 ? { ...named, state: 'HELD', since: t0, by: 'OPERATOR' } : { ...open, ...named };
    });
    const { change, call } = company();
    const full = await change((health) => ({ ...health, circuits }));
    const counted = await call(answered, after(60), { to: `${endpoint}/counted` });
    expect(counted).toEqual(full);
    const held = holdEndpoint({ settings, health: counted }, `${endpoint}/held`, after(61)).health;
    expect(held.circuits).toHaveLength(64);
    expect(held.circuits.filter(({ state }) => state === 'HELD').map(({ url }) => url)).toEqual([
      `${endpoint}/3`,
      `${endpoint}/held`,
    ]);
  });

  it('leaves all calls of the company to its drain for a minute when 16 addresses are slow at once', () => {
    let health = newHealth('c');
    const hosts = Array.from({ length: 16 }, (_, place) => `https://p${place}.example/hook`);
    for (const host of hosts.slice(1)) health = afterSlow(health, host, false, t0);
    const well = { target: { endpoint }, attempts: [] };
    expect(admit(well, settings, health, t0).to).toBe('endpoint');
    health = afterSlow(health, hosts[0]!, false, t0);
    for (const target of [{ endpoint }, { endpoint: hosts[1]! }])
      expect(admit({ target, attempts: [] }, settings, health, t0)).toMatchObject({ to: 'defer', backlog: 'company' });
    expect(admit(well, settings, health, after(60)).to).toBe('endpoint');
  });
});

describe('a drain', () => {
  const asked = askForDrain(newHealth('c'), ['type:PAYIN'], t0, t0);

  it('is asked for once, by the first delivery that waits, unless it is at work or begins soon', () => {
    expect(asked).toMatchObject({ backlogs: [{ name: 'type:PAYIN' }], drainAt: t0, drains: 1 });
    expect(askForDrain(asked, ['type:PAYIN'], after(5), after(5))).toBe(asked);
    const other = askForDrain(asked, ['type:PAYOUT'], t0, t0);
    expect(other).toMatchObject({ drains: 1, backlogs: [{ name: 'type:PAYIN' }, { name: 'type:PAYOUT' }] });
    const { drainAt: _, ...rest } = asked;
    const atWork = { ...rest, lease: { id: 'l', until: after(60) } };
    expect(askForDrain(atWork, ['type:PAYIN'], after(59), after(59))).toBe(atWork);
    expect(askForDrain(atWork, ['type:PAYIN'], after(60), after(60))).toMatchObject({ drains: 2, drainAt: after(60) });
  });

  it('is asked for earlier than for a probe that is due later', () => {
    const later = askForDrain(newHealth('c'), ['type:PAYIN'], after(600), t0);
    expect(later).toMatchObject({ drainAt: after(600) });
    expect(askForDrain(later, ['type:PAYIN'], after(5), after(5))).toMatchObject({ drains: 2, drainAt: after(5) });
  });

  it('has a backlog unmarked as empty when a delivery joins it', () => {
    const marked = { ...asked, backlogs: [{ name: 'type:PAYIN' as const, emptySince: t0 }] };
    expect(askForDrain(marked, ['type:PAYIN'], t0, t0).backlogs).toEqual([{ name: 'type:PAYIN' }]);
  });
});

it('a waiting delivery has pausedReason ENDPOINT_FAILING or ENDPOINT_BUSY, by the circuit of its endpoint', async () => {
  const settings = { events: [] };
  const { body: _, ...notification } = { ...base('d'), body: '{}' };
  const delivery = { ...newDelivery('c', { ...notification, target: { endpoint }, body: '{}' }) };
  const waiting = { ...delivery, backlog: 'address:00' as const };
  expect(pausedReasonOf(delivery, settings, newHealth('c'))).toBeUndefined();
  expect(pausedReasonOf(waiting, settings, await calls(50, answered))).toBe('ENDPOINT_FAILING');
  expect(pausedReasonOf(waiting, settings, afterSlow(newHealth('c'), endpoint, true, t0))).toBe('ENDPOINT_BUSY');
});

it('a held delivery has a pausedReason when its type has an active endpoint that is not held, and none otherwise', async () => {
  const { body: _, ...notification } = { ...base('d'), body: '{}' };
  const target = { type: 'PAYIN' } as const;
  const delivery = newDelivery('c', { ...notification, target, body: '{}' });
  const held = { ...delivery, status: 'HELD', backlog: 'type:PAYIN' } as const;
  const active = replaceEndpoints(settings, [{ type: 'PAYIN', endpoint }], t0).settings;
  const failing = await calls(50, answered);
  expect(pausedReasonOf(held, settings, failing)).toBeUndefined();
  expect(pausedReasonOf(held, active, failing)).toBe('ENDPOINT_FAILING');
  expect(pausedReasonOf(held, active, newHealth('c'))).toBe('ENDPOINT_BUSY');
  expect(pausedReasonOf(held, { ...active, heldSince: t0 }, failing)).toBeUndefined();
  const circuits = failing.circuits.map((one) => ({ ...one, state: 'HELD' as const, by: 'CIRCUIT' as const }));
  expect(pausedReasonOf(held, active, { ...failing, circuits } as CompanyHealth)).toBeUndefined();
  expect(pausedReasonOf({ ...held, status: 'FAILED' }, active, failing)).toBeUndefined();
});
