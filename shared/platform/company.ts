import * as z from 'zod';
import { companyPrefix, keys, registry } from './table/keys.ts';
import { parseItem } from './table/parse.ts';
import type { Item, Key, Store } from './table/store.ts';
import { CorruptItem, queryAll } from './table/store.ts';

const CompanyItem = z.object({
  companyId: z.string(),
  organizationId: z.string(),
  name: z.string(),
  /** Authenticates this company's cursors: 32 random bytes, base64. */
  cursorKey: z.string(),
  createdAt: z.string(),
  /** What its accounts do with a payout like another one of the last ten minutes; each has a copy. */
  equalPayouts: z.literal('REFUSED').exactOptional(),
});

/** A partner of this service. */
export type Company = z.output<typeof CompanyItem>;

export function companyItem(company: Company): Item {
  return { ...keys.company(company.companyId), entity: 'COMPANY', version: 1, ...company };
}

/** @throws CorruptItem */
export function parseCompany(item: Item): Company {
  return parseItem(CompanyItem, item, 'company');
}

/** The company of an item, by its key; undefined for the few items without one. */
export function companyOf({ PK }: Key): string | undefined {
  const [, companyId = ''] = PK.split('#');
  return PK.startsWith(companyPrefix(companyId)) ? companyId : undefined;
}

/** The company's item in the list of all companies, written together with the company. */
export function registryItem(companyId: string): Item {
  return { ...keys.registry(companyId), entity: 'REGISTRY', companyId };
}

/** Every company, page by page. */
export async function* companyIds(store: Store): AsyncGenerator<string, void, void> {
  for await (const { SK } of queryAll(store, { partition: registry })) yield SK;
}

const cursorKeys = new WeakMap<Store, Map<string, string>>();

/** Returns the company's `cursorKey`. It never changes, so it is read once per company and store. */
export async function readCursorKey(store: Store, companyId: string): Promise<string> {
  const known = cursorKeys.get(store) ?? new Map<string, string>();
  cursorKeys.set(store, known);
  const remembered = known.get(companyId);
  if (remembered !== undefined) return remembered;
  const [item] = await store.read([keys.company(companyId)]);
  if (item === undefined) throw new CorruptItem('A company with API clients has no item.');
  const { cursorKey } = parseCompany(item);
  known.set(companyId, cursorKey);
  return cursorKey;
}
