import { beforeEach, describe, expect, it } from 'vitest';
import { holdNotifications } from '#infra/operator/webhooks.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Circuit } from '#shared/webhooks/health/circuit.ts';
import type { CircuitState } from '../support/circuit.ts';
import { refused } from '../support/refusals.ts';
import { testIds } from '../support/test-ids.ts';
import { addressCircuit, originCircuit } from '#shared/webhooks/health/health.ts';
import { changeHealth, readHealth } from '#shared/webhooks/health/store.ts';
import type { World } from './webhook-world.ts';
import { company as companyId, noon, otherCompany, webhookWorld } from './webhook-world.ts';

const a = 'https://93.184.216.34/a';
const subscription = 'https://93.184.216.35/hook?subscription=1';
const open: CircuitState = {
  state: 'OPEN',
  since: noon,
  failingSince: plusSeconds(noon, -60),
  reason: 'HTTP 503',
  probes: 1,
  probeAt: plusSeconds(noon, 60),
  probedAt: noon,
};
const givenUp: CircuitState = { state: 'HELD', since: noon, by: 'CIRCUIT', failingSince: noon, reason: 'DNS' };
const circuit = (url: string, state: CircuitState): Circuit => ({ name: addressCircuit(url), url, ...state });

let world: World;
beforeEach(async () => {
  // DynamoDB ends a page after 1 MB, wherever that is.
  world = await webhookWorld((store) => ({
    ...store,
    query: (query) => store.query({ ...query, limit: Math.min(query.limit ?? 7, 7) }),
  }));
  await world.replace({ companyId, body: { events: [{ type: 'PAYIN', endpoint: a }] } });
});
const given = async (circuits: readonly Circuit[]): Promise<void> => {
  const deps = { store: world.memory, now: () => noon, newId: () => 'given' };
  await changeHealth(deps, await readHealth(world.memory, companyId), (health) => ({ ...health, circuits }));
};
const health = () => readHealth(world.memory, companyId);
const list = async (more: object = {}) => (await world.endpoints({ companyId, ...more })).body as { data: object[] };

describe('the list of endpoints', () => {
  it('is empty while all are well, and shows what is not, the address of a subscription too', async () => {
    expect(await list()).toEqual({ data: [], hasNext: false, nextCursor: null });
    await given([circuit(a, open), circuit(subscription, givenUp)]);
    await world.given({
      status: 'HELD',
      heldAt: noon,
      target: { endpoint: subscription },
      backlog: addressCircuit(subscription),
    });
    expect((await list()).data).toEqual([
      {
        endpoint: a,
        state: 'OPEN',
        failingSince: plusSeconds(noon, -60),
        reason: 'HTTP 503',
        waiting: 0,
        waitingExact: true,
      },
      { endpoint: subscription, state: 'HELD', failingSince: noon, reason: 'DNS', waiting: 1, waitingExact: true },
    ]);
    expect((await world.endpoints({ companyId: otherCompany })).body).toMatchObject({ data: [] });
  });

  it('shows how many deliveries wait (up to 1000), how many leave a minute, and the expected time of an empty backlog', async () => {
    for (let place = 0; place < 30; place += 1) await world.given({ backlog: 'type:PAYIN' });
    const deps = { store: world.memory, now: () => noon, newId: () => 'given' };
    await changeHealth(deps, await health(), (current) => {
      return { ...current, backlogs: [{ name: 'type:PAYIN', perMinute: 60 }] };
    });
    expect((await list()).data).toEqual([
      {
        endpoint: a,
        state: 'CLOSED',
        waiting: 30,
        waitingExact: true,
        perMinute: 60,
        expectedEmptyAt: plusSeconds(noon, 30),
      },
    ]);
    for (let place = 0; place < 971; place += 1) await world.given({ backlog: 'type:PAYIN' });
    expect((await list()).data).toEqual([
      { endpoint: a, state: 'CLOSED', waiting: 1000, waitingExact: false, perMinute: 60 },
    ]);
  });

  it('shows an address or origin with a closed circuit when it took no delivery for an hour, and only then', async () => {
    const counted = { id: 'c-1', until: plusSeconds(noon, 86_000) };
    const closed: CircuitState = { state: 'CLOSED', until: plusSeconds(noon, -400), counted };
    const { origin } = new URL(subscription);
    const b = `${a}/b`;
    await given([
      circuit(a, closed),
      circuit(b, closed),
      { name: originCircuit(subscription), url: origin, ...closed },
    ]);
    const called = (endpoint: string, secondsAgo: number, overrides: object) =>
      world.given({
        ...{ endpoint, createdAt: plusSeconds(noon, -secondsAgo) },
        attempts: [{ number: 1, claimId: 'c', at: plusSeconds(noon, -secondsAgo), outcome: 'FAILED', ...overrides }],
      });
    await called(a, 4000, { httpStatus: 500 });
    await called(a, 400, { httpStatus: 503 });
    await called(subscription, 50_000, { error: 'CONNECTION_REFUSED' });
    await called(b, 3500, { outcome: 'DELIVERED' });
    await called(b, 400, { httpStatus: 503 });
    const shown = { state: 'CLOSED', waiting: 0, waitingExact: true };
    expect((await list()).data).toEqual([
      { ...shown, endpoint: a, failingSince: plusSeconds(noon, -4000), reason: 'HTTP 503' },
      { ...shown, endpoint: origin, failingSince: plusSeconds(noon, -50_000), reason: 'CONNECTION_REFUSED' },
    ]);
    await called(a, 100, { outcome: 'DELIVERED' });
    expect((await list()).data).toMatchObject([{ endpoint: origin }]);
  });

  it('goes on by its cursor', async () => {
    await given([circuit(a, open), circuit(subscription, open)]);
    const first = (await world.endpoints({ companyId, query: { limit: '1' } })).body as { nextCursor: string };
    expect(first).toMatchObject({ data: [{ endpoint: a }], hasNext: true });
    expect(await list({ query: { limit: '1', cursor: first.nextCursor } })).toMatchObject({
      data: [{ endpoint: subscription }],
      hasNext: false,
    });
  });
});

describe('a release', () => {
  it('tries an address again that was given up, with its types, and asks for a drain', async () => {
    await given([circuit(a, givenUp)]);
    await world.replace({ companyId, body: { events: [{ type: 'PAYIN', endpoint: a, status: 'INACTIVE' }] } });
    const { drains } = await health();
    expect(await world.release({ companyId, body: { endpoint: a } })).toMatchObject({
      status: 200,
      body: { endpoint: a, state: 'HALF_OPEN', waiting: 0, waitingExact: true },
    });
    expect(await health()).toMatchObject({ circuits: [{ url: a, state: 'HALF_OPEN' }], drains });
    expect((await world.get({ companyId })).body).toMatchObject({ events: [{ status: 'ACTIVE' }] });
  });

  it("is possible for a subscription's address, once something waits for it", async () => {
    const body = { endpoint: subscription };
    refused(await world.release({ companyId, body }), 404);
    await world.given({ target: { endpoint: subscription }, backlog: addressCircuit(subscription) });
    expect(await world.release({ companyId, body })).toMatchObject({ status: 200, body: { waiting: 1 } });
    expect((await health()).backlogs.map(({ name }) => name)).toContain(addressCircuit(subscription));
    refused(await world.release({ companyId: otherCompany, body }), 404);
  });

  it('is possible for an address whose notifications wait for its origin, which is an address of its own, too', async () => {
    const { origin } = new URL(subscription);
    const busy = {
      name: originCircuit(subscription),
      url: origin,
      state: 'BUSY',
      until: plusSeconds(noon, 60),
    } as const;
    await given([circuit(origin, open), busy]);
    await world.given({ target: { endpoint: subscription }, backlog: originCircuit(subscription) });
    expect(await world.release({ companyId, body: { endpoint: subscription } })).toMatchObject({ status: 200 });
  });

  it.each([
    ['the address', a],
    ['the whole company', undefined],
  ])('is refused while an operator holds %s', async (_what, endpoint) => {
    const operator = { store: world.memory, ids: testIds('operator'), now: () => noon };
    await holdNotifications(operator, { companyId, endpoint });
    refused(await world.release({ companyId, body: { endpoint: a } }), 409, ['endpoint:TRANSITION_NOT_ALLOWED']);
  });
});

it('a resend lets the probes of open circuits go at once', async () => {
  await given([circuit(a, open)]);
  const { resendDeliveries } = await import('#shared/webhooks/deliveries/resend.ts');
  const { body } = await world.resendAll({ companyId, body: { createdFrom: plusSeconds(noon, -60) }, key: 'k' });
  const deps = { store: world.memory, now: () => plusSeconds(noon, 10), newId: () => crypto.randomUUID() };
  await resendDeliveries({ ...deps, mayGoOn: () => true }, companyId, (body as { id: string }).id);
  expect(await health()).toMatchObject({
    circuits: [{ probeAt: plusSeconds(noon, 10) }],
  });
});
