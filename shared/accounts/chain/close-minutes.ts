import { plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import { concurrently } from '#shared/platform/concurrently.ts';
import type { DueRun } from '#shared/platform/jobs/run.ts';
import { isTimeUp } from '#shared/platform/jobs/run.ts';
import type { Closed } from './close-account.ts';
import { closeAccount } from './close-account.ts';
import type { Note, Progress } from './items.ts';
import { moveProgress, notesOf, readProgress } from './items.ts';
import type { Minute } from './minutes.ts';
import { beginOf, minuteAfter, minuteBefore, minuteOf } from './minutes.ts';
import { writeNote } from './note-entries.ts';
import type { Signing } from '../roots/sign-minute.ts';
import { signMinute } from '../roots/sign-minute.ts';

type CloseRun = DueRun & {
  readonly signing: Signing;
  /** Seconds after its end at which a minute closes: longer than its entries take through the stream. */
  readonly closesAfterSeconds: number;
};

/** `open`: minutes that should be closed and are not. `failed`: accounts that failed, and entries that were missed. */
type Report = { readonly chained: number; readonly failed: number; readonly open: number };

const accountsAtOnce = 16;

/**
 * Closes every minute that ended long enough ago, one after the other: adds the entries of all accounts with a note to
 * their chains, and signs where these end. An account that fails is noted for the next minute, and stops no other. Two
 * runs at the same time, and a crash at any point, change no hash and no root.
 * @throws Error when the key or the bucket of roots fails: the minute stays open
 */
export async function closeMinutes(run: CloseRun): Promise<Report> {
  const last = minuteBefore(minuteOf(plusSeconds(run.now(), -run.closesAfterSeconds)));
  let chained = 0;
  let failed = 0;
  for (;;) {
    const progress = await readProgress(run.store);
    const minute = progress === undefined ? last : minuteAfter(progress.closed);
    const open = minute > last ? 0 : minutesBetween(minute, last);
    if (open === 0 || isTimeUp(run)) return { chained, failed, open };
    if (!(await begin(run, progress, minute))) continue;
    const notes = await notesOf(run.store, minute);
    const closed = await closeMinute(run, minute, notes);
    chained += closed.chained;
    failed += closed.failed;
    if (!closed.isWhole) return { chained, failed, open };
    const closing = { closing: minute, closed: minuteBefore(minute) };
    await signMinute(run, closing, notes);
    await moveProgress(run.store, closing, { closing: minute, closed: minute });
  }
}

/** Begins to close a minute: from now on a note for it comes too late. Returns false if another run moved on. */
async function begin({ store }: CloseRun, progress: Progress | undefined, minute: Minute): Promise<boolean> {
  const closing = { closing: minute, closed: minuteBefore(minute) };
  return progress?.closing === minute || moveProgress(store, progress, closing);
}

async function closeMinute(run: CloseRun, minute: Minute, notes: readonly Note[]) {
  let chained = 0;
  let failed = 0;
  let isWhole = true;
  await concurrently(notes, accountsAtOnce, async (note) => {
    if (isTimeUp(run)) {
      isWhole = false;
      return;
    }
    const { companyId, accountId: id } = note;
    const lost = (error: unknown): void => {
      failed += 1;
      run.failed({ companyId, id }, error);
    };
    const mayGoOn = (): boolean => !isTimeUp(run);
    const closed = await closeAccount(run.store, note, minute, mayGoOn).catch(
      async (error: unknown): Promise<Closed> => {
        lost(error);
        await writeNote(run.store, minuteAfter(minute), note);
        return { chained: 0, late: 0, gaps: 0 };
      },
    );
    chained += closed.chained;
    if (closed.late > 0) lost(new Error(`${closed.late} entries appeared after their minute had closed.`));
    if (closed.gaps > 0) lost(new Error(`The stream had not brought ${closed.gaps} entries of earlier minutes.`));
  });
  return { chained, failed, isWhole };
}

/** Counts the minutes from one to another, both included. */
function minutesBetween(first: Minute, last: Minute): number {
  return secondsBetween(beginOf(first), beginOf(last)) / 60 + 1;
}
