import type { DueRun } from '#shared/platform/jobs/run.ts';
import type { DeadLetterQueue, SweepDeps } from '#shared/webhooks/dispatch/sweep.ts';
import { looksAtDeadLetters, removeStaleDeadLetters, sweepOne, sweepOptions } from '#shared/webhooks/dispatch/sweep.ts';
import { workFamily } from './run-jobs.ts';

export type SweepRun = DueRun & SweepDeps & { readonly deadLetters: DeadLetterQueue };

/** Does what a minute of `sweep-deliveries` does: queues its due jobs, does them, and removes stale dead letters. */
export async function sweep(deps: SweepRun, { redriving }: { readonly redriving: boolean }) {
  const { now, graceSeconds, deadLetters } = deps;
  const options = sweepOptions(graceSeconds, redriving ? now() : undefined);
  const { jobs, count, failed } = await workFamily(
    deps,
    'DELIVERIES',
    (run, job) => sweepOne({ ...deps, ...run }, job),
    options,
  );
  let [errors, deadLettersRemoved] = [failed, 0];
  try {
    if (looksAtDeadLetters(now(), jobs.length)) deadLettersRemoved = await removeStaleDeadLetters(deps, deadLetters);
  } catch (error) {
    errors += 1;
    deps.failed({}, error);
  }
  return {
    sentAgain: count('DeliveriesSentAgain'),
    resent: count('DeliveriesResent'),
    deadLettersRemoved,
    failed: errors,
  };
}
