import type { KeyValidation } from './model.ts';
import { keys } from '../platform/table/keys.ts';
import { parseKeyValidation } from './store.ts';
import { entriesOf, listPage } from '../platform/table/listing.ts';
import type { Store } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';

/**
 * One page of an account's validations by creation. The list is a partition of the table: strongly consistent, and each
 * validation stands in it once, at a place that nothing moves.
 *
 * @throws Refusal on a cursor that is not one of this listing
 */
export async function listKeyValidations(
  store: Store,
  wanted: {
    readonly companyId: string;
    readonly accountId: string;
    readonly ascending: boolean;
    readonly limit: number;
    readonly cursor?: string | undefined;
  },
): Promise<{
  readonly validations: readonly KeyValidation[];
  readonly nextCursor: string | null;
  readonly hasNext: boolean;
}> {
  const { companyId, accountId, ascending, limit, cursor } = wanted;
  const filters = { accountId, sort: ascending ? 'asc' : 'desc' };
  const { PK: partition } = keys.keyEntry(companyId, accountId, '', '');
  const { entries, ...page } = await listPage(store, {
    scope: { companyId, kind: 'KEY_VALIDATION', filters },
    limit,
    cursor,
    source: entriesOf(store, { partition, prefix: '', ascending }),
  });
  const items = await store.read(entries.map(({ id }) => keys.keyValidation(companyId, accountId, id)));
  const validations = items.map((item) => {
    if (item === undefined) throw new CorruptItem('A listed validation of a key is not there.');
    return parseKeyValidation(item);
  });
  return { validations, ...page };
}
