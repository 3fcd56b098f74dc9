import { concurrently } from '../platform/concurrently.ts';
import { parentOrderId } from '../core/identifiers.ts';
import { receivedKey } from '../credits/received.ts';
import { keys } from '../platform/table/keys.ts';
import type { Item, Key, Store } from '../platform/table/store.ts';
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
  const itemOf = await readMany(
    store,
    wanted.flatMap(([, found]) => found),
  );
  return new Set(wanted.filter(([, found]) => found.some((key) => itemOf(key) !== undefined)).map(([event]) => event));
}

/** Reads any number of items, a hundred keys in one call, several calls concurrently. Returns each by its key. */
export async function readMany(store: Store, wanted: readonly Key[]): Promise<(key: Key) => Item | undefined> {
  const all = [...new Map(wanted.map((key) => [textOf(key), key])).values()];
  const chunks = Array.from({ length: Math.ceil(all.length / keysAtOnce) }, (_, at) =>
    all.slice(at * keysAtOnce, (at + 1) * keysAtOnce),
  );
  const items = (await concurrently(chunks, readsAtOnce, (chunk) => store.read(chunk))).flat();
  const existing = new Map(items.flatMap((item) => (item === undefined ? [] : [[textOf(item), item]])));
  return (key) => existing.get(textOf(key));
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
