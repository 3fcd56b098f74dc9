import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { epochSeconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { parseItem } from '#shared/platform/table/parse.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { CorruptItem, queryAll } from '#shared/platform/table/store.ts';
import type { BankConnection } from './connection.ts';

/** The location that this service created for an order's rec. `idRec`: the rec at the location, once it is known. */
export type RecurrenceLocation = {
  readonly id: number;
  readonly createdAt: Instant;
  readonly idRec?: string;
};

/**
 * Stored locations of recs by our reference. They are read before a rec is requested, because API Pix takes no
 * reference of ours for a rec.
 */
export type RecurrenceMemory = {
  readonly read: (reference: string) => Promise<RecurrenceLocation | undefined>;
  /** Stores a location; returns the stored location, which is another one if a concurrent run stored first. */
  readonly keep: (reference: string, location: RecurrenceLocation) => Promise<RecurrenceLocation>;
  readonly opened: (reference: string, idRec: string) => Promise<void>;
};

const LocationItem = z.object({
  locationId: z.int(),
  createdAt: z.string(),
  idRec: z.string().exactOptional(),
});

const UnsettledItem = LocationItem.extend({ reference: z.string(), leftAt: z.string().exactOptional() });

/** Retention, seconds: longer than any request is repeated. */
const keptSeconds = 90 * 86_400;

/** Location created for a request, while it is not known whether a subscription has the rec of the location. */
export type UnsettledLocation = RecurrenceLocation & {
  readonly reference: string;
  /** Time since which no repetition of the request opens a rec there. */
  readonly leftAt?: Instant;
};

/** Key of the connection whose bank has the locations. */
type ConnectionKey = Pick<BankConnection, 'companyId' | 'id'>;

/** Returns the stored locations of recs at the bank of a connection. */
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
      // Written first, so that every location with a rec is listed, even if the process stops between the two writes.
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

/** Returns the unsettled locations of a connection that were created up to this time, oldest first. */
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

/** Leaves the location: from now on a repetition of its request creates another location. */
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

/** Removes a location from the list of unsettled locations. */
export async function settleLocation(
  store: Pick<Store, 'write'>,
  { companyId, id: connection }: ConnectionKey,
  { id, createdAt }: UnsettledLocation,
): Promise<void> {
  await store.write([{ delete: keys.unsettledLocation(companyId, connection, createdAt, id) }], crypto.randomUUID());
}
