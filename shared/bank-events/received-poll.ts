import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { plusSeconds } from '../core/brasilia-time.ts';
import { isDueBy } from '../platform/jobs/due.ts';
import type { DueRun } from '../platform/jobs/run.ts';
import { isTimeUp } from '../platform/jobs/run.ts';
import type { JobDone } from '../platform/jobs/due-worker.ts';
import { dueAttributesAt } from '../platform/table/due-keys.ts';
import { keys } from '../platform/table/keys.ts';
import type { ItemMembers } from '../platform/table/parse.ts';
import { parserOf } from '../platform/table/parse.ts';
import type { Item, Put, Store } from '../platform/table/store.ts';
import type { BankEventContext, BankEventDependencies } from './context.ts';
import { bankEventContext } from './context.ts';
import { emptyReport, readPages } from './lists.ts';

/*
 * A bank calls back about a Pix only where it has a `txid` (BCB, API Pix, webhook). Money that was sent to the bare key
 * is found by asking: each minute, for each connection.
 */

/** Seconds between two readings of a connection. */
const everySeconds = 60;
/** Seconds by which windows overlap: lists lag behind writes, and a payment that could not be applied comes again. */
const lagSeconds = 120;
/** The longest window of one reading, in seconds. After an outage several readings follow each other. */
const longestSeconds = 900;

/**
 * `readTo`: end of the last window that was read whole, by the company's clock. `page`: where the reading of the next
 * window stopped, and `to` its end.
 */
type ReceivedPoll = {
  readonly connection: string;
  readonly readTo: Instant;
  readonly to?: Instant;
  readonly page?: number;
  readonly version: number;
};

const ReceivedPollItem = z.object({
  entity: z.literal('RECEIVED_POLL'),
  connection: z.string(),
  readTo: z.string(),
  to: z.string().exactOptional(),
  page: z.int().exactOptional(),
  version: z.int(),
} satisfies ItemMembers<ReceivedPoll>);
const parsePoll: (item: Item) => ReceivedPoll = parserOf(ReceivedPollItem, 'poll of received payments');

function pollPut(companyId: string, poll: ReceivedPoll, dueAt: Instant): Put {
  const { connection } = poll;
  const due = dueAttributesAt(companyId, 'RECEIVED_POLL', dueAt, connection);
  return { put: { ...keys.receivedPoll(companyId, connection), ...due, entity: 'RECEIVED_POLL', ...poll } };
}

/** Reads until when the payments to bare keys were read; undefined before the first reading. @throws CorruptItem */
export async function readReceivedTo(
  store: Pick<Store, 'read'>,
  { companyId, id }: { readonly companyId: string; readonly id: string },
): Promise<Instant | undefined> {
  const [item] = await store.read([keys.receivedPoll(companyId, id)]);
  return item && parsePoll(item).readTo;
}

/** Begins the polls of a connection; one that has begun goes on. */
export async function beginReceivedPoll(
  store: Store,
  { companyId, id: connection }: { readonly companyId: string; readonly id: string },
  at: Instant,
): Promise<void> {
  const { put } = pollPut(companyId, { connection, readTo: at, version: 1 }, at);
  await store.writeOne({ put, when: { is: 'absent' } });
}

/**
 * Applies the payments to bare keys since the last run, and postpones the job by a minute before it asks the bank. Of
 * two concurrent runs one does nothing. The polls of a connection that has ended end.
 */
export async function pollReceived(
  { store, now, remainingMs }: Pick<DueRun, 'store' | 'now' | 'remainingMs'>,
  deps: BankEventDependencies,
  { companyId, id: connection }: { readonly companyId: string; readonly id: string },
): Promise<JobDone> {
  const at = now();
  const key = keys.receivedPoll(companyId, connection);
  const [item] = await store.read([key]);
  if (item === undefined) return {};
  const poll = parsePoll(item);
  const context = await bankEventContext(deps, companyId, connection);
  if (context === undefined) {
    await store.write([{ delete: key, when: { equals: { version: poll.version } } }], deps.ids.uuid());
    return {};
  }
  const taken = { ...poll, version: poll.version + 1 };
  const { put } = pollPut(companyId, taken, plusSeconds(at, everySeconds));
  const when = { all: [{ equals: { version: poll.version } }, isDueBy(companyId, 'RECEIVED_POLL', connection, at)] };
  if (!(await store.writeOne({ put, when })).ok) return {};
  return readWindow(context, taken, remainingMs);
}

/**
 * Reads the next window. After its time is over, the next run goes on with the page that was not read; after a page
 * that the bank did not give, it reads the window again.
 */
async function readWindow(context: BankEventContext, poll: ReceivedPoll, remainingMs: () => number): Promise<JobDone> {
  const { store, companyId, connection, now } = context;
  const report = emptyReport();
  const time = { remainingMs };
  const { from, to, page } = windowOf(poll, now());
  const { unread } = await readPages(context, { list: 'keys', from, to }, report, { time, page });
  const progress =
    unread === undefined
      ? { set: { readTo: to }, remove: ['to', 'page'] }
      : isTimeUp(time) && unread > 0
        ? { set: { to, page: unread } }
        : undefined;
  if (progress !== undefined) {
    const update = keys.receivedPoll(companyId, connection.id);
    await store.writeOne({ update, ...progress, when: { equals: { version: poll.version } } });
  }
  return { isFailed: report.failed > 0 && !isTimeUp(time) };
}

type NextPages = { readonly from: Instant; readonly to: Instant; readonly page: number };

/** The window that was begun, or the next one: from the end of the last, at most to now. */
function windowOf({ readTo, to, page = 0 }: ReceivedPoll, at: Instant): NextPages {
  // A clock that was given back is behind the last window.
  const end = readTo < at ? readTo : at;
  const from = plusSeconds(end, -lagSeconds);
  if (to !== undefined && to <= at) return { from, to, page };
  const longest = plusSeconds(end, longestSeconds);
  return { from, to: longest < at ? longest : at, page: 0 };
}
