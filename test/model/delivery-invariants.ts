import type { Call } from './delivery-world-types.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import type { Item } from '#shared/platform/table/store.ts';
import type { NotificationTarget } from '#shared/platform/outbox/delivery.ts';
import { admit } from '#shared/webhooks/health/health.ts';
import { drainDueAt, parseHealth } from '#shared/webhooks/health/store.ts';
import { parseWebhookSettings } from '#shared/webhooks/settings-store.ts';

/**
 * Every waiting delivery has a worker that looks at it at a known time, or a current reason that a partner or an
 * operator can end.
 * @returns the delivery without both, with its known fields
 */
export function findForgotten(items: readonly Item[], now: string): string | undefined {
  const find = (entity: string) => items.find((item) => item['entity'] === entity);
  const settingsItem = find('WEBHOOK_SETTINGS');
  if (settingsItem === undefined) return undefined;
  const settings = parseWebhookSettings(settingsItem);
  const health = parseHealth(settings.companyId, find('WEBHOOK_HEALTH'));
  const isDrained = drainDueAt(health) !== undefined;
  for (const item of items) {
    if (item['entity'] !== 'DELIVERY') continue;
    const delivery = parseDelivery(item);
    const { id, status, backlog, dueAt } = delivery;
    if (status === 'DELIVERED' || status === 'FAILED') continue;
    const isDue = status === 'PENDING' && backlog === undefined && dueAt !== undefined;
    const isLookedAt = isDrained && health.backlogs.some(({ name }) => name === backlog);
    // Parked: held for more than a week, which the partner can resend.
    const isParked = status === 'HELD' && backlog === undefined;
    const target = presentTarget(delivery.target, items);
    const isHeld = admit({ ...delivery, target, attempts: [] }, settings, health, now).to === 'hold';
    if (!isDue && !isLookedAt && !isParked && !isHeld)
      return `${now}: nobody looks at ${JSON.stringify({ id, status, backlog, dueAt, health, settings })}`;
  }
  return undefined;
}

/** The target with the address that its subscription has. */
function presentTarget(target: NotificationTarget, items: readonly Item[]): NotificationTarget {
  if ('type' in target || target.subscription === undefined) return target;
  const { subscription } = target;
  const webhookUrl = items.find(({ entity, id }) => entity === 'SUBSCRIPTION' && id === subscription)?.['webhookUrl'];
  return typeof webhookUrl === 'string' ? { ...target, endpoint: webhookUrl } : target;
}

/** An address that a subscription has, or had until then, milliseconds. */
type Stay = { readonly address: string; leftMs: number };

/** Follows the address of a subscription, and finds calls that begin to one that it has left: by then it was read. */
export function followsMoves(id: string, within = 20_000) {
  const stays: Stay[] = [];
  return {
    look: (items: readonly Item[], nowMs: number): void => {
      const address = items.find(({ entity, id: one }) => entity === 'SUBSCRIPTION' && one === id)?.['webhookUrl'];
      const current = stays.at(-1);
      if (typeof address !== 'string' || current?.address === address) return;
      if (current !== undefined) current.leftMs = nowMs;
      stays.push({ address, leftMs: Infinity });
    },
    /** Of the calls of its notifications. */
    late: (calls: readonly Call[]): readonly Call[] =>
      calls.filter(({ address, startMs }) => {
        const stay = stays.findLast((one) => one.address === address && one.leftMs + within >= startMs);
        return stay === undefined;
      }),
  };
}
