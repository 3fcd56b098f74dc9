import { beforeEach, describe, expect, it } from 'vitest';
import { plusSeconds } from '../../../shared/domain/brasilia-time.ts';
import type { Store } from '../../../shared/persistence/store.ts';
import { StoreUnavailable } from '../../../shared/persistence/store.ts';
import type { World } from './webhook-world.ts';
import { COMPANY as companyId, NOON, OTHER_COMPANY, SECRET, webhookWorld } from './webhook-world.ts';

const a = 'https://93.184.216.34/a';
const b = 'https://93.184.216.34/b';

let world: World;
let between: ((store: Store) => Promise<void>) | undefined;
let broken: (partition: string) => boolean;
beforeEach(async () => {
  between = undefined;
  broken = () => false;
  world = await webhookWorld((store) => ({
    ...store,
    read: async (keys) => {
      const items = await store.read(keys);
      const disturb = between;
      between = undefined;
      await disturb?.(store);
      return items;
    },
    query: (query) => (broken(query.partition) ? Promise.reject(new StoreUnavailable('down')) : store.query(query)),
  }));
});

const replace = (...events: object[]) => world.replace({ companyId, body: { events } });
const held = (place: number) => world.given({ status: 'HELD', heldAt: plusSeconds(NOON, place) });
const statuses = () => world.items('DELIVERY').map(({ status }) => status);

describe('webhook settings', () => {
  it('are there from the beginning, without endpoints and without the secret', async () => {
    const answer = await world.get({ companyId });
    expect(answer).toMatchObject({ status: 200, body: { companyId, status: 'ACTIVE', events: [], createdAt: NOON } });
    expect(answer.text).not.toContain('whsec_');
    expect(Object.keys(answer.body as object).sort()).toEqual(
      ['companyId', 'createdAt', 'events', 'id', 'organizationId', 'status', 'updatedAt'].sort(),
    );
  });

  it('are replaced as a whole, for the caller alone', async () => {
    const first = await replace({ type: 'PAYIN', endpoint: a }, { type: 'PAYOUT', endpoint: a, status: 'INACTIVE' });
    const times = { createdAt: NOON, updatedAt: NOON };
    expect(first).toMatchObject({
      status: 200,
      body: {
        events: [
          { type: 'PAYIN', endpoint: a, status: 'ACTIVE', ...times },
          { type: 'PAYOUT', endpoint: a, status: 'INACTIVE', ...times },
        ],
      },
    });
    world.clock.now = plusSeconds(NOON, 60);
    await replace({ type: 'PAYIN', endpoint: b });
    const events = [{ type: 'PAYIN', endpoint: b, status: 'ACTIVE', createdAt: NOON, updatedAt: world.clock.now }];
    expect((await world.get({ companyId })).body).toMatchObject({ events, updatedAt: world.clock.now });
    expect((await world.get({ companyId: OTHER_COMPANY })).body).toMatchObject({ events: [] });
  });

  it('name every endpoint that may not be called at once', async () => {
    const answer = await replace(
      { type: 'PAYIN', endpoint: 'http://93.184.216.34/' },
      { type: 'PAYOUT', endpoint: b },
      { type: 'PAYIN_REFUND', endpoint: 'https://169.254.169.254/latest' },
    );
    const details = ['events.0.endpoint', 'events.2.endpoint'].map((field) => ({ field, issue: 'INVALID_VALUE' }));
    expect(answer).toMatchObject({ status: 400, body: { error: 'INVALID_REQUEST', details } });
    expect((await world.get({ companyId })).body).toMatchObject({ events: [] });
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
  ])('may not hold %s', async (_what, events, field, issue) => {
    const answer = await world.replace({ companyId, body: { events } });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ field, issue }] } });
  });

  it('of two changes at once keep the later one whole', async () => {
    await replace({ type: 'PAYIN', endpoint: a });
    between = async () => {
      await replace({ type: 'PAYOUT', endpoint: b });
    };
    expect(await replace({ type: 'PAYIN', endpoint: b })).toMatchObject({ status: 200 });
    expect((await world.get({ companyId })).body).toMatchObject({ events: [{ type: 'PAYIN', endpoint: b }] });
  });
});

describe('an endpoint that becomes active', () => {
  it('is sent what was held, oldest first: 25 at once, the rest by a job that outlives the request', async () => {
    for (let place = 0; place < 30; place += 1) await held(place);
    await replace({ type: 'PAYIN', endpoint: a });
    expect(statuses().filter((status) => status === 'PENDING')).toHaveLength(25);
    const left = world.items('DELIVERY').filter(({ status }) => status === 'HELD');
    expect(left.map(({ heldAt }) => heldAt)).toEqual([25, 26, 27, 28, 29].map((place) => plusSeconds(NOON, place)));
    expect(world.items('DELIVERY_SENDING')).toHaveLength(25);
    expect(world.items('HELD_RELEASE')).toMatchObject([{ companyId, type: 'PAYIN' }]);
  });

  it('is set even when the table fails while the oldest are released', async () => {
    await held(0);
    broken = (partition) => partition.includes('#HELD#');
    expect(await replace({ type: 'PAYIN', endpoint: a })).toMatchObject({ status: 200 });
    expect(statuses()).toEqual(['HELD']);
    expect(world.items('HELD_RELEASE')).toHaveLength(1);
  });

  it('releases only its own type, and nothing is released by a change of an address or an inactive one', async () => {
    await held(0);
    await replace({ type: 'PAYOUT', endpoint: a }, { type: 'PAYIN', endpoint: a, status: 'INACTIVE' });
    expect(statuses()).toEqual(['HELD']);
    expect(world.items('HELD_RELEASE')).toMatchObject([{ type: 'PAYOUT' }]);
  });
});

describe('the webhook secret', () => {
  it('is shown when it is rotated, and the one before it stays valid for a day or as asked', async () => {
    const first = await world.rotate({ companyId, body: {} });
    expect(first).toMatchObject({
      status: 200,
      body: { createdAt: NOON, previousSecretExpiresAt: plusSeconds(NOON, 86_400) },
    });
    const { secret } = first.body as { secret: string };
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/u);
    expect(secret).not.toBe(SECRET);
    const second = await world.rotate({ companyId, body: { overlapSeconds: 604_800 } });
    expect(second.body).toMatchObject({ previousSecretExpiresAt: plusSeconds(NOON, 604_800) });
    const kept = world.items('WEBHOOK_SECRET').find((item) => item['companyId'] === companyId);
    expect(kept).toMatchObject({ previous: secret, current: (second.body as { secret: string }).secret });
    expect(world.items('WEBHOOK_SECRET').find((item) => item['companyId'] === OTHER_COMPANY)).toMatchObject({
      current: SECRET,
    });
  });

  it('is dropped at once when no overlap is wanted', async () => {
    const answer = await world.rotate({ companyId, body: { overlapSeconds: 0 } });
    expect(answer.body).toMatchObject({ previousSecretExpiresAt: NOON });
    expect(world.items('WEBHOOK_SECRET').find((item) => item['companyId'] === companyId)).not.toHaveProperty(
      'previous',
    );
  });

  it.each([-1, 604_801, 1.5, '60'])('may not overlap for %s seconds', async (overlapSeconds) => {
    expect(await world.rotate({ companyId, body: { overlapSeconds } })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'overlapSeconds' }] },
    });
  });

  it('of two rotations at once is the one that was kept last, and both answers were true when given', async () => {
    between = async () => {
      await world.rotate({ companyId, body: {} });
    };
    const answer = await world.rotate({ companyId, body: {} });
    const kept = world.items('WEBHOOK_SECRET').find((item) => item['companyId'] === companyId);
    expect(kept).toMatchObject({ current: (answer.body as { secret: string }).secret, version: 3 });
    expect(kept?.['previous']).not.toBe(SECRET);
  });
});
