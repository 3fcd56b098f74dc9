import type { NotificationTarget } from '../platform/outbox/notification.ts';
import type { EndpointLine, Passage } from './health/admission.ts';
import { passageOf } from './health/admission.ts';
import type { WebhookSettings } from './settings.ts';
import { addressOf } from './settings.ts';
import type { OutboxEntry } from '../platform/commit.ts';
import type { LinesRead } from './health/prefetch.ts';
import { CorruptItem, StoreUnavailable } from '../platform/table/store.ts';
import { readSettingsAndLines } from './settings-store.ts';
import type { MoveContext } from '../pay-ins/transition.ts';

type Fact = {
  readonly target: NotificationTarget;
  readonly known: EndpointLine | undefined;
  readonly passage: Passage;
};

/**
 * What becomes of the notifications of a move that is committed: a sentence each, for the person who uses a simulation
 * tool. It is judged as the notifier judges a delivery (`passageOf`), at this moment: what is queued now is held if its
 * endpoint is taken away before the attempt. Reads the settings, and the line of each address: two read units and one
 * call, mostly.
 * Never fails for what it finds in the table, because the move has been made.
 */
export async function describeFates(
  { store, companyId, realNow }: Pick<MoveContext, 'store' | 'companyId' | 'realNow'>,
  notifications: readonly OutboxEntry[],
): Promise<string> {
  const [first] = notifications;
  if (first === undefined) return 'Nothing is notified.';
  try {
    const { settings, lines: likely } = await readSettingsAndLines(store, companyId, first.target);
    const lines = await readLines(likely, notifications, settings);
    const sentences = notifications.map(({ id, event, target }) => {
      const address = addressOf(target, settings);
      const known = address === undefined ? undefined : lines.get(address);
      const passage = passageOf({ target, attempts: [] }, settings, known, realNow());
      return `${event} (delivery ${id}) ${fateOf({ target, known, passage }, address)}`;
    });
    return sentences.join(' ');
  } catch (error) {
    if (!(error instanceof StoreUnavailable || error instanceof CorruptItem)) throw error;
    return 'GET /order/v1/webhook/deliveries shows what becomes of its notifications.';
  }
}

async function readLines(
  lines: LinesRead,
  notifications: readonly OutboxEntry[],
  settings: WebhookSettings,
): Promise<ReadonlyMap<string, EndpointLine>> {
  const addresses = new Set(notifications.map(({ target }) => addressOf(target, settings)));
  const known = [...addresses].filter((address) => address !== undefined);
  const read = known.map(async (address): Promise<[string, EndpointLine]> => [address, await lines.of(address)]);
  return new Map(await Promise.all(read));
}

function fateOf({ target, known, passage }: Fact, address = ''): string {
  switch (passage.to) {
    case 'endpoint':
      return `is queued for ${passage.endpoint}.`;
    case 'pause':
      return `waits until ${address} answers again or faster.`;
    case 'hold':
      if (passage.line === 'company') return 'is held: an operator holds all notifications of the company.';
      if (known?.line?.held?.by === 'OPERATOR') return `is held: an operator holds what goes to ${address}.`;
      if (known?.line?.held?.by === 'CIRCUIT')
        return `is held: ${address} failed for days. Set it active again with PUT /order/v1/webhook.`;
      return `is held: no endpoint is active for ${'type' in target ? target.type : 'it'}. PUT /order/v1/webhook sets one.`;
  }
}
