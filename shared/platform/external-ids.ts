import * as z from 'zod';
import { keys, resourceListAttributes } from './table/keys.ts';
import type { Listed, ListedKind, UniqueKind } from './table/list-kinds.ts';
import { parseItem } from './table/parse.ts';
import type { Item, Put } from './table/store.ts';

/** A resource's claim on an external id. `listed`: its place in the list of its kind. */
export type ExternalIdClaim = { readonly externalId: string; readonly resourceId: string } & (
  | { readonly kind: ListedKind; readonly listed: Omit<Listed, 'id'> }
  | { readonly kind: Exclude<UniqueKind, ListedKind> }
);

const UniqueItem = z.object({ resourceId: z.string() });

/** Keeps an external id for one resource of the company for ever; it also leads to the resource. */
export function uniqueInsert(companyId: string, claim: ExternalIdClaim): Put {
  const { kind, externalId, resourceId: id } = claim;
  const listed =
    'listed' in claim ? resourceListAttributes(companyId, claim.kind, { ...claim.listed, id }, externalId) : {};
  return {
    put: { ...keys.unique(companyId, kind, externalId), ...listed, entity: 'UNIQUE', resourceId: id },
    when: { is: 'absent' },
  };
}

/** The resource behind an external id, from the item under `keys.unique`. @throws CorruptItem */
export function parseResourceId(item: Item): string {
  return parseItem(UniqueItem, item, 'unique').resourceId;
}
