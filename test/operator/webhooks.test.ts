import { beforeEach, describe, expect, it } from 'vitest';
import { holdNotifications } from '#infra/operator/webhooks.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { deliver } from '#shared/webhooks/dispatch/deliver.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import type { NotificationTarget } from '#shared/platform/outbox/delivery.ts';
import { replaceEndpoints } from '#shared/webhooks/settings.ts';
import { readDelivery } from '#shared/webhooks/deliveries/store.ts';
import { deliveryInserts } from '#shared/platform/outbox/delivery-items.ts';
import type { CompanyHealth } from '#shared/webhooks/health/health.ts';
import { addressCircuit, afterSlow } from '#shared/webhooks/health/health.ts';
import { readEndpoints, setEndpoints, writeEndpoints } from '#shared/webhooks/health/operations.ts';
import { changeHealth, readHealth } from '#shared/webhooks/health/store.ts';
import { drain } from '#shared/webhooks/backlog/drain.ts';
import { readWebhookSettings, webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import { webhookSettingsView } from '#shared/webhooks/view.ts';
import { circuit } from '../support/circuit.ts';
import type { TestOperator } from './terminal.ts';
import { at, testOperator } from './terminal.ts';

const endpoint = 'https://partner.example/hooks';
const other = 'https://other.example/hooks';

let operator: TestOperator;
let companyId: string;
let called: string[];
let sent: string[];

beforeEach(async () => {
  operator = testOperator();
  called = [];
  sent = [];
  companyId = (await operator.json('company:create', '--name', 'A'))['companyId'] ?? '';
  const settings = await readWebhookSettings(operator.store, companyId);
  const events = [
    { type: 'PAYIN' as const, endpoint },
    { type: 'PAYOUT' as const, endpoint: other },
  ];
  await operator.store.writeOne({ put: webhookSettingsItem(replaceEndpoints(settings, events, at).settings) });
});

/** A new notification, received: what became of it. */
const notify = async (id: string, target: NotificationTarget): Promise<string | undefined> => {
  const resource = { type: 'PAY_IN', id: `o-${id}` } as const;
  const notification = { id, event: 'E', resource, target, body: '{}', createdAt: at, requestId: 'r' };
  await operator.store.write(deliveryInserts(companyId, notification), id);
  expect(newDelivery(companyId, notification).status).toBe('PENDING');
  return receive(id, 1);
};
const deps = () => ({
  ...circuit,
  store: operator.store,
  now: operator.now,
  newId: () => operator.ids.uuid(),
  random: () => 0,
  sleep: () => Promise.resolve(),
  send: (call: { endpoint: string; headers: Readonly<Record<string, string>> }) => {
    called.push(call.endpoint);
    sent.push(call.headers['webhook-id'] ?? '');
    return Promise.resolve({ outcome: 'DELIVERED' as const, httpStatus: 200, durationMs: 5 });
  },
  delays: [1],
  report: () => undefined,
});
/** A drain that has a few rounds of time. */
const drainOnce = async (): Promise<void> => {
  const { drains } = await readHealth(operator.store, companyId);
  let rounds = 12;
  const limits = { perEndpoint: 50, perCompany: 100 };
  const remainingMs = () => ((rounds -= 1) > 0 ? 60_000 : 0);
  await drain({ companyId, drain: drains }, { ...deps(), limits, remainingMs, onDrain: () => undefined });
};
const receive = async (id: string, dispatch: number): Promise<string | undefined> => {
  await deliver({ companyId, deliveryId: id, dispatch, id: `m-${id}-${dispatch}`, receives: 1 }, deps());
  return (await readDelivery(operator.store, companyId, id))?.status;
};

describe('webhook:hold', () => {
  it('holds everything of a company, and shows the partner inactive settings', async () => {
    const held = { companyId, endpoint: null, notifications: 'HELD', since: at };
    expect(await operator.json('webhook:hold', '--company', companyId)).toEqual(held);
    expect(await operator.json('webhook:hold', '--company', companyId)).toEqual(held);
    expect(await notify('d-1', { type: 'PAYIN' })).toBe('HELD');
    expect(await notify('d-2', { endpoint })).toBe('HELD');
    expect(called).toEqual([]);
    const view = webhookSettingsView(await readEndpoints(operator.store, companyId));
    expect(view).toMatchObject({ status: 'INACTIVE', events: [{ status: 'ACTIVE' }, { status: 'ACTIVE' }] });
    expect(view).not.toHaveProperty('heldSince');
  });

  it("holds the notifications to one endpoint, a subscription's included, and delivers those to others", async () => {
    await operator.json('webhook:hold', '--company', companyId, '--endpoint', endpoint);
    expect(await notify('d-1', { type: 'PAYIN' })).toBe('HELD');
    expect(await notify('d-2', { endpoint })).toBe('HELD');
    expect(await notify('d-3', { type: 'PAYOUT' })).toBe('DELIVERED');
    expect(await notify('d-4', { endpoint: other })).toBe('DELIVERED');
    expect(called).toEqual([other, other]);
  });

  it('holds an endpoint that its circuit gave up, and sends no delivery when the partner activates it', async () => {
    const given = { name: addressCircuit(endpoint), url: endpoint, state: 'HELD', since: at, by: 'CIRCUIT' } as const;
    await changeHealth(deps(), await readHealth(operator.store, companyId), (currentHealth) => ({
      ...currentHealth,
      circuits: [given],
    }));
    expect(await notify('d-1', { endpoint })).toBe('HELD');
    await operator.json('webhook:hold', '--company', companyId, '--endpoint', endpoint);
    const currentEndpoints = await readEndpoints(operator.store, companyId);
    const activated = setEndpoints(currentEndpoints, [{ type: 'PAYIN', endpoint, status: 'ACTIVE' }], at);
    expect(await writeEndpoints(deps(), currentEndpoints, activated)).toBe(true);
    await drainOnce();
    expect(await notify('d-2', { endpoint })).toBe('HELD');
    expect(sent).toEqual([]);
  });

  it('keeps the time of the first hold when an origin is held again', async () => {
    const { origin } = new URL(endpoint);
    const since = { companyId, endpoint: origin, notifications: 'HELD', since: at };
    const slow = (currentHealth: CompanyHealth): CompanyHealth => afterSlow(currentHealth, endpoint, false, at);
    await changeHealth(deps(), await readHealth(operator.store, companyId), slow);
    expect(await operator.json('webhook:hold', '--company', companyId, '--endpoint', origin)).toEqual(since);
    const later = { ...operator, now: () => plusSeconds(at, 30) };
    expect(await holdNotifications(later, { companyId, endpoint: origin })).toEqual(since);
  });

  it.each([
    ['an unknown company', ['--company', '99999999-9999-4999-8999-999999999999'], 1],
    ['no company', [], 2],
    ['an endpoint that is no URL', ['--company', '99999999-9999-4999-8999-999999999999', '--endpoint', 'partner'], 2],
  ])('refuses %s', async (_what, args, code) => {
    expect(await operator.run('webhook:hold', ...args)).toMatchObject({ code, out: '' });
    expect(await operator.run('webhook:release', ...args)).toMatchObject({ code, out: '' });
  });
});

describe('webhook:release', () => {
  it.each([
    ['of a company', []],
    ['of an endpoint', ['--endpoint', endpoint]],
  ])('sends the held notifications %s, oldest first', async (_what, args) => {
    await operator.json('webhook:hold', '--company', companyId, ...args);
    for (const id of ['d-1', 'd-2', 'd-3']) await notify(id, { type: 'PAYIN' });
    const result = await operator.json('webhook:release', '--company', companyId, ...args);
    expect(result).toEqual({ companyId, endpoint: args[1] ?? null, notifications: 'SENT', since: at });
    await drainOnce();
    expect(sent).toEqual(['d-1', 'd-2', 'd-3']);
  });

  it('tries an endpoint again when its circuit had given it up, and sends the waiting notification', async () => {
    const given = { name: addressCircuit(endpoint), url: endpoint, state: 'HELD', since: at, by: 'CIRCUIT' } as const;
    const health = await readHealth(operator.store, companyId);
    await changeHealth(deps(), health, (currentHealth) => ({ ...currentHealth, circuits: [given] }));
    expect(await notify('d-1', { endpoint })).toBe('HELD');
    await operator.json('webhook:release', '--company', companyId, '--endpoint', endpoint);
    expect((await readHealth(operator.store, companyId)).circuits).toMatchObject([{ state: 'HALF_OPEN' }]);
    await drainOnce();
    expect(sent).toEqual(['d-1']);
  });
});
