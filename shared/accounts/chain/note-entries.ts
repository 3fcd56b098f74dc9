import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { instantFromEpochMs, parseInstant, secondsBetween } from '#shared/core/brasilia-time.ts';
import { concurrently } from '#shared/platform/concurrently.ts';
import { shardOf } from '#shared/platform/jobs/due-kinds.ts';
import { ledgerEntryOf } from '#shared/platform/ledger/ledger.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { EntryKey, Note, Progress } from './items.ts';
import { moveProgress, notePut, noteShards, readProgress } from './items.ts';
import type { Minute } from './minutes.ts';
import { minuteAfter, minuteBefore, minuteOf } from './minutes.ts';

const Text = z.object({ S: z.string() }).transform(({ S }) => S);
const InsertShape = z.object({
  eventName: z.literal('INSERT'),
  dynamodb: z.object({
    Keys: z.object({ PK: Text, SK: Text }),
    /** When it was committed, in seconds: the same in every repetition of the record. */
    ApproximateCreationDateTime: z.number().optional(),
  }),
});

type Inserted = {
  readonly companyId: string;
  readonly accountId: string;
  readonly minute: Minute;
  readonly key: EntryKey;
  readonly ahead: boolean;
  readonly behind: boolean;
};

const clocksDifferBySeconds = 10;
/** An entry that is dated longer before its commit, such as an opening, is noted in the minute of its commit. */
const longestCommitSeconds = 600;

const writesAtOnce = 10;
/** Minutes that may close, one after the other, while a late entry is noted. */
const mostTries = 5;

/**
 * Notes which accounts have entries in which minute, from records of the table's stream. A note for a minute that is
 * closed comes too late: its entries go into one that is open. Repeated, late and unordered records do no harm.
 * @returns how many entries were noted, and how many records have the key of no entry
 */
export async function noteEntries(
  store: Store,
  records: readonly unknown[],
  now: Instant,
): Promise<{ readonly noted: number; readonly malformed: number }> {
  const inserts = records.flatMap((record) => InsertShape.safeParse(record).data?.dynamodb ?? []);
  const entries = inserts.flatMap(({ Keys, ApproximateCreationDateTime: at }): readonly Inserted[] => {
    const named = ledgerEntryOf(Keys);
    if (named === undefined || parseInstant(named.at) === undefined) return [];
    const committed = at === undefined ? now : instantFromEpochMs(at * 1000);
    // Clocks of machines differ by less: the clock of the company is ahead.
    const ahead = secondsBetween(committed, named.at) > clocksDifferBySeconds;
    const behind = secondsBetween(named.at, committed) > longestCommitSeconds;
    const minute = minuteOf(ahead || behind ? committed : named.at);
    return [{ companyId: named.companyId, accountId: named.accountId, minute, key: Keys, ahead, behind }];
  });
  await writeNotes(store, entries, (entry) => entry.minute, false);
  let late = await tooLate(store, entries, ({ minute }) => minute);
  for (let tries = 1; late.entries.length > 0; tries += 1) {
    if (tries > mostTries) throw new Error('Minutes close faster than entries are noted.');
    const { open } = late;
    await writeNotes(store, late.entries, () => open, true);
    late = await tooLate(store, late.entries, () => open);
  }
  return { noted: entries.length, malformed: inserts.length - entries.length };
}

/** Returns the entries whose note a run may have missed, because it was closing their minute, and an open minute. */
async function tooLate(store: Store, entries: readonly Inserted[], minuteOfNote: (entry: Inserted) => Minute) {
  const [earliest] = entries.map(minuteOfNote).toSorted();
  if (earliest === undefined) return { entries: [], open: '' };
  const { closing } = await progressFrom(store, earliest);
  return { entries: entries.filter((entry) => minuteOfNote(entry) <= closing), open: minuteAfter(closing) };
}

/** Returns the progress; before the first one the minute of the first note is the first to close. */
async function progressFrom(store: Store, earliest: Minute): Promise<Progress> {
  const known = await readProgress(store);
  if (known !== undefined) return known;
  const before = minuteBefore(earliest);
  const first = { closing: before, closed: before };
  if (await moveProgress(store, undefined, first)) return first;
  return progressFrom(store, earliest);
}

async function writeNotes(
  store: Store,
  entries: readonly Inserted[],
  minuteOfNote: (entry: Inserted) => Minute,
  isLate: boolean,
): Promise<void> {
  const groups = Map.groupBy(entries, (entry) => `${minuteOfNote(entry)} ${entry.companyId} ${entry.accountId}`);
  await concurrently(groups.values(), writesAtOnce, async ([first, ...others]) => {
    if (first === undefined) return;
    const { companyId, accountId } = first;
    const ahead = others.some((entry) => entry.ahead) || first.ahead;
    const late = ahead ? [] : [first, ...others].filter(({ behind }) => isLate || behind).map(({ key }) => key);
    await writeNote(store, minuteOfNote(first), { companyId, accountId, late, ...(ahead && { ahead }) });
  });
}

/** Notes an account for a minute. */
export async function writeNote(store: Store, minute: Minute, note: Note): Promise<void> {
  await store.writeOne(notePut(minute, shardOf(note.accountId, noteShards), note));
}
