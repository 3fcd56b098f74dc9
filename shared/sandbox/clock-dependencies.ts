import { jobBank } from '../jobs/job-worker.ts';
import type { JobBank } from '../jobs/jobs.ts';
import type { RealTimeDependencies } from '../platform/dependencies.ts';
import { realTimeDependencies } from '../platform/dependencies.ts';

/** For the function that turns a company's clock: it has no time but the machine's. */
export type ClockDependencies = RealTimeDependencies & {
  readonly bank: JobBank;
  /** Milliseconds of a clock that only goes forward, for deadlines. */
  readonly elapsedMs: () => number;
};

export function clockDependencies(): ClockDependencies {
  const base = realTimeDependencies();
  return { ...base, bank: jobBank(base.store, base.settings), elapsedMs: () => performance.now() };
}
