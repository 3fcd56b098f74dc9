import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { admit } from '#shared/webhooks/health/health.ts';
import { drainDueAt, parseHealth } from '#shared/webhooks/health/store.ts';
import { parseWebhookSettings } from '#shared/webhooks/settings-store.ts';

/**
 * Whatever waits has someone who looks at it at a known time, or a reason that is true now and that somebody can end.
 * @returns the delivery for which neither holds, with what is known of it
 */
export function whoIsForgotten(items: readonly Item[], now: string): string | undefined {
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
    const isHeld = admit({ ...delivery, attempts: [] }, settings, health, now).to === 'hold';
    if (!isDue && !isLookedAt && !isParked && !isHeld)
      return `${now}: nobody looks at ${JSON.stringify({ id, status, backlog, dueAt, health, settings })}`;
  }
  return undefined;
}
