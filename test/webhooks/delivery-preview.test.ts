import { beforeEach, describe, expect, test } from 'vitest';
import type { NotificationTarget } from '#shared/platform/outbox/delivery.ts';
import type { WantedEndpoint } from '#shared/webhooks/settings.ts';
import { newWebhookSettings, replaceEndpoints, setHold } from '#shared/webhooks/settings.ts';
import { previewDeliveries } from '#shared/webhooks/delivery-preview.ts';
import type { CircuitState } from '../support/circuit.ts';
import { addressCircuit } from '#shared/webhooks/health/health.ts';
import { newHealth } from '#shared/webhooks/health/health.ts';
import { healthWrites } from '#shared/webhooks/health/store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import { subscriptionInsert } from '#shared/subscriptions/store.ts';
import { aSubscription } from '../support/builders.ts';
import { companyOne, noon } from '../support/bank-world.ts';
import { memoryStore } from '../support/memory-store.ts';
import { subscriptionBody, subscriptionWorld } from '../support/subscription-world.ts';

const url = 'https://partner.example.com/hook';
const ids = { id: 's-1', companyId: companyOne, organizationId: 'o-1', at: noon };
const settingsOf = (...wanted: WantedEndpoint[]) => replaceEndpoints(newWebhookSettings(ids), wanted, noon).settings;
const buildNotification = (event: string, target: NotificationTarget) =>
  ({ id: `d-${event}`, event, target, resource: { type: 'PAY_IN', id: 'p-1' }, body: '{}', requestId: 'r-1' }) as const;
const paid = buildNotification('ORDER-PAYIN.PAID', { type: 'PAYIN' });
const accepted = buildNotification('SUBSCRIPTION.ACCEPTED', { endpoint: url });

let store: Store;
const given = (...items: Parameters<Store['writeOne']>[0][]) => store.write(items, crypto.randomUUID());
const settings = (known: Parameters<typeof webhookSettingsItem>[0]) => given({ put: webhookSettingsItem(known) });
const circuit = (state: CircuitState) => {
  const none = newHealth(companyOne);
  return given(...healthWrites(none, { ...none, circuits: [{ name: addressCircuit(url), url, ...state }] }, noon));
};
const preview = (...all: ReturnType<typeof buildNotification>[]) =>
  previewDeliveries({ store, companyId: companyOne, realNow: () => noon }, all);
beforeEach(() => {
  store = memoryStore();
});

describe('the delivery preview of a notification', () => {
  test('names the active endpoint of its type, or the address of its subscription', async () => {
    await settings(settingsOf({ type: 'PAYIN', endpoint: 'https://partner.example.com/pay-ins' }));
    expect(await preview(accepted, paid)).toBe(
      `SUBSCRIPTION.ACCEPTED (delivery ${accepted.id}) is queued for ${url}. ` +
        `ORDER-PAYIN.PAID (delivery ${paid.id}) is queued for https://partner.example.com/pay-ins.`,
    );
  });

  test('names the current address of its subscription when the notification is of a scheduled payment', async () => {
    await settings(settingsOf());
    const subscription = aSubscription({ webhookUrl: 'https://partner.example.com/moved' });
    await given(subscriptionInsert(companyOne, subscription));
    const target = { endpoint: url, subscription: subscription.id };
    const resource = { type: 'SCHEDULED_PAYMENT', id: 'p-1' } as const;
    const charged = { ...accepted, event: 'SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED', target, resource };
    expect(await previewDeliveries({ store, companyId: companyOne, realNow: () => noon }, [charged])).toBe(
      `${charged.event} (delivery ${charged.id}) is queued for https://partner.example.com/moved.`,
    );
  });

  test.each([
    ['no endpoint', settingsOf()],
    ['an endpoint of another type', settingsOf({ type: 'PAYOUT', endpoint: url })],
    ['an inactive endpoint', settingsOf({ type: 'PAYIN', endpoint: url, status: 'INACTIVE' })],
  ])('reports it as held when the settings have %s', async (_what, known) => {
    await settings(known);
    expect(await preview(paid)).toBe(
      `ORDER-PAYIN.PAID (delivery ${paid.id}) is held: no endpoint is active for PAYIN. PUT /order/v1/webhook sets one.`,
    );
  });

  test('reports it as held, for any endpoint, when an operator holds all notifications of the company', async () => {
    await settings(setHold(settingsOf({ type: 'PAYIN', endpoint: url }), noon));
    const all = 'is held: an operator holds all notifications of the company.';
    expect(await preview(accepted, paid)).toBe(
      `${accepted.event} (delivery ${accepted.id}) ${all} ${paid.event} (delivery ${paid.id}) ${all}`,
    );
  });

  test.each([
    ['OPERATOR', `is held: an operator holds what goes to ${url}.`],
    ['CIRCUIT', `is held: ${url} failed for days. POST /order/v1/webhook/endpoints/release tries it again.`],
  ] as const)('reports it as held when its endpoint is held by the %s', async (by, fate) => {
    await settings(settingsOf({ type: 'PAYIN', endpoint: url }));
    await circuit({ state: 'HELD', since: noon, by });
    expect(await preview(paid)).toBe(`ORDER-PAYIN.PAID (delivery ${paid.id}) ${fate}`);
  });

  test('reports it as waiting while its endpoint fails', async () => {
    await settings(settingsOf());
    const times = { since: noon, failingSince: noon, probeAt: noon, probedAt: noon };
    await circuit({ state: 'OPEN', reason: 'DNS', probes: 0, ...times });
    expect(await preview(accepted)).toContain(`waits until ${url} answers again`);
  });

  test('refers to the delivery log, without an error, when the table cannot be read after the transition', async () => {
    store = { ...store, read: () => Promise.reject(new StoreUnavailable('Throttled.')) };
    expect(await preview(paid)).toBe('GET /order/v1/webhook/deliveries shows what becomes of its notifications.');
  });

  test('reports that no notification is sent, without a read, when the transition has none', async () => {
    store = { ...store, read: () => Promise.reject(new Error('Nothing is to be read.')) };
    expect(await preview()).toBe('Nothing is notified.');
  });
});

test('a simulation tool ends its description with the delivery preview, by the id of the delivery log', async () => {
  const world = subscriptionWorld();
  await world.store.writeOne({ put: webhookSettingsItem(settingsOf()) });
  await world.openAccount(0);
  const { id } = (await world.create({ companyId: companyOne, body: subscriptionBody({ externalId: 'S-1' }) }))
    .body as { id: string };
  const { body } = await world.forceSubscription(id, 'ACCEPTED');
  const [delivery] = world.items('DELIVERY');
  expect((body as { description: string }).description).toBe(
    `Subscription ${id}: ACCEPTED applied; status PENDING_AUTHORIZATION → ACCEPTED. ` +
      `SUBSCRIPTION.ACCEPTED (delivery ${(delivery as { id?: string } | undefined)?.id ?? 'none'}) is queued for http://127.0.0.1:9/hook.`,
  );
});
