import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import type { DeliveryMessage } from '../deliveries/message.ts';
import { parseDeliveryMessage } from '../deliveries/message.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';

export type DeadLetter = { readonly id: string; readonly body: string; readonly receiptHandle: string };

/** The dead-letter queue. What is received is hidden for a moment and shown again, unless it is removed. */
export type DeadLetters = {
  readonly receive: () => Promise<readonly DeadLetter[]>;
  readonly remove: (letter: DeadLetter) => Promise<void>;
};

/** Letters read in one run; the rest waits for the next. */
const maxLetters = 100;

/**
 * Removes the letters that no failed delivery needs, so that each delivery that failed has exactly one and no other has
 * any. A letter whose delivery is unknown, or that cannot be read, is left to the operator.
 *
 * @returns how many were removed
 */
export async function removeStaleLetters(
  store: Store,
  letters: DeadLetters,
  isTimeUp: () => boolean = () => false,
): Promise<number> {
  const seen = new Set<string>();
  let removed = 0;
  while (seen.size < maxLetters && !isTimeUp()) {
    const batch = (await letters.receive()).filter(({ id }) => !seen.has(id));
    if (batch.length === 0) break;
    for (const { id } of batch) seen.add(id);
    for (const letter of await staleAmong(store, batch)) {
      await letters.remove(letter);
      removed += 1;
    }
  }
  return removed;
}

async function staleAmong(store: Store, letters: readonly DeadLetter[]): Promise<readonly DeadLetter[]> {
  const read = letters.flatMap((letter) => {
    const message = parseDeliveryMessage(letter.body);
    return message === undefined ? [] : [{ letter, message }];
  });
  const wanted = new Map(read.map(({ message }) => [message.deliveryId, keyOf(message)]));
  const items = await store.read([...wanted.values()]);
  const places = new Map([...wanted.keys()].map((id, place) => [id, items[place]]));
  return read
    .filter(({ letter, message }) => {
      const item = places.get(message.deliveryId);
      return item !== undefined && isStale(letter.id, message, parseDelivery(item));
    })
    .map(({ letter }) => letter);
}

/**
 * A delivery that failed keeps the letter of the message that carried it to its end (SQS keeps a message's id when it
 * moves it). One that is pending keeps the letter of its present sending, until it is sent again or fails.
 */
function isStale(id: string, message: DeliveryMessage, { status, sending, carrier }: Delivery): boolean {
  if (message.sending !== sending || status === 'DELIVERED' || status === 'HELD') return true;
  return status === 'FAILED' && carrier !== undefined && carrier !== id;
}

function keyOf({ companyId, deliveryId }: DeliveryMessage): { PK: string; SK: string } {
  return keys.delivery(companyId, deliveryId);
}
