import { expect, test } from 'vitest';
import { listUnsettled, recurrenceLocations } from '#shared/bank/recurrence-locations.ts';
import { memoryStore } from '../support/memory-store.ts';

const connection = { companyId: 'company', id: 'connection' };
const at = '2026-01-15T15:00:00.000Z';

test.each([0, 1, 2])(
  'a stored location is listed as unsettled when its process stops after %i writes',
  async (last) => {
    const store = memoryStore();
    let writes = 0;
    const stopping = {
      ...store,
      writeOne: (write: Parameters<typeof store.writeOne>[0]) => {
        if (writes === last) return Promise.reject(new Error('The process stopped.'));
        writes += 1;
        return store.writeOne(write);
      },
    };
    await recurrenceLocations(stopping, connection)
      .keep('reference', { id: 7, createdAt: at })
      .catch(() => undefined);
    const stored = await recurrenceLocations(store, connection).read('reference');
    expect(stored?.id).toBe(last === 2 ? 7 : undefined);
    const listed = (await listUnsettled(store, connection, at)).map(({ id }) => id);
    expect(listed).toEqual(last === 0 ? [] : [7]);
  },
);
