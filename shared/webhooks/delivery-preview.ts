import type { NotificationTarget } from '../platform/outbox/delivery.ts';
import type { EndpointHealth, Admission } from './health/circuit.ts';
import { admit } from './health/circuit.ts';
import { addressOf } from './settings.ts';
import type { OutboxEntry } from '../platform/commit.ts';
import { CorruptItem, StoreUnavailable } from '../platform/table/store.ts';
import { readBacklogs, endpointBacklog } from './backlog/store.ts';
import { readWebhookSettings } from './settings-store.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';

type DeliveryPreview = {
  readonly target: NotificationTarget;
  readonly known: EndpointHealth | undefined;
  readonly admission: Admission;
};

/**
 * What becomes of the notifications of a committed transition: a sentence each, for the user of a simulation tool. It
 * is judged as the notifier judges a delivery (`admit`), at this moment: what is queued now is held if its endpoint is
 * taken away before the attempt. Reads the settings, then the backlogs of all addresses: two calls. Never fails for
 * what it finds in the table, because the transition is committed.
 */
export async function previewDeliveries(
  { store, companyId, realNow }: Pick<TransitionContext, 'store' | 'companyId' | 'realNow'>,
  notifications: readonly OutboxEntry[],
): Promise<string> {
  if (notifications.length === 0) return 'Nothing is notified.';
  try {
    const settings = await readWebhookSettings(store, companyId);
    const addresses = notifications.map(({ target }) => addressOf(target, settings));
    const names = addresses.filter((address) => address !== undefined).map(endpointBacklog);
    const backlogs = await readBacklogs(store, companyId, names);
    const sentences = notifications.map(({ id, event, target }, index) => {
      const address = addresses[index];
      const name = address === undefined ? undefined : endpointBacklog(address);
      const known = name && { name, backlog: backlogs.get(name) };
      const admission = admit({ target, attempts: [] }, settings, known, realNow());
      return `${event} (delivery ${id}) ${sentenceOf({ target, known, admission }, address)}`;
    });
    return sentences.join(' ');
  } catch (error) {
    if (!(error instanceof StoreUnavailable || error instanceof CorruptItem)) throw error;
    return 'GET /order/v1/webhook/deliveries shows what becomes of its notifications.';
  }
}

function sentenceOf({ target, known, admission }: DeliveryPreview, address = ''): string {
  switch (admission.to) {
    case 'endpoint':
      return `is queued for ${admission.endpoint}.`;
    case 'defer':
      return `waits until ${address} answers again or faster.`;
    case 'hold':
      if (admission.backlog === 'company') return 'is held: an operator holds all notifications of the company.';
      if (known?.backlog?.held?.by === 'OPERATOR') return `is held: an operator holds what goes to ${address}.`;
      if (known?.backlog?.held?.by === 'CIRCUIT')
        return `is held: ${address} failed for days. Set it active again with PUT /order/v1/webhook.`;
      return `is held: no endpoint is active for ${'type' in target ? target.type : 'it'}. PUT /order/v1/webhook sets one.`;
  }
}
