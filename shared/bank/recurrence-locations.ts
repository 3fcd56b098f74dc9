import * as z from 'zod';
import { epochSeconds, plusSeconds } from '../core/brasilia-time.ts';
import { keys } from '../platform/table/keys.ts';
import { parseItem } from '../platform/table/parse.ts';
import type { Store } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';
import type { RecurrenceLocation, RecurrenceMemory } from './api-pix/connected.ts';

const LocationItem = z.object({
  locationId: z.int(),
  createdAt: z.string(),
  idRec: z.string().exactOptional(),
});

/** Longer than anybody repeats a request. */
const keptSeconds = 90 * 86_400;

/** The locations of recs that a company's requests made, by our reference. */
export function recurrenceLocations(store: Store, companyId: string): RecurrenceMemory {
  const keyOf = (reference: string) => keys.recurrenceLocation(companyId, reference);
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
      const put = { ...keyOf(reference), entity: 'RECURRENCE_LOCATION', locationId, createdAt, expiresAt };
      const { ok } = await store.writeOne({ put, when: { is: 'absent' } });
      const kept = ok ? location : await read(reference);
      if (kept === undefined) throw new CorruptItem('A recurrence location that was written is not there.');
      return kept;
    },
    opened: async (reference, idRec) => {
      await store.writeOne({ update: keyOf(reference), set: { idRec }, when: { is: 'present' } });
    },
  };
}
