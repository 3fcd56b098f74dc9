import type { CompanyTimeKind } from '../platform/jobs/due-kinds.ts';
import { expirePayIn } from '../pay-ins/expire.ts';
import { finishCommands } from '../scheduled-payments/finish-commands.ts';
import { releasePayment } from '../scheduled-payments/release.ts';
import type { ResendContext } from '../scheduled-payments/retry-charge.ts';
import { settleOwedResend } from '../scheduled-payments/retry-charge.ts';
import type { CommandContext, CommandKind } from './submit-command.ts';
import { submitCommand } from './submit-command.ts';
import { submitDuePayout } from '../payouts/submit.ts';
import { sweepPayments } from '../scheduled-payments/sweep.ts';
import type { BankContext } from '../payouts/submit.ts';
import type { ChargeBankContext } from '../scheduled-payments/submit-charge.ts';
import { tellBank } from '../scheduled-payments/submit-charge.ts';

export type JobContext = ChargeBankContext &
  ResendContext &
  Omit<BankContext, 'at'> &
  Omit<CommandContext, 'at'> & {
    /** What is left for the job, milliseconds. */
    readonly remainingMs: () => number;
    /** Whether a job of many steps may begin another one. */
    readonly mayGoOn: () => boolean;
  };

/**
 * What became of a job. `FAILED`: it cannot be done now, the bank does not answer; it is tried again later. `LEFT`: its
 * time was over before it had ended; whoever comes next goes on with it.
 */
export type JobEnd = 'ENDED' | 'FAILED' | 'LEFT';

/** A command that the bank leaves open again is due again later. */
const submit =
  (kind: CommandKind) =>
  async (context: JobContext, id: string): Promise<JobEnd> =>
    (await submitCommand[kind]({ ...context, at: context.now() }, id)) === 'UNKNOWN' ? 'FAILED' : 'ENDED';

const endOf = async (work: Promise<unknown>): Promise<JobEnd> => {
  await work;
  return 'ENDED';
};

/**
 * THE table of what is done when work of a kind becomes due. The workers of the minute do the same, kind by kind: a job
 * at the time of a simulated clock runs the code that runs in production.
 */
export const companyJobs = {
  PAY_IN_EXPIRY: (context, id) => endOf(expirePayIn(context, id)),
  PAYOUT_SUBMISSION: async (context, id) => {
    const submitted = await submitDuePayout({ ...context, at: context.now() }, id, context.remainingMs);
    return submitted === 'UNAVAILABLE' ? 'FAILED' : 'ENDED';
  },
  PAYMENT_RELEASE: (context, id) => endOf(releasePayment(context, id)),
  CHARGE_COMMAND: async (context, id) => ((await finishCommands(context, id)) === 'OPEN' ? 'FAILED' : 'ENDED'),
  SETTLEMENT_RESEND: async (context, id) => {
    const { resend } = await settleOwedResend(context, id);
    if (resend) await tellBank(context, resend, { ...context, fresh: 'SCHEDULE' });
    return 'ENDED';
  },
  PAYMENT_SWEEP: async (context, id) => ((await sweepPayments(context, id)).isDone ? 'ENDED' : 'LEFT'),
  REFUND_SUBMISSION: submit('REFUND_SUBMISSION'),
  RECURRENCE_CANCELLATION: submit('RECURRENCE_CANCELLATION'),
} as const satisfies Record<CompanyTimeKind, (context: JobContext, id: string) => Promise<JobEnd>>;
