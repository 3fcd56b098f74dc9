import { parentOrderId } from '../core/identifiers.ts';
import { receivedKey } from '../pay-ins/received.ts';
import { keys } from '../platform/table/keys.ts';
import type { Key, Store } from '../platform/table/store.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import { idOfReference } from './recurring.ts';

/** Keys in one read: the limit of DynamoDB. */
const keysAtOnce = 100;
/** Reads at the same time: a full body is sorted within a second. */
const readsAtOnce = 10;

/**
 * Returns the events whose ids name a resource of the company: an order or a scheduled payment by its reference, a rec
 * of a subscription, a devolução of a payment that was credited. At most two keys are read for an id, a hundred keys in
 * one call. A Pix without `txid` names no resource.
 * @throws StoreUnavailable
 */
export async function findOwn(
  store: Store,
  companyId: string,
  events: readonly BankEvent[],
): Promise<ReadonlySet<BankEvent>> {
  const wanted = events.map((event) => [event, keysOf(companyId, event)] as const);
  const all = new Map(wanted.flatMap(([, found]) => found.map((key) => [textOf(key), key] as const)));
  const chunks = Array.from({ length: Math.ceil(all.size / keysAtOnce) }, (_, at) =>
    [...all].slice(at * keysAtOnce, (at + 1) * keysAtOnce),
  ).values();
  const existing = new Set<string>();
  const read = async (): Promise<void> => {
    for (const chunk of chunks) {
      const items = await store.read(chunk.map(([, key]) => key));
      for (const [at, [text]] of chunk.entries()) if (items[at] !== undefined) existing.add(text);
    }
  };
  await Promise.all(Array.from({ length: readsAtOnce }, read));
  return new Set(wanted.filter(([, found]) => found.some((key) => existing.has(textOf(key)))).map(([event]) => event));
}

function keysOf(companyId: string, events: BankEvent): readonly Key[] {
  switch (events.kind) {
    case 'PIX': {
      const id = idOfReference(events.txid ?? '');
      return id === undefined ? [] : [keys.order(companyId, id), keys.scheduledPayment(companyId, id)];
    }
    case 'RETURN':
      return [receivedKey(companyId, events.endToEndId)];
    case 'RECURRENCE':
      return [keys.recurrence(companyId, events.idRec)];
    case 'RECURRING_CHARGE': {
      const id = idOfReference(events.txid);
      return id === undefined ? [] : [keys.scheduledPayment(companyId, id)];
    }
    case 'PAYOUT': {
      const id = idOfReference(events.idEnvio);
      return id === undefined ? [] : [keys.order(companyId, parentOrderId(id))];
    }
  }
}

function textOf({ PK, SK }: Key): string {
  return `${PK} ${SK}`;
}
