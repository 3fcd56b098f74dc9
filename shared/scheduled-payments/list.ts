import type { PaymentEntry } from '../subscriptions/model.ts';
import { readCursorKey } from '../platform/company.ts';
import type { CursorScope } from '../platform/table/cursor.ts';
import { cursorOf, positionOf } from '../platform/table/cursor.ts';
import { keys, prefixes } from '../platform/table/keys.ts';
import type { Item, Page, Store } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';

type PaymentListing = {
  readonly companyId: string;
  readonly subscriptionId: string;
  readonly ascending: boolean;
  readonly limit: number;
  readonly cursor?: string | undefined;
};

/**
 * One page of a subscription's payments by due date. The list is a partition of the table: strongly consistent, and
 * each payment stands in it once, at a place that no move changes.
 *
 * @throws Refusal on a cursor that is not one of this listing
 */
export async function listPayments(
  store: Store,
  { companyId, subscriptionId, ascending, limit, cursor }: PaymentListing,
): Promise<{ readonly ids: readonly string[]; readonly nextCursor: string | null }> {
  const filters = { subscriptionId, sort: ascending ? 'asc' : 'desc' };
  const scope: CursorScope = { companyId, kind: 'SCHEDULED_PAYMENT', filters };
  const after = cursor === undefined ? undefined : positionOf(await readCursorKey(store, companyId), scope, cursor);
  const behind = after && { id: after.id, dueDate: after.sort };
  const found = await readEntries(store, { companyId, subscriptionId, ascending, behind, limit: limit + 1 });
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const ids = shown.map(({ id }) => id);
  if (found.length <= limit || last === undefined) return { ids, nextCursor: null };
  const position = { sort: last.dueDate, id: last.id };
  return { ids, nextCursor: cursorOf(await readCursorKey(store, companyId), scope, position) };
}

/** Entries of the list, as many as `limit` while there are any; one query. */
export async function readEntries(
  store: Store,
  wanted: {
    readonly companyId: string;
    readonly subscriptionId: string;
    readonly ascending: boolean;
    readonly limit: number;
    readonly behind?: PaymentEntry | undefined;
  },
): Promise<readonly PaymentEntry[]> {
  const { companyId, subscriptionId, ascending, limit, behind } = wanted;
  const { PK: partition } = keys.paymentEntry(companyId, subscriptionId, '', '');
  const after = behind && keys.paymentEntry(companyId, subscriptionId, behind.dueDate, behind.id);
  const prefix = prefixes.paymentEntry;
  const page: Page = await store.query({ partition, prefix, ascending, limit, ...(after && { after }) });
  return page.items.map(entryOf);
}

function entryOf({ SK, paymentId }: Item): PaymentEntry {
  const [, dueDate] = SK.split('#');
  if (typeof paymentId !== 'string' || dueDate === undefined)
    throw new CorruptItem('An entry of a list of scheduled payments is malformed.');
  return { id: paymentId, dueDate };
}
