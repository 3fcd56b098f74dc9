import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { plusSeconds } from '../core/brasilia-time.ts';
import { companyIds } from '../platform/company.ts';
import type { DueWork } from '../platform/jobs/due.ts';
import { dueAttributesAt, notDue } from '../platform/table/due-keys.ts';
import { keys } from '../platform/table/keys.ts';
import type { ItemMembers } from '../platform/table/parse.ts';
import { parserOf } from '../platform/table/parse.ts';
import type { Item, Store, Value } from '../platform/table/store.ts';
import { queryAll } from '../platform/table/store.ts';
import type { BankEventContext } from './context.ts';

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;
/**
 * The window of payments: hourly the last hour and the two hours before it, because lists lag behind writes; daily
 * three days, for payments that a bank lists days late.
 */
export const windowSeconds = { HOURLY: 3 * hourSeconds, DAILY: 3 * daySeconds } as const;
/** Time in which a claim is decided: BCB gives the banks 11 days, a dispute of their decision takes longer. */
const claimSeconds = 100 * daySeconds;
/** Time from the creation of a cobr to the end of its last attempt after the due date, plus a margin. */
const chargeSeconds = 60 * daySeconds;

export const paymentLists = ['pix', 'enviados'] as const;
/** The bank lists recs, cobrs and claims (infrações) by their creation, not by their last change. */
export const listNames = [...paymentLists, 'rec', 'cobr', 'infracoes'] as const;
export const hourlyLists = [...paymentLists, 'infracoes'] as const;
export type ListName = (typeof listNames)[number];
/** The items of a list that were created in this time. */
export type Window = { readonly list: ListName; readonly from: Instant; readonly to: Instant };
/** Returns the whole windows of lists, up to now. @param seconds length of the window of payments */
export function windowsOf(
  { connection, now }: Pick<BankEventContext, 'connection' | 'now'>,
  lists: readonly ListName[],
  seconds: number,
): readonly Window[] {
  const to = now();
  const since = plusSeconds(to, -seconds);
  const from: Readonly<Record<ListName, Instant>> = {
    pix: since,
    enviados: since,
    rec: connection.createdAt,
    cobr: plusSeconds(to, -chargeSeconds),
    infracoes: plusSeconds(to, -claimSeconds),
  };
  return lists.map((list) => ({ list, to, from: from[list] }));
}

/** `HOURLY`: the payments of hours. `DAILY`: the payments of days, recs and cobrs, and the comparison of balances. */
const extents = ['HOURLY', 'DAILY'] as const;
export type Extent = (typeof extents)[number];

/**
 * A reading of a company's lists, itself a due job while it is open: it begins its rounds and ends when no slice is
 * left. `seconds`: length of the window of payments. `plannedAt`: when the slices of this round were stored.
 * `completeAt`: begin of the last reading that read everything.
 */
export type Reading = {
  readonly extent: Extent;
  readonly startedAt: Instant;
  readonly round: number;
  readonly seconds: number;
  readonly plannedAt?: Instant;
  /** Connections that could not be read to the end. */
  readonly unread: readonly string[];
  readonly endedAt?: Instant;
  readonly completeAt?: Instant;
  readonly version: number;
};

const ReadingItem = z.object({
  entity: z.literal('BANK_READING'),
  extent: z.enum(extents),
  startedAt: z.string(),
  round: z.int(),
  seconds: z.number(),
  plannedAt: z.string().exactOptional(),
  unread: z.array(z.string()),
  endedAt: z.string().exactOptional(),
  completeAt: z.string().exactOptional(),
  version: z.int(),
} satisfies ItemMembers<Reading>);
const parseReading: (item: Item) => Reading = parserOf(ReadingItem, 'reading of lists');

/** A company with a bank of its own, and its last readings. */
export type ConnectedCompany = {
  readonly companyId: string;
  /** @throws CorruptItem */
  readonly last: (extent: Extent) => Reading | undefined;
};

/** Companies in one read, which has three keys for each. */
const companiesAtOnce = 33;

/** Returns the companies with a bank of their own. */
export async function* connectedCompanies(store: Store): AsyncGenerator<ConnectedCompany, void, void> {
  const read = async (ids: readonly string[]): Promise<readonly ConnectedCompany[]> => {
    const wanted = ids.flatMap((id) => [
      keys.bankVersion(id),
      ...extents.map((extent) => keys.bankReading(id, extent)),
    ]);
    const items = await store.read(wanted);
    return ids.flatMap((companyId, at) => {
      const [connection, ...readings] = items.slice(3 * at, 3 * at + 3);
      const last = (extent: Extent): Reading | undefined => {
        const item = readings[extents.indexOf(extent)];
        return item && parseReading(item);
      };
      return connection === undefined ? [] : [{ companyId, last }];
    });
  };
  let ids: string[] = [];
  for await (const companyId of companyIds(store)) {
    ids.push(companyId);
    if (ids.length < companiesAtOnce) continue;
    yield* await read(ids);
    ids = [];
  }
  if (ids.length > 0) yield* await read(ids);
}

/** Reads the last reading of an extent. */
export async function readReading(store: Store, companyId: string, extent: Extent): Promise<Reading | undefined> {
  const [item] = await store.read([keys.bankReading(companyId, extent)]);
  return item && parseReading(item);
}

/**
 * Begins a reading, which is due at once. Slices that the one before it left are read with it.
 * @returns the job; undefined when another run changed the reading meanwhile
 */
export async function beginReading(
  store: Store,
  companyId: string,
  { before, ...begun }: Pick<Reading, 'extent' | 'startedAt' | 'seconds'> & { readonly before: Reading | undefined },
): Promise<DueWork | undefined> {
  const { extent, startedAt } = begun;
  const completeAt = before?.completeAt;
  const facts = {
    ...begun,
    round: 0,
    unread: [],
    version: (before?.version ?? 0) + 1,
    ...(completeAt !== undefined && { completeAt }),
  };
  const due = dueAttributesAt(companyId, 'BANK_READING', startedAt, extent);
  const { ok } = await store.writeOne({
    put: { ...keys.bankReading(companyId, extent), ...due, entity: 'BANK_READING', ...facts },
    when: before === undefined ? { is: 'absent' } : { equals: { version: before.version } },
  });
  return ok ? { kind: 'BANK_READING', companyId, id: extent, dueAt: startedAt } : undefined;
}

/** Changes an open reading. `dueAt`: when its job is due again; it has none when it has ended. */
export async function changeReading(
  store: Store,
  companyId: string,
  { extent, version }: Reading,
  {
    dueAt,
    set,
    remove = [],
  }: {
    readonly dueAt?: Instant;
    readonly set?: Readonly<Record<string, Value>>;
    readonly remove?: readonly (keyof Reading)[];
  },
): Promise<Reading | undefined> {
  const due = dueAt === undefined ? {} : dueAttributesAt(companyId, 'BANK_READING', dueAt, extent);
  const written = await store.writeOne({
    update: keys.bankReading(companyId, extent),
    set: { ...set, ...due, version: version + 1 },
    remove: [...remove, ...(dueAt === undefined ? notDue : [])],
    when: { equals: { version } },
  });
  return written.ok && written.after !== undefined ? parseReading(written.after) : undefined;
}

/** A part of a list that one job reads, page after page. `page`: the next one. `startedAt`: begin of its reading. */
export type Slice = Window & {
  readonly extent: Extent;
  readonly connection: string;
  readonly page: number;
  readonly startedAt: Instant;
};

const SliceItem = z.object({
  entity: z.literal('BANK_LIST'),
  extent: z.enum(extents),
  connection: z.string(),
  list: z.enum(listNames),
  from: z.string(),
  to: z.string(),
  page: z.int(),
  startedAt: z.string(),
} satisfies ItemMembers<Slice>);
const parseSlice: (item: Item) => Slice = parserOf(SliceItem, 'slice of a list');

function idOfSlice({ extent, connection, list, from, to }: Slice): string {
  return [extent, connection, list, from, to].join('#');
}

export async function readSlice(store: Store, companyId: string, id: string): Promise<Slice | undefined> {
  const [item] = await store.read([keys.bankListSlice(companyId, id)]);
  return item && parseSlice(item);
}

/** Returns the jobs of the slices of a reading. @param limit at most so many */
export async function slicesOf(
  store: Store,
  companyId: string,
  extent: Extent,
  limit = Infinity,
): Promise<readonly DueWork[]> {
  const { PK: partition } = keys.bankListSlice(companyId, '');
  const found: DueWork[] = [];
  const query = { partition, prefix: `${extent}#`, ...(limit < Infinity && { limit }) };
  for await (const item of queryAll(store, query)) {
    found.push(jobOf(companyId, parseSlice(item)));
    if (found.length >= limit) break;
  }
  return found;
}

function jobOf(companyId: string, slice: Slice): DueWork {
  return { kind: 'BANK_LIST', companyId, id: idOfSlice(slice), dueAt: slice.startedAt };
}

function sliceItem(companyId: string, slice: Slice): Item {
  const id = idOfSlice(slice);
  const due = dueAttributesAt(companyId, 'BANK_LIST', slice.startedAt, id);
  return { ...keys.bankListSlice(companyId, id), ...due, entity: 'BANK_LIST', ...slice };
}

/** Stores a slice, due at once. It stays as it is if it exists. */
export async function keepSlice(store: Store, companyId: string, slice: Slice): Promise<void> {
  await store.writeOne({ put: sliceItem(companyId, slice), when: { is: 'absent' } });
}

/** Has the claims of a connection read at once, beside its readings. @param at by the company's clock */
export async function readClaimsSoon(
  store: Store,
  { companyId, connection, at, realAt }: Readonly<Record<'companyId' | 'connection' | 'at' | 'realAt', string>>,
): Promise<void> {
  const window = { from: plusSeconds(at, -claimSeconds), to: plusSeconds(at, 60) };
  const slice = { extent: 'HOURLY', list: 'infracoes', connection, page: 0, startedAt: realAt } as const;
  await keepSlice(store, companyId, { ...slice, ...window });
}

/**
 * Replaces a slice by its parts, in one transaction; without parts it is done.
 * @returns the jobs of the parts: none when another run was first
 */
export async function replaceSlice(
  store: Store,
  companyId: string,
  slice: Slice,
  token: string,
  parts: readonly Slice[] = [],
): Promise<readonly DueWork[]> {
  const { ok } = await store.write(
    [
      { delete: keys.bankListSlice(companyId, idOfSlice(slice)), when: { is: 'present' } },
      ...parts.map((part) => ({ put: sliceItem(companyId, part), when: { is: 'absent' } }) as const),
    ],
    token,
  );
  return ok ? parts.map((part) => jobOf(companyId, part)) : [];
}

/** Moves the cursor of a slice, unless another run has moved it. `dueAt`: when it is read on. */
export async function moveSlice(
  store: Store,
  companyId: string,
  slice: Slice,
  page: number,
  dueAt: Instant,
): Promise<void> {
  const id = idOfSlice(slice);
  await store.writeOne({
    update: keys.bankListSlice(companyId, id),
    set: { page, ...dueAttributesAt(companyId, 'BANK_LIST', dueAt, id) },
    when: { equals: { page: slice.page } },
  });
}

/** Adds the connection of a slice that was given up to those that its reading could not read. */
export async function markUnread(store: Store, companyId: string, slice: Slice): Promise<void> {
  const { extent, startedAt, connection } = slice;
  const append = { unread: [connection] };
  await store.writeOne({ update: keys.bankReading(companyId, extent), append, when: { equals: { startedAt } } });
}
