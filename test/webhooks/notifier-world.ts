import { deliver } from '#shared/webhooks/dispatch/deliver.ts';
import type { CallDeps } from '#shared/webhooks/dispatch/call.ts';
import { drain } from '#shared/webhooks/backlog/drain.ts';
import type { DrainDeps } from '#shared/webhooks/backlog/run.ts';
import { readHealth, changeHealth } from '#shared/webhooks/health/store.ts';
import { millisecondsBetween, plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { newWebhookSettings, replaceEndpoints } from '#shared/webhooks/settings.ts';
import { readDelivery } from '#shared/webhooks/deliveries/store.ts';
import { deliveryInserts, dispatchOf } from '#shared/platform/outbox/delivery-items.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { webhookSecretItem, webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import { circuit } from '../support/circuit.ts';
import { memoryStore } from '../support/memory-store.ts';
import { testIds } from '../support/test-ids.ts';

export const t0 = '2026-03-02T12:00:00.000Z';
export const companyId = 'c-1';
export const endpoint = 'https://partner.example/hooks';

export type NotifierWorld = Awaited<ReturnType<typeof notifierWorld>>;

/** A company with one active endpoint for pay-ins, and a notifier whose requests to the table are counted. */
export async function notifierWorld(
  given: Pick<CallDeps, 'now' | 'send'> & Partial<Pick<CallDeps, 'onHealth' | 'sleep'>>,
) {
  const table = memoryStore();
  const counted = { reads: 0, writes: 0 };
  const ids = testIds();
  const store: Store = {
    ...table,
    read: (keys) => {
      counted.reads += keys.length;
      return table.read(keys);
    },
    writeOne: (write) => {
      counted.writes += 1;
      return table.writeOne(write);
    },
    write: (writes, token) => {
      counted.writes += writes.length;
      return table.write(writes, token);
    },
  };
  const deps: CallDeps = {
    ...circuit,
    store,
    newId: () => ids.uuid(),
    random: () => 0,
    sleep: () => Promise.resolve(),
    delays: [60, 300, 900, 1800],
    report: () => undefined,
    ...given,
  };
  const none = newWebhookSettings({ id: 's', companyId, organizationId: 'o', at: t0 });
  const { settings } = replaceEndpoints(none, [{ type: 'PAYIN', endpoint }], t0);
  const secret = webhookSecretItem({ companyId, current: 'whsec_AAAA', createdAt: t0, version: 1 });
  await table.write([{ put: webhookSettingsItem(settings) }, { put: secret }], 'company');
  return {
    table,
    deps,
    counted,
    /** A pending delivery, created now. */
    given: async (id: string, target: Delivery['target'] = { type: 'PAYIN' }, subject = `o-${id}`): Promise<void> => {
      const resource = { type: 'PAY_IN', id: subject } as const;
      const notification = { id, event: 'E', resource, target, body: '{}', createdAt: deps.now(), requestId: 'r' };
      await table.write(deliveryInserts(companyId, notification), `given-${id}`);
    },
    /** The notifier receives a message; `more` replaces what it works with. */
    receive: (id: string, dispatch = 1, receives = 1, more: Partial<CallDeps> = {}) =>
      deliver({ companyId, deliveryId: id, dispatch, id: `m-${id}-${dispatch}`, receives }, { ...deps, ...more }),
    present: async (id: string) => (await readDelivery(table, companyId, id))!,
    health: () => readHealth(table, companyId),
    changeHealth: async (change: Parameters<typeof changeHealth>[2]) =>
      changeHealth(deps, await readHealth(table, companyId), change),
    /** The drainer receives the message of the drain that was asked for last. */
    drain: async (more: Partial<DrainDeps> = {}, seconds = 900): Promise<void> => {
      const { drains } = await readHealth(table, companyId);
      const endsAt = plusSeconds(deps.now(), seconds);
      const remainingMs = (): number => millisecondsBetween(deps.now(), endsAt);
      const limits = { perEndpoint: 50, perCompany: 100 };
      await drain({ companyId, drain: drains }, { ...deps, limits, remainingMs, onDrain: () => undefined, ...more });
    },
    dispatches: () => table.all().flatMap((item) => (item['entity'] === 'DELIVERY_DISPATCH' ? [dispatchOf(item)] : [])),
  };
}
