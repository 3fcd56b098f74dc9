import { deliver } from '#shared/webhooks/dispatch/deliver.ts';
import type { DeliverDeps } from '#shared/webhooks/dispatch/record.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import type { Backlog } from '#shared/webhooks/backlog/model.ts';
import { newWebhookSettings, replaceEndpoints } from '#shared/webhooks/settings.ts';
import { readDelivery } from '#shared/webhooks/deliveries/store.ts';
import { deliveryInserts, dispatchOf } from '#shared/platform/outbox/delivery-items.ts';
import { endpointBacklog, readBacklog } from '#shared/webhooks/backlog/store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { webhookSecretItem, webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import { circuit } from '../support/circuit.ts';
import { memoryStore } from '../support/memory-store.ts';
import { testIds } from '../support/test-ids.ts';

export const t0 = '2026-03-02T12:00:00.000Z';
export const companyId = 'c-1';
export const endpoint = 'https://partner.example/hooks';
export const name = endpointBacklog(endpoint);

export type NotifierWorld = Awaited<ReturnType<typeof notifierWorld>>;

/** A company with one active endpoint for pay-ins, and a notifier whose requests to the table are counted. */
export async function notifierWorld(
  given: Pick<DeliverDeps, 'now' | 'send'> & Partial<Pick<DeliverDeps, 'onBacklog'>>,
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
  const deps: DeliverDeps = {
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
    counted,
    /** A pending delivery, created now. */
    given: async (id: string, target: Delivery['target'] = { type: 'PAYIN' }): Promise<void> => {
      const resource = { type: 'PAY_IN', id: 'o-1' } as const;
      const notification = { id, event: 'E', resource, target, body: '{}', createdAt: deps.now(), requestId: 'r' };
      await table.write(deliveryInserts(companyId, notification), `given-${id}`);
    },
    /** The notifier receives a message; `more` replaces what it works with. */
    receive: (id: string, dispatch = 1, receives = 1, more: Partial<DeliverDeps> = {}) =>
      deliver({ companyId, deliveryId: id, dispatch, id: `m-${id}-${dispatch}`, receives }, { ...deps, ...more }),
    present: async (id: string) => (await readDelivery(table, companyId, id))!,
    backlog: async (): Promise<Backlog | undefined> => readBacklog(table, companyId, name),
    dispatches: () => table.all().flatMap((item) => (item['entity'] === 'DELIVERY_DISPATCH' ? [dispatchOf(item)] : [])),
  };
}
