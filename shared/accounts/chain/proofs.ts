import type * as z from 'zod';
import type { Store } from '#shared/platform/table/store.ts';
import type { EntryProof, LedgerEntryRecord } from '../contract.ts';
import { chainVersion } from './entry-hash.ts';
import type { ChainOf } from './items.ts';
import { segmentsBetween } from './items.ts';

type Entry = z.output<typeof LedgerEntryRecord>;

/** Returns the proof of each of these entries that is chained already, by its id. They follow each other in time. */
export async function proofsOf(
  store: Store,
  chain: ChainOf,
  entries: readonly Pick<Entry, 'id' | 'createdAt'>[],
): Promise<ReadonlyMap<string, z.output<typeof EntryProof>>> {
  const times = entries.map(({ createdAt }) => createdAt).toSorted();
  const [from, to] = [times[0], times.at(-1)];
  const proofs = new Map<string, z.output<typeof EntryProof>>();
  if (from === undefined || to === undefined) return proofs;
  for await (const { first, minute, links } of segmentsBetween(store, chain, from, to))
    for (const [place, { id, previous, hash }] of links.entries())
      proofs.set(id, { version: chainVersion, position: first + place, minute, previous, hash });
  return proofs;
}
