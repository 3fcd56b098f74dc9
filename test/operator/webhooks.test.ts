import { beforeEach, describe, expect, it } from 'vitest';
import { deliver } from '#shared/webhooks/dispatch/deliver.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import type { NotificationTarget } from '#shared/platform/outbox/delivery.ts';
import { newBacklog } from '#shared/webhooks/backlog/model.ts';
import { replaceEndpoints } from '#shared/webhooks/settings.ts';
import { readDelivery } from '#shared/webhooks/deliveries/store.ts';
import { deliveryInserts } from '#shared/platform/outbox/delivery-items.ts';
import { endpointBacklog, backlogItem, readBacklog } from '#shared/webhooks/backlog/store.ts';
import { readWebhookSettings, writeWebhookSettings } from '#shared/webhooks/settings-store.ts';
import { webhookSettingsView } from '#shared/webhooks/view.ts';
import { circuit } from '../support/circuit.ts';
import type { TestOperator } from './terminal.ts';
import { at, testOperator } from './terminal.ts';

const endpoint = 'https://partner.example/hooks';
const other = 'https://other.example/hooks';

let operator: TestOperator;
let companyId: string;
let called: string[];

beforeEach(async () => {
  operator = testOperator();
  called = [];
  companyId = (await operator.json('company:create', '--name', 'A'))['companyId'] ?? '';
  const settings = await readWebhookSettings(operator.store, companyId);
  const events = [
    { type: 'PAYIN' as const, endpoint },
    { type: 'PAYOUT' as const, endpoint: other },
  ];
  await writeWebhookSettings(operator.store, replaceEndpoints(settings, events, at).settings, [], 'settings');
});

/** A new notification, received: what became of it. */
const notify = async (id: string, target: NotificationTarget): Promise<string | undefined> => {
  const resource = { type: 'PAY_IN', id: 'o-1' } as const;
  const notification = { id, event: 'E', resource, target, body: '{}', createdAt: at, requestId: 'r' };
  await operator.store.write(deliveryInserts(companyId, notification), id);
  expect(newDelivery(companyId, notification).status).toBe('PENDING');
  return receive(id, 1);
};
const receive = async (id: string, dispatch: number): Promise<string | undefined> => {
  await deliver(
    { companyId, deliveryId: id, dispatch, id: `m-${id}-${dispatch}`, receives: 1 },
    {
      ...circuit,
      store: operator.store,
      now: operator.now,
      newId: () => operator.ids.uuid(),
      random: () => 0,
      sleep: () => Promise.resolve(),
      send: (call) => {
        called.push(call.endpoint);
        return Promise.resolve({ outcome: 'DELIVERED' });
      },
      delays: [1],
      report: () => undefined,
    },
  );
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
    const view = webhookSettingsView(await readWebhookSettings(operator.store, companyId));
    expect(view).toMatchObject({ status: 'INACTIVE', events: [{ status: 'ACTIVE' }, { status: 'ACTIVE' }] });
    expect(view).not.toHaveProperty('heldSince');
  });

  it("holds what goes to one endpoint, a subscription's included, and nothing else", async () => {
    await operator.json('webhook:hold', '--company', companyId, '--endpoint', endpoint);
    expect(await notify('d-1', { type: 'PAYIN' })).toBe('HELD');
    expect(await notify('d-2', { endpoint })).toBe('HELD');
    expect(await notify('d-3', { type: 'PAYOUT' })).toBe('DELIVERED');
    expect(await notify('d-4', { endpoint: other })).toBe('DELIVERED');
    expect(called).toEqual([other, other]);
  });

  it.each([
    ['an unknown company', ['--company', '99999999-9999-4999-8999-999999999999'], 1],
    ['no company', [], 2],
    ['what is no URL', ['--company', '99999999-9999-4999-8999-999999999999', '--endpoint', 'partner'], 2],
  ])('refuses %s', async (_what, args, code) => {
    expect(await operator.run('webhook:hold', ...args)).toMatchObject({ code, out: '' });
    expect(await operator.run('webhook:release', ...args)).toMatchObject({ code, out: '' });
  });
});

describe('webhook:release', () => {
  it.each([
    ['of a company', []],
    ['of an endpoint', ['--endpoint', endpoint]],
  ])('sends what was held %s, oldest first, one after the other', async (_what, args) => {
    await operator.json('webhook:hold', '--company', companyId, ...args);
    for (const id of ['d-1', 'd-2', 'd-3']) await notify(id, { type: 'PAYIN' });
    const said = await operator.json('webhook:release', '--company', companyId, ...args);
    expect(said).toEqual({ companyId, endpoint: args[1] ?? null, notifications: 'SENT', since: at });
    const status = async (id: string) => (await readDelivery(operator.store, companyId, id))?.status;
    for (const [id, next] of [
      ['d-1', 'd-2'],
      ['d-2', 'd-3'],
      ['d-3', 'd-3'],
    ] as const) {
      expect([await status(id), await status(next)]).toEqual(
        id === next ? ['PENDING', 'PENDING'] : ['PENDING', 'HELD'],
      );
      expect(await receive(id, 2)).toBe('DELIVERED');
    }
    expect(await notify('d-4', { type: 'PAYIN' })).toBe('DELIVERED');
  });

  it('forgets what was known against the endpoint, also when the circuit had given it up', async () => {
    const backlog = { ...newBacklog(companyId, endpointBacklog(endpoint), endpoint), version: 1 };
    const held = { at: at, by: 'CIRCUIT', failingSince: at } as const;
    await operator.store.write([{ put: backlogItem({ ...backlog, held }, at) }], 'backlog');
    expect(await notify('d-1', { endpoint })).toBe('HELD');
    await operator.json('webhook:release', '--company', companyId, '--endpoint', endpoint);
    expect(await readBacklog(operator.store, companyId, backlog.name)).toMatchObject({
      releasedAt: at,
      inFlight: { dispatch: 2 },
    });
    expect(await receive('d-1', 2)).toBe('DELIVERED');
  });
});
