import type { Context } from 'aws-lambda';
import { closeMinutes } from '#shared/accounts/chain/close-minutes.ts';
import { noteEntries } from '#shared/accounts/chain/note-entries.ts';
import type { RunReport } from '#shared/platform/jobs/scheduled-worker.ts';
import { kmsKey } from '#shared/platform/signing/kms-key.ts';
import { keepInBucket } from '#shared/accounts/roots/keep-root.ts';
import type { Signing } from '#shared/accounts/roots/sign-minute.ts';
import { env } from '#shared/platform/env.ts';
import { scheduledWorker } from '#shared/platform/jobs/scheduled-worker.ts';
import { settings } from '#shared/platform/settings.ts';

/** Minutes that may wait to be closed before the alarm of this worker rings. */
const mostOpen = 10;

let signing: Signing | undefined;

const note = scheduledWorker('chain-entries', async (run, event) => {
  const { noted, malformed } = await noteEntries(run.store, recordsOf(event), run.now());
  if (malformed > 0) run.failed({}, new Error('The stream contained an entry with a malformed key.'));
  return { counts: { EntriesNoted: noted }, failed: malformed };
});

const close = scheduledWorker('chain-entries', async (run) => {
  const { closesAfterSeconds } = settings().statements;
  signing ??= { key: kmsKey(env('SIGNING_KEY')), keep: keepInBucket(env('ROOTS_BUCKET')) };
  const { chained, failed, open } = await closeMinutes({ ...run, signing, closesAfterSeconds });
  if (open > mostOpen) run.failed({}, new Error(`${open} minutes are over and their entries are not chained.`));
  return { counts: { EntriesChained: chained }, failed: failed + (open > mostOpen ? 1 : 0), pending: open };
});

/** Notes the accounts whose entries the stream brings; every minute chains and signs the minutes that are over. */
export function handler(event: unknown, context: Context): Promise<RunReport> {
  return recordsOf(event).length > 0 ? note(event, context) : close(event, context);
}

function recordsOf(event: unknown): readonly unknown[] {
  return typeof event === 'object' && event !== null && 'Records' in event && Array.isArray(event.Records)
    ? event.Records
    : [];
}
