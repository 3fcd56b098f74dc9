import type { TransitionContext } from '../platform/commit-transition.ts';
import type { OutboxEntry } from '../platform/commit.ts';
import { CorruptItem, StoreUnavailable } from '../platform/table/store.ts';
import { readAddresses } from './deliveries/store.ts';
import { admit } from './health/health.ts';
import { readEndpoints } from './health/operations.ts';
import { addressOf } from './settings.ts';

/**
 * Describes the next step of each notification of a committed transition, one sentence each, for the user of a
 * simulation tool. It decides with `admit` at this moment, as the worker of the deliveries does. Two reads at most. It
 * does not fail when the table is unavailable or has a corrupt item: the transition is committed.
 */
export async function previewDeliveries(
  { store, companyId, realNow }: Pick<TransitionContext, 'store' | 'companyId' | 'realNow'>,
  notifications: readonly OutboxEntry[],
): Promise<string> {
  if (notifications.length === 0) return 'Nothing is notified.';
  try {
    const { settings, health } = await readEndpoints(store, companyId);
    // A notification of a subscription has its current address. A notification of a scheduled payment has the address
    // that the subscription had when the payment was created.
    const ofPayments = notifications.filter(({ resource }) => resource.type === 'SCHEDULED_PAYMENT');
    const currentTarget = await readAddresses(
      store,
      ofPayments.map(({ target }) => ({ companyId, target })),
    );
    const sentenceOf = (notification: OutboxEntry): string => {
      const target = currentTarget({ companyId, target: notification.target });
      const admission = admit({ target, attempts: [] }, settings, health, realNow());
      const address = addressOf(target, settings) ?? '';
      if (admission.to === 'endpoint') return `is queued for ${admission.endpoint}.`;
      if (admission.to === 'defer') return `waits until ${address} answers again or faster.`;
      if (settings.heldSince !== undefined) return 'is held: an operator holds all notifications of the company.';
      if (admission.by?.state === 'HELD' && admission.by.by === 'OPERATOR')
        return `is held: an operator holds what goes to ${address}.`;
      if (admission.by !== undefined)
        return `is held: ${address} failed for days. POST /order/v1/webhook/endpoints/release tries it again.`;
      return `is held: no endpoint is active for ${'type' in target ? target.type : 'it'}. PUT /order/v1/webhook sets one.`;
    };
    return notifications
      .map((notification) => `${notification.event} (delivery ${notification.id}) ${sentenceOf(notification)}`)
      .join(' ');
  } catch (error) {
    if (!(error instanceof StoreUnavailable || error instanceof CorruptItem)) throw error;
    return 'GET /order/v1/webhook/deliveries shows what becomes of its notifications.';
  }
}
