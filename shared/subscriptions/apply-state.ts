import type { Bank } from '../bank/bank.ts';
import type { RecurrenceState } from '../bank/ports/recurrences.ts';
import { report } from '../bank/report.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { pick } from '../core/pick.ts';
import { nextStatus } from '../core/transition.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import type { CancelableSubscription } from './first-charge.ts';
import { cancelFirstCharge, readCancelable } from './first-charge.ts';
import type { SubscriptionStatus } from './model.ts';
import type { RecurrenceEvent } from './states.ts';
import { subscriptionTransitions } from './states.ts';
import { readWithdrawal } from './store.ts';
import { subscriptionTransition } from './transition.ts';

export type RecurrenceContext = TransitionContext & { readonly bank: Pick<Bank, 'charges' | 'capabilities'> };

/** Status of a subscription by that of its recurrence. A `CREATED` one still waits for its authorization. */
const statusOf = {
  CREATED: undefined,
  APPROVED: 'ACCEPTED',
  REJECTED: 'REJECTED',
  CANCELED: 'CANCELED',
  EXPIRED: 'CANCELED',
} as const satisfies Readonly<Record<RecurrenceState['history'][number]['status'], SubscriptionStatus | undefined>>;

/**
 * Applies the bank's state of a recurrence to its subscription: every transition between its status and the bank's, in
 * order, each in a transaction, with the bank's time. Applying the same state again changes nothing. A state that
 * contradicts a final status is reported, unless the service ended the recurrence: then its withdrawal is submitted to
 * the bank. A first charge that is still pending is canceled with its subscription.
 * @returns the status afterwards; undefined when the bank gives no status
 * @throws BankUnavailable when the bank does not remove the first charge; the transitions before are committed
 */
export async function applyRecurrenceState(
  context: RecurrenceContext,
  subscriptionId: string,
  state: RecurrenceState,
): Promise<SubscriptionStatus | undefined> {
  if (state.history.length === 0) return undefined;
  const { store, companyId } = context;
  const read = () => readCancelable(store, companyId, subscriptionId);
  let status: SubscriptionStatus;
  let isMoving = true;
  do {
    ({ status, isMoving } = await commitTransition(context, read, (found) => nextMove(context, found, state)));
  } while (isMoving);
  if (isContradiction(status, state) && (await readWithdrawal(store, companyId, subscriptionId)) === undefined) {
    const reportedStatus = state.history.at(-1)?.status;
    report('BankContradictions', { companyId, subscriptionId, said: reportedStatus });
  }
  return status;
}

async function nextMove(
  context: RecurrenceContext,
  { current, firstCharge }: CancelableSubscription,
  state: RecurrenceState,
) {
  const { status } = current.subscription;
  const next = eventsOf(state).find(
    ({ event }) => nextStatus(subscriptionTransitions, status, event.outcome, 'bankAlone') !== undefined,
  );
  if (next === undefined) return { unchanged: { status, isMoving: false } };
  const { event, at } = next;
  const move = subscriptionTransition({ ...context, at }, current, event, 'bankAlone');
  const isFinal = event.outcome === 'CANCELED' || event.outcome === 'ENDED';
  const charge = isFinal ? await cancelFirstCharge(context, firstCharge) : undefined;
  const both = [move, ...(charge === undefined ? [] : [charge])];
  return {
    writes: both.flatMap(({ writes = [] }) => writes),
    notifications: both.flatMap(({ notifications = [] }) => notifications),
    reached: both.flatMap(({ reached = [] }) => reached),
    result: { status: move.result.subscription.status, isMoving: true },
  };
}

type TimedEvent = { readonly event: RecurrenceEvent; readonly at: Instant };

function eventsOf(state: RecurrenceState): readonly TimedEvent[] {
  return state.history.flatMap(({ status, at }): readonly TimedEvent[] => {
    const outcome = statusOf[status];
    switch (outcome) {
      case undefined:
        return [];
      case 'ACCEPTED':
        return [{ event: { outcome, ...pick(state, 'payer') }, at }];
      case 'REJECTED':
        return [{ event: { outcome }, at }];
      case 'CANCELED':
        if (status === 'EXPIRED') return [{ event: { outcome: 'ENDED' }, at }];
        return [{ event: { outcome, end: pick(state, 'endedBy', 'endReason') }, at }];
    }
  });
}

/**
 * Whether the bank reports another final status. An open recurrence is no contradiction: it may be an older response.
 */
function isContradiction(status: SubscriptionStatus, { history }: RecurrenceState): boolean {
  const last = history.at(-1)?.status;
  const reportedStatus = last && statusOf[last];
  return (reportedStatus === 'REJECTED' || reportedStatus === 'CANCELED') && reportedStatus !== status;
}
