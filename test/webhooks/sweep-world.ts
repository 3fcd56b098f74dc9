import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import { newWebhookSettings, replaceEndpoints } from '#shared/webhooks/settings.ts';
import { registryItem } from '#shared/platform/company.ts';
import { readDelivery } from '#shared/webhooks/deliveries/store.ts';
import { deliveryItem, dispatchOf } from '#shared/platform/outbox/delivery-items.ts';
import { webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import type { SweepRun } from '../support/sweep.ts';
import { circuit } from '../support/circuit.ts';
import { memoryStore } from '../support/memory-store.ts';
import { testIds } from '../support/test-ids.ts';

export const t0 = '2026-03-02T12:01:00.000Z';
const endpoint = 'https://partner.example/hooks';
/** Seconds. */
export const grace = 300;

/** A notification of `t0`. */
export const notificationOf = (id: string): Parameters<typeof newDelivery>[1] => ({
  id,
  event: 'E',
  resource: { type: 'PAY_IN', id: 'o-1' },
  target: { type: 'PAYIN' },
  body: '{}',
  createdAt: t0,
  requestId: 'r',
});

/** A pending delivery as it is right after its creation at `t0`. */
export function base(id: string, companyId = 'c-1'): Delivery {
  return newDelivery(companyId, notificationOf(id));
}

export type SweepWorld = Awaited<ReturnType<typeof sweepWorld>>;

/** A table with two companies, and what a sweep works with: no dead letters, all the time it needs. */
export async function sweepWorld(more: Pick<SweepRun, 'now'> & Partial<SweepRun>) {
  const table = memoryStore();
  const ids = testIds();
  const deps: SweepRun = {
    store: table,
    newId: () => ids.uuid(),
    graceSeconds: grace,
    deadLetters: { receive: () => Promise.resolve([]), remove: () => Promise.resolve() },
    remainingMs: () => Infinity,
    failed: (_where, error) => {
      throw error;
    },
    ...circuit,
    ...more,
  };
  for (const companyId of ['c-1', 'c-2']) await table.write([{ put: registryItem(companyId) }], `company-${companyId}`);
  return {
    table,
    deps,
    given: async (delivery: Delivery): Promise<void> => {
      await table.write([{ put: deliveryItem(delivery) }], `given-${delivery.id}-${delivery.version}`);
    },
    present: (id: string, companyId = 'c-1') => readDelivery(table, companyId, id),
    dispatches: () => table.all().flatMap((item) => (item['entity'] === 'DELIVERY_DISPATCH' ? [dispatchOf(item)] : [])),
    /** A company, the first unless said, has an active endpoint for pay-ins. */
    activeSettings: async (companyId = 'c-1'): Promise<void> => {
      const none = newWebhookSettings({ id: 's', companyId, organizationId: 'o', at: t0 });
      const { settings } = replaceEndpoints(none, [{ type: 'PAYIN', endpoint }], t0);
      await table.write([{ put: webhookSettingsItem(settings) }], `settings-${companyId}`);
    },
  };
}
