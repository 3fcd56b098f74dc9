import { askAgainAt } from '../core/resubmission.ts';
import type { Change } from '../platform/commit.ts';
import type { Transition, TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import type { SubmittedCommand } from '../bank/submit-in-time.ts';
import type { Bank } from '../bank/bank.ts';
import { submitOnce } from '../bank/bank.ts';
import { recurrenceTimeoutMs, responseTimeoutMs } from '../bank/outcome.ts';
import type { CommandOutcome, FoundCommand } from '../bank/outcome.ts';
import { nextPoll } from '../bank/polling.ts';
import type { CancellationOrder, RecurrenceState } from '../bank/ports/recurrences.ts';
import { repeating } from '../bank/repeat.ts';
import { report } from '../bank/report.ts';
import type { PayIn } from '../pay-ins/model.ts';
import type { RecurrenceContext } from './apply-state.ts';
import { applyRecurrenceState } from './apply-state.ts';
import type { CancelableSubscription } from './first-charge.ts';
import { cancelFirstCharge } from './first-charge.ts';
import type { Cancellation, Subscription, SubscriptionWithCancellations } from './model.ts';
import { openCancellation } from './model.ts';
import { decisionNotifications } from './notification.ts';
import { requestCancellation } from './states.ts';
import {
  cancellationTaken,
  cancellationNoLongerDue,
  cancellationPolledAt,
  cancellationPut,
  readSubscription,
  subscriptionUpdate,
} from './store.ts';
import { subscriptionTransition } from './transition.ts';

type PreparedCancellation = {
  readonly decision: ReturnType<typeof requestCancellation>;
  /** The transition of the first charge, if it is canceled with its subscription. */
  readonly firstCharge?: Transition<PayIn>;
};
type CancelingContext = TransitionContext & { readonly bank: Pick<Bank, 'recurrences' | 'charges' | 'capabilities'> };

/** Prepares a request. A withdrawal also cancels a pending first charge, unless it is paid or being paid. */
export async function prepareCancellation(
  context: RecurrenceContext,
  input: Pick<Cancellation, 'idempotencyKey' | 'reason'> & {
    readonly customer?: Cancellation['customer'] | undefined;
    readonly createdBy: string;
  },
  { current, firstCharge }: CancelableSubscription,
): Promise<PreparedCancellation> {
  const { at, ids } = context;
  const { idempotencyKey, reason, customer, createdBy } = input;
  const request = { id: ids.uuid(), idempotencyKey, reason, at, createdBy, ...(customer && { customer }) };
  const decision = requestCancellation(current, request);
  const canceled = await cancelFirstCharge(context, firstCharge);
  return canceled === undefined ? { decision } : { decision, firstCharge: canceled };
}

/** Returns the writes of a request, due at the bank, of its subscription, and of a canceled first charge. */
export function cancellationChange(
  { decision, firstCharge }: PreparedCancellation,
  { current: { subscription, cancellations } }: CancelableSubscription,
  source: Pick<TransitionContext, 'companyId' | 'ids' | 'at' | 'requestId'>,
): Pick<Change, 'writes' | 'notifications'> {
  const { companyId, at } = source;
  return {
    writes: [
      subscriptionUpdate(companyId, subscription, decision.subscription),
      cancellationPut(companyId, decision.cancellation, askAgainAt(at)),
      ...(firstCharge?.writes ?? []),
    ],
    notifications: [...decisionNotifications(decision, cancellations, source), ...(firstCharge?.notifications ?? [])],
  };
}

/**
 * Submits the open cancellation request of a recurrence, or its withdrawal, to the bank; `again` if the bank may have
 * it. A refused request becomes `REJECTED`. A request that the bank carries out immediately becomes `ACCEPTED`, with
 * the result `ENDED`. A withdrawal stands even if the bank refuses it: a canceled subscription is never charged.
 */
export async function submitCancellation(
  context: CancelingContext & { readonly remainingMs?: () => number },
  { subscription, cancellations }: SubscriptionWithCancellations,
  { again }: { readonly again: boolean },
): Promise<SubmittedCommand> {
  const { store, bank, companyId, at, remainingMs = () => Infinity } = context;
  const cancellation = openCancellation(cancellations) ?? cancellations.findLast(({ status }) => status === 'ACCEPTED');
  if (cancellation === undefined) return 'NOTHING_TO_DO';
  // Written before the bank call: after a crash the next lookup comes later than the bank's reads lag.
  if (again && !(await store.writeOne(cancellationTaken(companyId, cancellation, at))).ok) return 'NOTHING_TO_DO';
  const { connection } = subscription;
  const repeated =
    again && (await repeating(context, 'recurrenceCancellation', { reference: cancellation.id, connection }));
  const response = await submitOnce(
    bank.recurrences.cancel,
    orderOf(subscription, cancellation),
    { companyId, connection, at },
    {
      again: repeated,
      whenUnknown: 'ASK',
      remainingMs: () => remainingMs() - (recurrenceTimeoutMs - responseTimeoutMs),
    },
  );
  if (response.outcome === 'DONE' || response.outcome === 'REFUSED')
    return recordOutcome(context, { subscription, cancellation }, response);
  return 'UNKNOWN';
}

function orderOf({ providerId: recurrenceId }: Subscription, { id: reference }: Cancellation): CancellationOrder {
  return { reference, recurrenceId };
}

/**
 * Polls the bank for the outcome of the open request of a subscription. The time of the next poll is written before
 * this one. False when the bank does not give the outcome.
 */
export async function pollCancellation(context: CancelingContext, subscriptionId: string): Promise<boolean> {
  const { store, bank, companyId, at } = context;
  const current = await readSubscription(store, companyId, subscriptionId, 'LATEST');
  const cancellation = current && openCancellation(current.cancellations);
  if (current === undefined || cancellation === undefined) return true;
  await store.writeOne(nextQuestion(context, cancellation));
  const found: FoundCommand<RecurrenceState> = await bank.recurrences.cancel.find(
    orderOf(current.subscription, cancellation),
    { companyId, connection: current.subscription.connection, at },
  );
  if (found.outcome !== 'DONE' && found.outcome !== 'REFUSED') return false;
  await recordOutcome(context, { subscription: current.subscription, cancellation }, found);
  return true;
}

function nextQuestion({ companyId, realNow }: TransitionContext, cancellation: Cancellation) {
  return cancellationPolledAt(
    companyId,
    cancellation,
    nextPoll('CANCELLATION_POLL', cancellation.createdAt, realNow()),
  );
}

async function recordOutcome(
  context: CancelingContext,
  { subscription, cancellation }: { readonly subscription: Subscription; readonly cancellation: Cancellation },
  response: Extract<CommandOutcome<RecurrenceState>, { readonly outcome: 'DONE' | 'REFUSED' }>,
): Promise<SubmittedCommand> {
  const { store, bank, companyId } = context;
  if (response.outcome === 'REFUSED' && cancellation.status === 'PENDING') {
    await reject(context, cancellation);
    return 'REFUSED';
  }
  const status =
    response.outcome === 'DONE'
      ? await applyRecurrenceState(context, cancellation.subscriptionId, response.state)
      : undefined;
  // A request that has ended is no longer due: neither write applies to it.
  const { isPolled } = await bank.capabilities(companyId, subscription.connection);
  await store.writeOne(
    isPolled && cancellation.status === 'PENDING'
      ? nextQuestion(context, cancellation)
      : cancellationNoLongerDue(companyId, cancellation),
  );
  if (response.outcome === 'REFUSED') {
    // The bank refused a withdrawal: the recurrence is still open there.
    report('BankContradictions', { companyId, subscriptionId: subscription.id, said: 'REFUSED' });
    return 'REFUSED';
  }
  return status === 'CANCELED' ? 'ENDED' : 'ACCEPTED';
}

/** Rejects a request, unless it ended meanwhile. */
async function reject(context: TransitionContext, { id, subscriptionId }: Cancellation): Promise<void> {
  const read = () => readSubscription(context.store, context.companyId, subscriptionId, 'LATEST');
  await commitTransition(context, read, (current) => {
    if (current === undefined) throw new Error('Cannot find a subscription with a cancellation request.');
    return openCancellation(current.cancellations)?.id === id
      ? subscriptionTransition(context, current, { outcome: 'CANCELLATION_REJECTED' })
      : { unchanged: undefined };
  });
}
