import type { Bank } from '../bank/bank.ts';
import { expirePayIn } from '../pay-ins/remove.ts';
import { pollPayout, submitDuePayout } from '../payouts/submit.ts';
import type { CompanyTimeKind, DueFamily, dueFamilies, PollKind } from '../platform/jobs/due-kinds.ts';
import type { JobCounts } from '../platform/jobs/scheduled-worker.ts';
import type { MetricBy } from '../platform/metrics.ts';
import type { SubmittedCommand } from '../bank/submit-in-time.ts';
import { blockForDisputes } from '../disputes/block.ts';
import { remindOf } from '../disputes/remind.ts';
import { submitDueDefence } from '../disputes/submit.ts';
import { submitDueReturn } from '../credits/return.ts';
import { submitDueKeyCommand } from '../pix-keys/submit.ts';
import { readOpenRefund } from '../refunds/store.ts';
import { pollRefund, submitRefund } from '../refunds/submit.ts';
import { sweepPayments } from '../scheduled-payments/cancel.ts';
import { endRecurrence } from '../scheduled-payments/recurrence-expiry.ts';
import { pollCharge } from '../scheduled-payments/poll.ts';
import type { RetryContext } from '../scheduled-payments/retry.ts';
import { retryCharge } from '../scheduled-payments/retry.ts';
import type { ChargeBankContext } from '../scheduled-payments/submit.ts';
import { releasePayment, submitCharge, submitDueCharge } from '../scheduled-payments/submit.ts';
import { endWaitingSubscription } from '../subscriptions/first-charge.ts';
import { pollCancellation, submitCancellation } from '../subscriptions/cancel.ts';
import { pollAuthorization } from '../subscriptions/poll.ts';
import { readSubscription } from '../subscriptions/store.ts';
import { submitWithdrawal } from '../subscriptions/withdraw.ts';

export type JobBank = Omit<Bank, 'directory'>;
/** Kinds of jobs about the bank. Some are due by the company's clock, the others by real time. */
export type JobKind = CompanyTimeKind | 'CREDIT_RETURN' | 'DISPUTE_DEFENCE' | 'MED_BLOCK' | PollKind;

export type JobContext = ChargeBankContext &
  RetryContext & {
    readonly bank: JobBank;
    /** Whether a job of many steps may begin another step. */
    readonly mayGoOn: () => boolean;
  };

/**
 * `FAILED`: the bank does not respond; a later run repeats the job. `LEFT`: the job's time was over; the next run
 * continues it.
 */
type JobResult = {
  readonly end: 'ENDED' | 'FAILED' | 'LEFT';
  readonly counts?: JobCounts;
  /** Runs after every job of the batch: a bank that hangs delays none of them. */
  readonly followUp?: () => Promise<unknown>;
};

export type Job = (context: JobContext, id: string) => Promise<JobResult>;
type JobsOf<Family extends DueFamily> = Readonly<Record<(typeof dueFamilies)[Family][number], Job>>;

/*
 * The function of each kind of job, family by family: a worker's bundle has only those of its own. The workers and the
 * sandbox's clock (every-job.ts) run them alike.
 */

export const payInJobs: JobsOf<'PAY_INS'> = {
  PAY_IN_EXPIRY: async (context, id) => {
    const end = await expirePayIn({ ...context, alsoEnds: endWaitingSubscription }, id);
    return end === 'UNKNOWN' ? { end: 'FAILED' } : resultOf(end === 'EXPIRED' && { PayInsExpired: 1 });
  },
};

export const payoutJobs: JobsOf<'PAYOUTS'> = {
  PAYOUT_SUBMISSION: async (context, id) => {
    const submitted = await submitDuePayout({ ...context, at: context.now() }, id, context.remainingMs);
    if (submitted === 'POSTPONED') return resultOf({ PayoutsPostponed: 1 });
    return commandResult(submitted, 'PayoutsSubmitted');
  },
  PAYOUT_POLL: (context, id) => polled(pollPayout({ ...context, at: context.now() }, id)),
};

export const resendJobs: JobsOf<'RESENDS'> = {
  SETTLEMENT_RESEND: async (context, id) => {
    const { outcome, retry } = await retryCharge(context, id);
    if (retry === undefined) return resultOf(outcome === 'MISSED' && { ResendsMissed: 1 });
    return { ...resultOf({ PaymentsResent: 1 }), followUp: () => submitCharge(context, retry, 'SCHEDULE') };
  },
};

export const paymentJobs: JobsOf<'PAYMENTS'> = {
  PAYMENT_RELEASE: async (context, id) => {
    const submitted = await releasePayment(context, id);
    // The release is done even without a response of the bank: its command is a job of its own.
    const isMissed = submitted === 'MISSED';
    return resultOf(submitted !== 'NOTHING_TO_DO' && { PaymentsReleased: 1, ...(isMissed && { CommandsMissed: 1 }) });
  },
  CHARGE_COMMAND: async (context, id) => commandResult(await submitDueCharge(context, id)),
  PAYMENT_SWEEP: async (context, id) => {
    const { canceled, isDone } = await sweepPayments(context, id);
    return { end: isDone ? 'ENDED' : 'LEFT', counts: { PaymentsCanceledWithSubscription: canceled } };
  },
  RECURRENCE_END: async (context, id) => {
    await endRecurrence(context, id);
    return { end: 'ENDED' };
  },
  CHARGE_POLL: async (context, id) => {
    const end = await pollCharge(context, id);
    return end === 'UNKNOWN' ? { end: 'FAILED' } : resultOf(end === 'MISSED' && { ResendsMissed: 1 });
  },
};

export const commandJobs: JobsOf<'COMMANDS'> = {
  REFUND_SUBMISSION: async (context, id) => {
    const open = await readOpenRefund(context.store, context.companyId, id);
    if (open === undefined) return { end: 'ENDED' };
    return commandResult(await submitRefund({ ...context, at: context.now() }, open, { again: true }));
  },
  RECURRENCE_CANCELLATION: async (context, id) => {
    const due = { ...context, at: context.now() };
    const withdrawn = await submitWithdrawal(due, id);
    if (withdrawn !== 'NOTHING_TO_DO') return commandResult(withdrawn);
    const current = await readSubscription(context.store, context.companyId, id, 'LATEST');
    if (current === undefined) return { end: 'ENDED' };
    return commandResult(await submitCancellation(due, current, { again: true }));
  },
  CREDIT_RETURN: async (context, id) => commandResult(await submitDueReturn({ ...context, at: context.now() }, id)),
  DISPUTE_DEFENCE: async (context, id) => commandResult(await submitDueDefence({ ...context, at: context.now() }, id)),
  KEY_COMMAND: async (context, id) => commandResult(await submitDueKeyCommand({ ...context, at: context.now() }, id)),
  MED_BLOCK: async (context, id) => {
    const blocked = await blockForDisputes({ ...context, at: context.now() }, id);
    return resultOf(blocked > 0 && { DisputesBlocked: blocked });
  },
  DISPUTE_REMINDER: async (context, id) => {
    const isReminded = await remindOf({ ...context, at: context.now() }, id);
    return resultOf(isReminded && { DisputesReminded: 1 });
  },
  REFUND_POLL: (context, id) => polled(pollRefund({ ...context, at: context.now() }, id)),
  CANCELLATION_POLL: (context, id) => polled(pollCancellation({ ...context, at: context.now() }, id)),
  RECURRENCE_POLL: (context, id) => polled(pollAuthorization({ ...context, at: context.now() }, id)),
};

/** Returns the result of a poll. A poll without a response is repeated at its next time. */
async function polled(isAnswered: Promise<boolean>): Promise<JobResult> {
  return { end: (await isAnswered) ? 'ENDED' : 'FAILED' };
}

/** A command with an unknown outcome is due again later. */
function commandResult(submitted: SubmittedCommand, counted: MetricBy<'kind'> = 'CommandsSubmitted'): JobResult {
  if (submitted === 'UNKNOWN') return { end: 'FAILED' };
  if (submitted === 'MISSED') return resultOf({ CommandsMissed: 1 });
  return resultOf(submitted !== 'NOTHING_TO_DO' && { [counted]: 1 });
}

function resultOf(counts: JobCounts | false): JobResult {
  return counts === false ? { end: 'ENDED' } : { end: 'ENDED', counts };
}
