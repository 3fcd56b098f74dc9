import { describe, expect, it, vi } from 'vitest';
import { centavos } from '#shared/core/money.ts';
import type { Detail } from '#shared/core/errors.ts';
import { forbiddenByState, RequestError } from '#shared/core/errors.ts';
import type { Creation } from '#shared/platform/idempotent-create.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { collectLines } from '../support/logged.ts';
import { memoryStore } from '../support/memory-store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { ItemContended, StoreUnavailable } from '#shared/platform/table/store.ts';

const companyId = 'c';
const at = '2026-03-10T12:00:00.000Z';
type CreatedRecord = { readonly id: string };
type Steps = Creation<unknown, CreatedRecord, string>;

type Asked = { idempotencyKey?: string | undefined; fingerprint?: string; contextDetails?: readonly Detail[] };
const request = (more: Asked = {}) => ({
  caller: { companyId },
  fingerprint: 'f',
  idempotencyKey: 'k',
  contextDetails: [],
  ...more,
});

const listed = () => ({ createdAt: at, accountId: 'a' });
const unique = { kind: 'PAY_IN', externalId: 'X', resourceName: 'thing', listed } as const;

let createdCount = 0;
const steps = (more: Partial<Steps> = {}): Steps => ({
  operation: 'make',
  keyLife: 'WEEK',
  unique,
  find: (read) => read([]),
  decide: () => ({ id: `made-${(createdCount += 1)}` }),
  idOf: ({ id }) => id,
  change: ({ id }) => ({ writes: [{ put: keys.order(companyId, id), when: { is: 'absent' } }] }),
  response: ({ id }) => `made ${id}`,
  replay: (id) => Promise.resolve(`again ${id}`),
  ...more,
});
const create = (store: Store, more: Partial<Steps> = {}, asked = request()): Promise<string> =>
  createOnce({ store, now: () => at, realNow: () => at }, asked, steps(more));
/** A creation whose resource has no external id. */
const nameless = (more: Partial<Steps> = {}): Steps => {
  const { unique: _unique, ...rest } = steps(more);
  return rest;
};
const issueOf = (error: unknown): string | undefined =>
  error instanceof RequestError ? error.details[0]?.issue : undefined;

/** The twin commits between what this request read and what it writes. */
function withTwin(memory: Store, twin: () => Promise<unknown>, reported: 'all' | 'last' = 'all'): Store {
  let first = true;
  return {
    ...memory,
    write: async (writes, token) => {
      if (first) {
        first = false;
        await twin();
      }
      const outcome = await memory.write(writes, token);
      // A database that names one failed condition, and not the one that matters.
      return outcome.ok || reported === 'all' ? outcome : { ok: false, failed: outcome.failed.slice(-1) };
    },
  };
}

describe('a creation on a contended balance', () => {
  const contended = new ItemContended('Other transactions changed the item.');

  it('is refused with 429 and the seconds to wait, is counted, and is carried out when the same request comes again', async () => {
    const memory = memoryStore();
    const lines = collectLines();
    const refused = create({ ...memory, write: () => Promise.reject(contended) });
    await expect(refused).rejects.toMatchObject({ kind: 'throttled', retryAfterSeconds: 1 });
    vi.restoreAllMocks();
    expect(lines).toMatchObject([{ kind: 'make', RequestsShed: 1 }]);
    expect(await create(memory)).toMatch(/^made /u);
  });

  it('is a replay when an equal request was carried out meanwhile', async () => {
    const memory = memoryStore();
    const twin = async (): Promise<never> => {
      await create(memory);
      throw contended;
    };
    expect(await create({ ...memory, write: twin })).toMatch(/^again /u);
  });
});

describe('an idempotent creation', () => {
  it('is carried out once: equal requests get the first response again, one after the other or concurrently', async () => {
    const store = memoryStore();
    const responses = await Promise.all(Array.from({ length: 20 }, () => create(store)));
    const first = responses.filter((response) => response.startsWith('made'));
    expect(first).toHaveLength(1);
    const again = first.map((response) => response.replace('made ', 'again '));
    expect(new Set([...responses, await create(store)])).toEqual(new Set([...first, ...again]));
  });

  it('is remembered by its key alone: without one only the external id stands in the way', async () => {
    const store = memoryStore();
    const keyless = request({ idempotencyKey: undefined });
    await create(store, {}, keyless);
    await expect(create(store, {}, keyless)).rejects.toSatisfy((error) => issueOf(error) === 'ALREADY_EXISTS');
    const asked = { ...keyless, caller: { companyId: 'other' } };
    const twice = await Promise.all(
      [1, 2].map(() => createOnce({ store, now: () => at, realNow: () => at }, asked, nameless())),
    );
    expect(new Set(twice).size).toBe(2);
  });

  it.each([
    ['WEEK', '2026-03-17T12:00:00.000Z'],
    ['FOR_EVER', undefined],
  ] as const)('keeps its key as long as its keyLife %s defines', async (keyLife, until) => {
    const store = memoryStore();
    await create(store, { keyLife });
    const [key] = await store.read([keys.idempotency(companyId, 'make', 'k')]);
    expect(key?.['expiresAt']).toBe(until === undefined ? undefined : Date.parse(until) / 1000);
  });

  it.each([
    ['with an external id', steps],
    ['without an external id', nameless],
  ])('is found by its key before anything else is decided when it is one %s', async (_kind, creation) => {
    const store = memoryStore();
    const clocks = { store, now: () => at, realNow: () => at };
    const first = await createOnce(clocks, request(), creation());
    const decide = vi.fn<Steps['decide']>();
    expect(await createOnce(clocks, request(), creation({ decide }))).toBe(first.replace('made ', 'again '));
    expect(decide).not.toHaveBeenCalled();
  });

  it('leaves no key where none was given', async () => {
    const store = memoryStore();
    await create(store, {}, request({ idempotencyKey: undefined }));
    expect(store.all().filter(({ entity }) => entity === 'IDEMPOTENCY')).toEqual([]);
  });

  it('reads key, external id and what the decision needs in one call, and hands the decision its own', async () => {
    const memory = memoryStore();
    const needed = keys.order(companyId, 'needed');
    await memory.write([{ put: { ...needed, status: 'PAID' } }], 'before');
    const named = keys.idempotency(companyId, 'make', 'k');
    const external = keys.unique(companyId, 'PAY_IN', 'X');
    for (const [creation, asked, own] of [
      [steps(), request(), [named, external]],
      [steps(), request({ idempotencyKey: undefined }), [external]],
      [nameless(), request({ idempotencyKey: 'other' }), [keys.idempotency(companyId, 'make', 'other')]],
      [nameless(), request({ idempotencyKey: undefined }), []],
    ] as const) {
      const read = vi.fn(memory.read);
      const decide = vi.fn(() => {
        throw forbiddenByState('id', 'EXPIRED', 'Too late.');
      });
      const find: Steps['find'] = (readWith) => readWith([needed]);
      await expect(
        createOnce({ store: { ...memory, read }, now: () => at, realNow: () => at }, asked, {
          ...creation,
          find,
          decide,
        }),
      ).rejects.toThrow('Too late.');
      expect(read.mock.calls[0]).toEqual([[...own, needed]]);
      expect(decide).toHaveBeenCalledWith([expect.objectContaining({ status: 'PAID' })], at);
    }
  });

  it('is refused when a value has become invalid since, unless it was carried out before', async () => {
    const store = memoryStore();
    const past = { field: 'startDate', issue: 'OUT_OF_RANGE', description: 'Is past.' } as const;
    const late = request({ contextDetails: [past] });
    await expect(create(store, {}, late)).rejects.toSatisfy((error) => issueOf(error) === 'OUT_OF_RANGE');
    await create(store);
    expect(await create(store, {}, late)).toMatch(/^again/u);
    const other = request({ contextDetails: [past], idempotencyKey: 'other' });
    await expect(create(store, {}, other)).rejects.toSatisfy((error) => issueOf(error) === 'OUT_OF_RANGE');
  });

  it('is refused under a key that was used for another request', async () => {
    const store = memoryStore();
    await create(store);
    const other = create(store, {}, request({ fingerprint: 'g' }));
    await expect(other).rejects.toSatisfy((error) => issueOf(error) === 'IDEMPOTENCY_KEY_REUSED');
  });
});

describe('an idempotent creation in conflict', () => {
  it.each(['all', 'last'] as const)(
    'finds the replay when its twin commits first and the database names %s of the failed conditions',
    async (reported) => {
      const memory = memoryStore();
      const read = vi.fn(memory.read);
      const store = { ...withTwin(memory, () => create(memory), reported), read };
      expect(await create(store)).toMatch(/^again made-/);
      // The failed condition brings the record with it.
      expect(read).toHaveBeenCalledTimes(reported === 'all' ? 1 : 2);
    },
  );

  it('finds the external id that another request took meanwhile, and does not try again', async () => {
    const memory = memoryStore();
    const read = vi.fn(memory.read);
    const store = withTwin(memory, () => create(memory, {}, request({ idempotencyKey: 'twin' })));
    const details = [
      { field: 'externalId', issue: 'ALREADY_EXISTS', description: 'A thing with this externalId exists.' },
    ];
    await expect(create({ ...store, read })).rejects.toMatchObject({ details });
    // The decision's, and that of the key: the refusal may be the work of the same request.
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('finds the replay behind a refusal that is the work of its twin', async () => {
    const memory = memoryStore();
    const decide = async (): Promise<CreatedRecord> => {
      await create(memory);
      throw forbiddenByState('amount', 'INSUFFICIENT_BALANCE', 'The twin has it.');
    };
    expect(await create(memory, { decide })).toMatch(/^again made-/);
  });

  it('puts a taken external id before everything that the decision could refuse', async () => {
    const store = memoryStore();
    await create(store, {}, request({ idempotencyKey: 'other' }));
    const decide = (): CreatedRecord => {
      throw forbiddenByState('amount', 'INSUFFICIENT_BALANCE', 'No money.');
    };
    await expect(create(store, { decide })).rejects.toSatisfy((error) => issueOf(error) === 'ALREADY_EXISTS');
  });

  it('decides again after a conflict, before it fails because the account does not take the posting', async () => {
    const store = memoryStore();
    await store.write([{ put: keys.order(companyId, 'obstacle') }], 't');
    let tries = 0;
    const amounts = { available: centavos(-1), reserved: centavos(1) };
    const ledger = [{ accountId: 'a', kind: 'PAYOUT_RESERVED', at: at, entryId: 'e', ...amounts } as const];
    const decide = (): CreatedRecord => ({ id: (tries += 1) < 3 ? 'obstacle' : 'free' });
    const change: Steps['change'] = (record, found, at) => ({
      ...steps().change(record, found, at),
      ...(record.id === 'obstacle' ? { ledger } : {}),
    });
    expect(await create(store, { decide, change })).toBe('made free');
    expect(tries).toBe(3);
    const blocked = create(memoryStore(), { change: (...given) => ({ ...steps().change(...given), ledger }) });
    await expect(blocked).rejects.toMatchObject({ kind: 'missing' });
  });

  it('gives up, with no item written, when the conflict never ends', async () => {
    const store = memoryStore();
    await store.write([{ put: keys.order(companyId, 'obstacle') }], 't');
    vi.useFakeTimers();
    const refused = expect(create(store, { decide: () => ({ id: 'obstacle' }) })).rejects.toThrow(StoreUnavailable);
    await vi.advanceTimersByTimeAsync(30_000);
    await refused;
    vi.useRealTimers();
    expect(store.all()).toHaveLength(1);
  });

  it('passes on an error that is not a refusal', async () => {
    const store = memoryStore();
    await create(store, {}, request({ idempotencyKey: 'other' }));
    const decide = (): Promise<CreatedRecord> => Promise.reject(new StoreUnavailable('Gone.'));
    await expect(create(store, { decide, unique: { ...unique, externalId: 'Y' } })).rejects.toThrow(StoreUnavailable);
  });
});
