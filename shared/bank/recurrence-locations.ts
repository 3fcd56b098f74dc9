import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { epochSeconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { parseItem } from '#shared/platform/table/parse.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { CorruptItem, queryAll } from '#shared/platform/table/store.ts';
import type { BankConnection } from './connection.ts';

/** The location of a rec that this service made for an order, and the rec once it is known. */
export type RecurrenceLocation = {
  readonly id: number;
  readonly createdAt: Instant;
  readonly idRec?: string;
};

/** Memory of recs by our reference, read before a request for one: API Pix has no key of ours for it. */
export type RecurrenceMemory = {
  readonly read: (reference: string) => Promise<RecurrenceLocation | undefined>;
  /** Stores a location; returns the stored one: another run may have been first. */
  readonly keep: (reference: string, location: RecurrenceLocation) => Promise<RecurrenceLocation>;
  readonly opened: (reference: string, idRec: string) => Promise<void>;
};

const LocationItem = z.object({
  locationId: z.int(),
  createdAt: z.string(),
  idRec: z.string().exactOptional(),
});

const UnsettledItem = LocationItem.extend({ reference: z.string(), leftAt: z.string().exactOptional() });

/** Retention: longer than a request is repeated. */
const keptSeconds = 90 * 86_400;

/** Location created for a request; whether a subscription has its rec is not known yet. */
export type UnsettledLocation = RecurrenceLocation & {
  readonly reference: string;
  /** Time since which no repetition of the request opens a rec there. */
  readonly leftAt?: Instant;
};

/** The connection whose bank has them. */
type ConnectionKey = Pick<BankConnection, 'companyId' | 'id'>;

/** The locations of recs that requests made at the bank behind a connection, by our reference. */
export function recurrenceLocations(store: Store, { companyId, id: connection }: ConnectionKey): RecurrenceMemory {
  const keyOf = (reference: string) => keys.recurrenceLocation(companyId, connection, reference);
  const read = async (reference: string): Promise<RecurrenceLocation | undefined> => {
    const [item] = await store.read([keyOf(reference)]);
    if (item === undefined) return undefined;
    const { locationId: id, ...more } = parseItem(LocationItem, item, 'recurrence location');
    return { id, ...more };
  };
  return {
    read,
    keep: async (reference, location) => {
      const { id: locationId, createdAt } = location;
      const expiresAt = epochSeconds(plusSeconds(createdAt, keptSeconds));
      // First: a location that has a rec is in the list, whatever ends in between.
      const unsettled = keys.unsettledLocation(companyId, connection, createdAt, locationId);
      const listed = { entity: 'UNSETTLED_LOCATION', reference, locationId, createdAt, expiresAt };
      await store.writeOne({ put: { ...unsettled, ...listed } });
      const put = { ...keyOf(reference), entity: 'RECURRENCE_LOCATION', locationId, createdAt, expiresAt };
      const { ok } = await store.writeOne({ put, when: { is: 'absent' } });
      const kept = ok ? location : await read(reference);
      if (kept === undefined) throw new CorruptItem('Cannot find a recurrence location after its write.');
      return kept;
    },
    opened: async (reference, idRec) => {
      await store.writeOne({ update: keyOf(reference), set: { idRec }, when: { is: 'present' } });
    },
  };
}

/** Returns the unsettled ones of a connection that were created by then, oldest first. */
export async function listUnsettled(
  store: Pick<Store, 'query'>,
  { companyId, id: connection }: ConnectionKey,
  upTo: Instant,
): Promise<readonly UnsettledLocation[]> {
  const { PK: partition } = keys.unsettledLocation(companyId, connection, '', 0);
  const found: UnsettledLocation[] = [];
  for await (const item of queryAll(store, { partition })) {
    const { locationId: id, ...more } = parseItem(UnsettledItem, item, 'unsettled location');
    if (more.createdAt > upTo) break;
    found.push({ id, ...more });
  }
  return found;
}

/** Leaves the location: from now on a repetition of its request makes another one. */
export async function leaveLocation(
  store: Pick<Store, 'writeOne' | 'write'>,
  { companyId, id: connection }: ConnectionKey,
  { reference, createdAt, id: locationId }: UnsettledLocation,
  { leftAt, idRec }: { readonly leftAt: Instant; readonly idRec?: string | undefined },
): Promise<void> {
  const update = keys.unsettledLocation(companyId, connection, createdAt, locationId);
  await store.writeOne({ update, set: { leftAt, ...(idRec !== undefined && { idRec }) }, when: { is: 'present' } });
  const when = { equals: { locationId } };
  await store.write([{ delete: keys.recurrenceLocation(companyId, connection, reference), when }], crypto.randomUUID());
}

/** Takes it off the list. */
export async function settleLocation(
  store: Pick<Store, 'write'>,
  { companyId, id: connection }: ConnectionKey,
  { id, createdAt }: UnsettledLocation,
): Promise<void> {
  await store.write([{ delete: keys.unsettledLocation(companyId, connection, createdAt, id) }], crypto.randomUUID());
}
