import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { companyIds } from '../platform/company.ts';
import { keys } from '../platform/table/keys.ts';
import type { ItemMembers } from '../platform/table/parse.ts';
import { parserOf } from '../platform/table/parse.ts';
import type { Item, Store } from '../platform/table/store.ts';

/**
 * `readAt`: time of the last reading of a company's lists, also of a failed one. `dailyAt`: time of the last complete
 * daily reading.
 */
type ListReading = { readonly readAt: Instant; readonly dailyAt?: Instant };

const ListReadingItem = z.object({
  entity: z.literal('BANK_LIST_READING'),
  readAt: z.string(),
  dailyAt: z.string().exactOptional(),
} satisfies ItemMembers<ListReading>);
const parseListReading: (item: Item) => ListReading = parserOf(ListReadingItem, 'list reading');

/** A company with a bank of its own. */
export type ConnectedCompany = { readonly companyId: string; readonly last: ListReading | undefined };

/** Companies in one read, which has two keys for each. */
const companiesAtOnce = 50;

/**
 * Returns the companies with a bank of their own. First are those whose lists were never read or were read longest ago.
 */
export async function connectedCompanies(store: Store): Promise<readonly ConnectedCompany[]> {
  const found: ConnectedCompany[] = [];
  const read = async (ids: readonly string[]): Promise<void> => {
    const items = await store.read(ids.flatMap((id) => [keys.bankVersion(id), keys.bankListReading(id)]));
    for (const [at, companyId] of ids.entries()) {
      const [connection, last] = items.slice(2 * at, 2 * at + 2);
      if (connection !== undefined) found.push({ companyId, last: last && parseListReading(last) });
    }
  };
  let ids: string[] = [];
  for await (const companyId of companyIds(store)) {
    ids.push(companyId);
    if (ids.length < companiesAtOnce) continue;
    await read(ids);
    ids = [];
  }
  if (ids.length > 0) await read(ids);
  const since = ({ last }: ConnectedCompany): Instant => last?.readAt ?? '';
  return found.toSorted((a, b) => (since(a) < since(b) ? -1 : since(a) > since(b) ? 1 : 0));
}

/** Stores the time of a reading of lists, unless a later time is stored. */
export async function keepListReading(
  store: Store,
  { companyId, last }: ConnectedCompany,
  { at, isDaily }: { readonly at: Instant; readonly isDaily: boolean },
): Promise<void> {
  const dailyAt = isDaily ? at : last?.dailyAt;
  const facts = { entity: 'BANK_LIST_READING', readAt: at, ...(dailyAt !== undefined && { dailyAt }) };
  await store.writeOne({
    put: { ...keys.bankListReading(companyId), ...facts },
    when: { any: [{ is: 'absent' }, { before: { readAt: at } }] },
  });
}
