import { beforeEach, describe, expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { Circuit } from '#shared/webhooks/health/circuit.ts';
import { addressCircuit } from '#shared/webhooks/health/health.ts';
import { changeHealth, readHealth } from '#shared/webhooks/health/store.ts';
import type { World } from './webhook-world.ts';
import { company as companyId, noon, otherCompany, webhookSecret, webhookWorld } from './webhook-world.ts';
import { faultsOf, refused } from '../support/refusals.ts';

const a = 'https://93.184.216.34/a';
const b = 'https://93.184.216.34/b';

let world: World;
let between: ((store: Store) => Promise<void>) | undefined;
beforeEach(async () => {
  between = undefined;
  world = await webhookWorld((store) => ({
    ...store,
    read: async (keys) => {
      const items = await store.read(keys);
      const disturb = between;
      between = undefined;
      await disturb?.(store);
      return items;
    },
    query: () => Promise.reject(new Error('It reads no list: its work does not grow with what waits.')),
  }));
});

const replace = (...events: object[]) => world.replace({ companyId, body: { events } });
const held = (place: number) => {
  const at = plusSeconds(noon, place);
  return world.given({ status: 'HELD', heldAt: at, createdAt: at, backlog: 'type:PAYIN' });
};
const statuses = () => world.items('DELIVERY').map(({ status }) => status);

describe('webhook settings', () => {
  it('are there from the beginning, without endpoints and without the secret', async () => {
    const response = await world.get({ companyId });
    expect(response).toMatchObject({ status: 200, body: { companyId, status: 'ACTIVE', events: [], createdAt: noon } });
    expect(response.text).not.toContain('whsec_');
    expect(Object.keys(response.body as object).sort()).toEqual(
      ['companyId', 'createdAt', 'events', 'id', 'organizationId', 'status', 'updatedAt'].sort(),
    );
  });

  it('are replaced as a whole, for the caller alone', async () => {
    const first = await replace({ type: 'PAYIN', endpoint: a }, { type: 'PAYOUT', endpoint: a, status: 'INACTIVE' });
    const times = { createdAt: noon, updatedAt: noon };
    expect(first).toMatchObject({
      status: 200,
      body: {
        events: [
          { type: 'PAYIN', endpoint: a, status: 'ACTIVE', ...times },
          { type: 'PAYOUT', endpoint: a, status: 'INACTIVE', ...times },
        ],
      },
    });
    world.clock.now = plusSeconds(noon, 60);
    await replace({ type: 'PAYIN', endpoint: b });
    const events = [{ type: 'PAYIN', endpoint: b, status: 'ACTIVE', createdAt: noon, updatedAt: world.clock.now }];
    expect((await world.get({ companyId })).body).toMatchObject({ events, updatedAt: world.clock.now });
    expect((await world.get({ companyId: otherCompany })).body).toMatchObject({ events: [] });
  });

  it('name all endpoints that must not be called in one refusal', async () => {
    const response = await replace(
      { type: 'PAYIN', endpoint: 'http://93.184.216.34/' },
      { type: 'PAYOUT', endpoint: b },
      { type: 'PAYIN_REFUND', endpoint: 'https://169.254.169.254/latest' },
    );
    refused(response, 400, ['events.0.endpoint:INVALID_VALUE', 'events.2.endpoint:INVALID_VALUE']);
    expect((await world.get({ companyId })).body).toMatchObject({ events: [] });
  });

  it('name a forbidden endpoint together with all other issues of the request', async () => {
    const response = await replace(
      { type: 'PAYIN', endpoint: 'localhost:4000' },
      { type: 'PAYIN', endpoint: 'https://user@partner.example/' },
      { type: 'PAYOUT', endpoint: 7, status: 'PAUSED' },
    );
    expect(faultsOf(refused(response, 400)).toSorted()).toEqual([
      'events.0.endpoint:INVALID_VALUE',
      'events.1.endpoint:INVALID_VALUE',
      'events.1.type:INVALID_VALUE',
      'events.2.endpoint:INVALID_TYPE',
      'events.2.status:INVALID_VALUE',
    ]);
  });

  it.each([
    [
      'a type twice',
      [
        { type: 'PAYIN', endpoint: a },
        { type: 'PAYIN', endpoint: b },
      ],
      'events.1.type',
      'INVALID_VALUE',
    ],
    ['an unknown type', [{ type: 'REFUND', endpoint: a }], 'events.0.type', 'INVALID_VALUE'],
    ['no endpoint', [{ type: 'PAYIN' }], 'events.0.endpoint', 'REQUIRED'],
    [
      'an endpoint that is too long',
      [{ type: 'PAYIN', endpoint: `https://p.example/${'a'.repeat(2048)}` }],
      'events.0.endpoint',
      'TOO_LONG',
    ],
    ['an unknown status', [{ type: 'PAYIN', endpoint: a, status: 'PAUSED' }], 'events.0.status', 'INVALID_VALUE'],
    ['an unknown field', [{ type: 'PAYIN', endpoint: a, secret: 'x' }], 'events.0.secret', 'UNKNOWN_FIELD'],
  ])('are refused with %s', async (_what, events, field, issue) => {
    const response = await world.replace({ companyId, body: { events } });
    refused(response, 400, [`${field}:${issue}`]);
  });

  it('keep the later one of two concurrent changes as a whole', async () => {
    await replace({ type: 'PAYIN', endpoint: a });
    between = async () => {
      await replace({ type: 'PAYOUT', endpoint: b });
    };
    expect(await replace({ type: 'PAYIN', endpoint: b })).toMatchObject({ status: 200 });
    expect((await world.get({ companyId })).body).toMatchObject({ events: [{ type: 'PAYIN', endpoint: b }] });
  });
});

const health = () => readHealth(world.memory, companyId);
const givenCircuit = async (circuit: Circuit): Promise<void> => {
  const deps = { store: world.memory, now: () => noon, newId: () => 'id' };
  await changeHealth(deps, await health(), (current) => ({ ...current, circuits: [circuit] }));
};

describe('an endpoint that becomes active', () => {
  it('has what waits for its type drained, however much that is, and touches none of it', async () => {
    for (const place of [2, 0, 1]) await held(place);
    await replace({ type: 'PAYIN', endpoint: a });
    expect(statuses()).toEqual(['HELD', 'HELD', 'HELD']);
    expect(await health()).toMatchObject({ backlogs: [{ name: 'type:PAYIN' }], drainAt: noon, drains: 1 });
    expect(world.items('WEBHOOK_DRAIN')).toMatchObject([{ SK: `DRAIN#0001#${noon}` }]);
  });

  it.each([
    ['another address', [{ type: 'PAYIN', endpoint: b }], ['type:PAYIN']],
    ['no active address', [{ type: 'PAYIN', endpoint: a, status: 'INACTIVE' }], ['type:PAYIN']],
    [
      'another type beside it',
      [
        { type: 'PAYIN', endpoint: a },
        { type: 'PAYOUT', endpoint: a },
      ],
      ['type:PAYOUT'],
    ],
    ['the same address', [{ type: 'PAYIN', endpoint: a }], []],
  ])('has its backlogs drained after a change to %s', async (_what, events, names) => {
    await replace({ type: 'PAYIN', endpoint: a });
    const before = await health();
    await givenNoBacklog();
    await replace(...events);
    const after = await health();
    expect(after.backlogs.map(({ name }) => name)).toEqual(names);
    expect(after.drains).toBe(before.drains + (names.length === 0 ? 0 : 1));
  });
});

const givenNoBacklog = async (): Promise<void> => {
  const deps = { store: world.memory, now: () => noon, newId: () => 'id' };
  await changeHealth(deps, await health(), ({ drainAt: _, ...current }) => ({ ...current, backlogs: [] }));
};

describe('an endpoint whose circuit is open or was given up', () => {
  const known = { name: addressCircuit(a), url: a };
  const open = { ...known, state: 'OPEN', since: noon, failingSince: noon, reason: 'DNS', probes: 0 } as const;
  const givenUp = { ...known, state: 'HELD', since: noon, by: 'CIRCUIT', failingSince: noon } as const;

  it('is shown as failing under the type that uses it, also when it is set after its circuit opened', async () => {
    await givenCircuit({ ...open, probeAt: noon, probedAt: noon });
    await replace({ type: 'PAYIN', endpoint: a }, { type: 'PAYOUT', endpoint: b });
    const { events } = (await world.get({ companyId })).body as { events: object[] };
    expect(events).toMatchObject([{ type: 'PAYIN', failingSince: noon }, { type: 'PAYOUT' }]);
    expect(events[1]).not.toHaveProperty('failingSince');
    expect((await health()).circuits).toMatchObject([open]);
  });

  it('is tried again when it is made active, with what waits for the address of a subscription too', async () => {
    await givenCircuit(givenUp);
    await replace({ type: 'PAYIN', endpoint: a, status: 'INACTIVE' });
    expect((await world.get({ companyId })).body).toMatchObject({ events: [{ failingSince: noon }] });
    expect((await health()).circuits).toMatchObject([givenUp]);
    const response = await replace({ type: 'PAYIN', endpoint: a });
    expect((response.body as { events: object[] }).events[0]).not.toHaveProperty('failingSince');
    const { circuits, backlogs } = await health();
    expect(circuits).toMatchObject([{ url: a, state: 'HALF_OPEN' }]);
    expect(backlogs.map(({ name }) => name)).toEqual(expect.arrayContaining(['type:PAYIN', addressCircuit(a)]));
  });

  it('stays held by an operator, whatever the partner sets', async () => {
    await givenCircuit({ ...known, state: 'HELD', since: noon, by: 'OPERATOR' });
    await replace({ type: 'PAYIN', endpoint: a });
    expect((await health()).circuits).toMatchObject([{ state: 'HELD', by: 'OPERATOR' }]);
  });
});

describe('the webhook secret', () => {
  it('is shown when it is rotated, and the one before it stays valid for a day or as asked', async () => {
    const first = await world.rotate({ companyId, body: {} });
    expect(first).toMatchObject({
      status: 200,
      body: { createdAt: noon, previousSecretExpiresAt: plusSeconds(noon, 86_400) },
    });
    const { secret } = first.body as { secret: string };
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/u);
    expect(secret).not.toBe(webhookSecret);
    const second = await world.rotate({ companyId, body: { overlapSeconds: 604_800 } });
    expect(second.body).toMatchObject({ previousSecretExpiresAt: plusSeconds(noon, 604_800) });
    const kept = world.items('WEBHOOK_SECRET').find((item) => item['companyId'] === companyId);
    expect(kept).toMatchObject({ previous: secret, current: (second.body as { secret: string }).secret });
    expect(world.items('WEBHOOK_SECRET').find((item) => item['companyId'] === otherCompany)).toMatchObject({
      current: webhookSecret,
    });
  });

  it('is dropped at once when no overlap is wanted', async () => {
    const response = await world.rotate({ companyId, body: { overlapSeconds: 0 } });
    expect(response.body).toMatchObject({ previousSecretExpiresAt: noon });
    expect(world.items('WEBHOOK_SECRET').find((item) => item['companyId'] === companyId)).not.toHaveProperty(
      'previous',
    );
  });

  it.each([
    [-1, 'OUT_OF_RANGE'],
    [604_801, 'OUT_OF_RANGE'],
    [1.5, 'INVALID_TYPE'],
    ['60', 'INVALID_TYPE'],
  ])('is refused with an overlap of %s seconds', async (overlapSeconds, issue) => {
    refused(await world.rotate({ companyId, body: { overlapSeconds } }), 400, [`overlapSeconds:${issue}`]);
  });

  it('is the one of the later of two concurrent rotations, with the one of the earlier as the previous secret', async () => {
    between = async () => {
      await world.rotate({ companyId, body: {} });
    };
    const response = await world.rotate({ companyId, body: {} });
    const kept = world.items('WEBHOOK_SECRET').find((item) => item['companyId'] === companyId);
    expect(kept).toMatchObject({ current: (response.body as { secret: string }).secret, version: 3 });
    expect(kept?.['previous']).not.toBe(webhookSecret);
  });

  it('is shown again to the same key, whose record does not hold it', async () => {
    const rotate = (key: string, body: object = {}) => world.rotate({ companyId, key, body });
    const first = await rotate('k-1', { overlapSeconds: 60 });
    world.clock.now = plusSeconds(noon, 30);
    const again = await rotate('k-1', { overlapSeconds: 60 });
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect([first, again].map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true']);
    expect(JSON.stringify(world.items('IDEMPOTENCY'))).not.toContain('whsec_');
    refused(await rotate('k-1', { overlapSeconds: 61 }), 422, ['idempotency-key:IDEMPOTENCY_KEY_REUSED']);
    // Replaced by the next one, it signs on for the overlap, and is shown as long.
    const second = await rotate('k-2', { overlapSeconds: 60 });
    expect(second.body).not.toMatchObject({ secret: (first.body as { secret: string }).secret });
    expect((await rotate('k-1', { overlapSeconds: 60 })).text).toBe(first.text);
    world.clock.now = plusSeconds(noon, 90);
    refused(await rotate('k-1', { overlapSeconds: 60 }), 409, ['idempotency-key:EXPIRED']);
    expect((await rotate('k-2', { overlapSeconds: 60 })).text).toBe(second.text);
  });
});
