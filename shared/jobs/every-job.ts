import type { Job, JobKind } from './jobs.ts';
import { commandJobs, payInJobs, paymentJobs, payoutJobs, resendJobs } from './jobs.ts';

/** The function of each kind of job about the bank. */
export const jobs: Readonly<Record<JobKind, Job>> = {
  ...payInJobs,
  ...payoutJobs,
  ...resendJobs,
  ...paymentJobs,
  ...commandJobs,
};
