import type { TransitionContext } from '../platform/commit-transition.ts';
import type { OutboxEntry } from '../platform/commit.ts';
import { CorruptItem, StoreUnavailable } from '../platform/table/store.ts';
import { admit } from './health/circuit.ts';
import { readEndpointHealth } from './health/endpoint-health.ts';
import { addressOf } from './settings.ts';
import { readWebhookSettings } from './settings-store.ts';

/**
 * The next step of each notification of a committed transition, a sentence each, for the user of a simulation tool. It
 * decides as the notifier does (`admit`), at this moment. Two reads. Never fails on what it reads: the transition is
 * committed.
 */
export async function previewDeliveries(
  { store, companyId, realNow }: Pick<TransitionContext, 'store' | 'companyId' | 'realNow'>,
  notifications: readonly OutboxEntry[],
): Promise<string> {
  if (notifications.length === 0) return 'Nothing is notified.';
  try {
    const settings = await readWebhookSettings(store, companyId);
    const healthOf = await readEndpointHealth(
      store,
      settings,
      notifications.map(({ target }) => target),
    );
    const sentenceOf = ({ target }: OutboxEntry): string => {
      const health = healthOf(target);
      const admission = admit({ target, attempts: [] }, settings, health, realNow());
      const address = addressOf(target, settings) ?? '';
      if (admission.to === 'endpoint') return `is queued for ${admission.endpoint}.`;
      if (admission.to === 'defer') return `waits until ${address} answers again or faster.`;
      if (admission.backlog === 'company') return 'is held: an operator holds all notifications of the company.';
      if (health?.backlog?.held?.by === 'OPERATOR') return `is held: an operator holds what goes to ${address}.`;
      if (health?.backlog?.held?.by === 'CIRCUIT')
        return `is held: ${address} failed for days. Set it active again with PUT /order/v1/webhook.`;
      return `is held: no endpoint is active for ${'type' in target ? target.type : 'it'}. PUT /order/v1/webhook sets one.`;
    };
    return notifications.map((one) => `${one.event} (delivery ${one.id}) ${sentenceOf(one)}`).join(' ');
  } catch (error) {
    if (!(error instanceof StoreUnavailable || error instanceof CorruptItem)) throw error;
    return 'GET /order/v1/webhook/deliveries shows what becomes of its notifications.';
  }
}
