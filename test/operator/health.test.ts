import { beforeEach, describe, expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import { deliveryInserts, deliveryItem } from '#shared/platform/outbox/delivery-items.ts';
import type { CircuitState } from '../support/circuit.ts';
import { addressCircuit } from '#shared/webhooks/health/health.ts';
import { newHealth } from '#shared/webhooks/health/health.ts';
import { healthWrites } from '#shared/webhooks/health/store.ts';
import type { TestOperator } from './terminal.ts';
import { at, testOperator } from './terminal.ts';

const endpoint = 'https://partner.example/hooks';
const since = plusSeconds(at, -3600);

let operator: TestOperator;
let companyId: string;
beforeEach(async () => {
  operator = testOperator();
  companyId = (await operator.json('company:create', '--name', 'Café'))['companyId'] ?? '';
});

const health = async (): Promise<unknown> => {
  return operator.json('health', '--company', companyId).then((output) => (output as unknown as unknown[])[0]);
};
async function givenCircuit(state: CircuitState): Promise<void> {
  const none = newHealth(companyId);
  const circuits = [{ name: addressCircuit(endpoint), url: endpoint, ...state }];
  await operator.store.write(healthWrites(none, { ...none, circuits }, at), 'circuit');
}
async function givenDelivery(id: string, secondsAgo: number, more: Partial<Delivery>): Promise<void> {
  const notification = {
    id,
    event: 'E',
    body: '{}',
    createdAt: plusSeconds(at, -secondsAgo),
    requestId: 'r',
    resource: { type: 'PAY_IN', id: 'o-1' },
    target: { type: 'PAYIN' },
  } as const;
  const delivery = { ...newDelivery(companyId, notification), ...more };
  const [, body] = deliveryInserts(companyId, { ...notification, ...more, body: '{}' });
  await operator.store.write([{ put: deliveryItem(delivery) }, ...(body ? [body] : [])], id);
}
const failedAt = (secondsAgo: number, overrides: Partial<Delivery['attempts'][number]>) => {
  return { number: 1, claimId: 'c', at: plusSeconds(at, -secondsAgo), outcome: 'FAILED' as const, ...overrides };
};

const countedOnce: CircuitState = {
  state: 'CLOSED',
  until: plusSeconds(at, -400),
  counted: { id: 'c-1', until: plusSeconds(at, 86_000) },
};

describe('health', () => {
  const good = {
    name: 'Café',
    health: 'GOOD',
    heldSince: null,
    heldCount: 0,
    failedCount: 0,
    oldestUndelivered: null,
    endpoints: [],
  };

  it('lists every company, and is GOOD when no delivery waits', async () => {
    const other = (await operator.json('company:create', '--name', 'Café'))['companyId'];
    const all = (await operator.json('health')) as unknown as { companyId: string }[];
    expect(all.map((one) => one.companyId).toSorted()).toEqual([companyId, other].toSorted());
    expect(await health()).toEqual({ companyId, ...good });
  });

  it('names an endpoint that fails, since when, and how its latest call ended', async () => {
    const times = { since: at, failingSince: since, probeAt: at, probedAt: at };
    await givenCircuit({ state: 'OPEN', reason: 'HTTP 503', probes: 3, ...times });
    await givenDelivery('d-1', 1800, { backlog: 'type:PAYIN' });
    expect(await health()).toEqual({
      companyId,
      ...good,
      health: 'FAILING',
      oldestUndelivered: plusSeconds(at, -1800),
      endpoints: [{ endpoint, state: 'FAILING', since, reason: 'HTTP 503' }],
    });
    const { out } = await operator.run('health');
    expect(out).toContain(`${endpoint}  FAILING  ${since}  HTTP 503`);
  });

  it('names an endpoint that was given up or is held, and counts what is held', async () => {
    await givenCircuit({ state: 'HELD', since: at, by: 'CIRCUIT', failingSince: since });
    for (const id of ['d-1', 'd-2'])
      await givenDelivery(id, 600, { status: 'HELD', heldAt: at, backlog: 'type:PAYIN' });
    expect(await health()).toMatchObject({
      health: 'FAILING',
      heldCount: 2,
      oldestUndelivered: plusSeconds(at, -600),
      endpoints: [{ state: 'GIVEN_UP', since, reason: null }],
    });
    await operator.json('webhook:release', '--company', companyId, '--endpoint', endpoint);
    expect(await health()).toMatchObject({ health: 'UNDELIVERED', heldCount: 2, endpoints: [] });
    await operator.json('webhook:hold', '--company', companyId, '--endpoint', endpoint);
    expect(await health()).toMatchObject({ health: 'HELD', endpoints: [{ state: 'HELD', since: at }] });
  });

  it.each([
    ['is held', 900, 600],
    ['waits for an attempt', 600, 900],
  ])('names the oldest undelivered notification when it %s', async (_how, held, pending) => {
    await givenDelivery('d-1', held, { status: 'HELD', heldAt: at, backlog: 'type:PAYIN' });
    await givenDelivery('d-2', pending, { backlog: 'type:PAYIN' });
    expect(await health()).toMatchObject({ oldestUndelivered: plusSeconds(at, -900) });
  });

  it.each(['HELD', 'PENDING'] as const)(
    'names no %s notification as undelivered when another delivery of it was taken since',
    async (status) => {
      const waiting = { status, backlog: 'type:PAYIN', ...(status === 'HELD' && { heldAt: at }) } as const;
      await givenDelivery('d-1', 900, { ...waiting, resentAs: 'd-2', closedAt: at });
      await givenDelivery('d-2', 800, { status: 'DELIVERED', resendOf: 'd-1' });
      expect(await health()).toMatchObject({ health: 'GOOD', oldestUndelivered: null });
      await givenDelivery('d-3', 300, waiting);
      expect(await health()).toMatchObject({ oldestUndelivered: plusSeconds(at, -300) });
    },
  );

  it('is UNDELIVERED while a failed notification has not been delivered since, resent or not', async () => {
    await givenDelivery('d-1', 600, { status: 'FAILED', attempts: [failedAt(500, { error: 'TIMEOUT' })] });
    await givenDelivery('d-2', 500, { status: 'FAILED', resentAs: 'd-3', closedAt: at });
    await givenDelivery('d-3', 400, { status: 'DELIVERED', resendOf: 'd-2' });
    await givenDelivery('d-4', 300, { status: 'FAILED', resentAs: 'd-5' });
    await givenDelivery('d-5', 200, { status: 'PENDING', resendOf: 'd-4' });
    await givenDelivery('d-6', 100, { status: 'HELD', heldAt: at, closedAt: at });
    expect(await health()).toMatchObject({ health: 'UNDELIVERED', failedCount: 2, heldCount: 0 });
    expect(await health()).toMatchObject({ oldestUndelivered: null });
  });

  it('counts no test notification, whatever became of it', async () => {
    const resource = { type: 'WEBHOOK_TEST', id: 't-1' } as const;
    const failures = { attempts: [failedAt(500, { error: 'TIMEOUT' })], endpoint };
    await givenCircuit(countedOnce);
    await givenDelivery('d-1', 600, { resource, status: 'FAILED', ...failures });
    await givenDelivery('d-2', 600, { resource, status: 'HELD', heldAt: at, backlog: 'type:PAYIN' });
    for (let place = 0; place < 30; place += 1) await givenDelivery(`p-${place}`, 600, { resource, ...failures });
    expect(await health()).toEqual({ companyId, ...good });
    await givenDelivery('d-3', 500, { backlog: 'type:PAYIN' });
    expect(await health()).toMatchObject({ oldestUndelivered: plusSeconds(at, -500) });
  });

  it('names an endpoint that took no notification for an hour, however few its calls', async () => {
    await givenCircuit(countedOnce);
    await givenDelivery('d-1', 7200, {
      status: 'DELIVERED',
      endpoint,
      attempts: [{ ...failedAt(7100, {}), outcome: 'DELIVERED' }],
    });
    await givenDelivery('d-2', 3600, {
      endpoint,
      attempts: [failedAt(3600, { error: 'TIMEOUT' }), failedAt(300, { httpStatus: 503 })],
    });
    expect(await health()).toMatchObject({
      health: 'FAILING',
      endpoints: [{ endpoint, state: 'TAKES_NOTHING', since: plusSeconds(at, -3600), reason: 'HTTP 503' }],
    });
    await givenDelivery('d-3', 200, {
      resource: { type: 'WEBHOOK_TEST', id: 't-1' },
      status: 'DELIVERED',
      endpoint,
      attempts: [{ ...failedAt(200, {}), outcome: 'DELIVERED' }],
    });
    expect(await health()).toMatchObject({ health: 'GOOD', endpoints: [] });
  });

  it('names no endpoint that failed when the partner has taken its notifications since, at another address', async () => {
    const failures = { endpoint, attempts: [failedAt(3600, { error: 'CONNECTION_REFUSED' })] };
    await givenCircuit(countedOnce);
    await givenDelivery('d-1', 3600, { ...failures, status: 'FAILED', resentAs: 'd-2', closedAt: at });
    await givenDelivery('d-2', 60, { status: 'DELIVERED', resendOf: 'd-1', endpoint: 'https://other.example/hooks' });
    expect(await health()).toMatchObject({ health: 'GOOD', endpoints: [] });
    await givenDelivery('d-3', 50, failures);
    expect(await health()).toMatchObject({ health: 'FAILING', endpoints: [{ endpoint, state: 'TAKES_NOTHING' }] });
  });

  it('is HELD, with the time, when a whole company is held', async () => {
    await operator.json('webhook:hold', '--company', companyId);
    expect(await health()).toMatchObject({ health: 'HELD', heldSince: at });
  });

  it('refuses a company that is not there', async () => {
    const unknown = '99999999-9999-4999-8999-999999999999';
    expect(await operator.run('health', '--company', unknown)).toMatchObject({ code: 1, err: 'Company not found.' });
  });
});
