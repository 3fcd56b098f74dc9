import * as z from 'zod';
import { endToEndAttributes, keys, resourceListAttributes } from './table/keys.ts';
import type { Listed, ListedKind, UniqueKind } from './table/list-kinds.ts';
import { parseItem } from './table/parse.ts';
import type { Item, Put } from './table/store.ts';

/**
 * A resource's claim on an external id. `listed`: its place in the list of its kind. `endToEndId`: a second id by which
 * it is found.
 */
export type ExternalIdClaim = {
  readonly externalId: string;
  readonly resourceId: string;
  readonly endToEndId?: string | undefined;
} & (
  | { readonly kind: ListedKind; readonly listed: Omit<Listed, 'id'> }
  | { readonly kind: Exclude<UniqueKind, ListedKind> }
);

const UniqueItem = z.object({ resourceId: z.string() });

/** Reserves an external id permanently for one resource of the company; it also leads to the resource. */
export function uniqueInsert(companyId: string, claim: ExternalIdClaim): Put {
  const { kind, externalId, resourceId: id, endToEndId } = claim;
  const listed =
    'listed' in claim ? resourceListAttributes(companyId, claim.kind, { ...claim.listed, id }, externalId) : {};
  return {
    put: {
      ...keys.unique(companyId, kind, externalId),
      ...listed,
      entity: 'UNIQUE',
      resourceId: id,
      ...(endToEndId !== undefined && endToEndAttributes(companyId, endToEndId)),
    },
    when: { is: 'absent' },
  };
}

/** The resource behind an external id, from the item under `keys.unique`. @throws CorruptItem */
export function parseResourceId(item: Item): string {
  return parseItem(UniqueItem, item, 'unique').resourceId;
}
