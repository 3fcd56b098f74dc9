import { companyTime } from '#shared/sandbox/clock.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import { runDueJobs } from '#shared/sandbox/advance-clock.ts';
import type { DueRun } from '#shared/platform/jobs/run.ts';
import { isTimeUp } from '#shared/platform/jobs/run.ts';
import { readCompanyClock, simulatedCompanyIds } from '#shared/sandbox/clock-store.ts';
import type { CommandBank } from '#functions/banks.ts';
import { commandBank } from '#functions/banks.ts';
import { scheduledWorker } from '#shared/platform/jobs/scheduled-worker.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { bankSettings } from '#shared/platform/settings.ts';

type FollowDeps = DueRun & { readonly bank: CommandBank; readonly ids: Ids };
type FollowCount = { readonly jobsRun: number; readonly failed: number };

/** Runs the due work of companies with a simulated clock, in turns: a company with much work delays no other one. */
export async function runCompanyJobs(deps: FollowDeps): Promise<FollowCount> {
  const count = { jobsRun: 0, failed: 0 };
  let waiting: readonly string[] = [...(await simulatedCompanyIds(deps.store))];
  while (waiting.length > 0) {
    const again: string[] = [];
    for (const companyId of waiting) {
      if (isTimeUp(deps)) return count;
      try {
        const { jobs, remaining } = await follow(deps, companyId);
        count.jobsRun += jobs.length;
        if (remaining > 0) again.push(companyId);
      } catch (error) {
        count.failed += 1;
        deps.failed({ companyId }, error);
      }
    }
    waiting = again;
  }
  return count;
}

async function follow(deps: FollowDeps, companyId: string): ReturnType<typeof runDueJobs> {
  const { store, now, ids, bank, remainingMs } = deps;
  const { offsetMs, callEndsBy } = await readCompanyClock(store, companyId);
  // The list of companies lags behind. Without a simulated clock, the other workers do the company's work.
  const isRealTime = offsetMs === 0;
  const isCallRunning = callEndsBy !== undefined && now() < callEndsBy;
  if (isRealTime || isCallRunning) return { jobs: [], remaining: 0 };
  const context = { store, realNow: now, ids, bank, companyId, requestId: ids.uuid(), remainingMs };
  return runDueJobs({ ...context, mayGoOn: () => !isTimeUp(deps) }, companyTime(now(), offsetMs));
}

export const handler = scheduledWorker('run-company-jobs', async (run) => {
  const bank = commandBank(run.store, bankSettings(), randomIds);
  const { failed } = await runCompanyJobs({ ...run, bank, ids: randomIds });
  return { failed };
});
