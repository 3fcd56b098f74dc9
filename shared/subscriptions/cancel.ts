import type { Instant } from '../core/brasilia-time.ts';
import { notFound } from '../core/errors.ts';
import type { Ids } from '../core/identifiers.ts';
import { askAgainAt } from '../core/resubmission.ts';
import type { Change } from '../platform/commit.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import type { SubmittedCommand } from '../platform/submit-in-time.ts';
import type { Store } from '../platform/table/store.ts';
import type { Bank } from '../bank/bank.ts';
import { requireOutcome, submitOnce } from '../bank/bank.ts';
import { repeating } from '../bank/repeat.ts';
import type { PayIn } from '../pay-ins/model.ts';
import { removeCharge } from '../pay-ins/remove.ts';
import { decidePayIn } from '../pay-ins/states.ts';
import { payInUpdate, readPayIn } from '../pay-ins/store.ts';
import { payInTransitionNotification } from '../pay-ins/transition.ts';
import type { Cancellation, SubscriptionWithCancellations } from './model.ts';
import { openCancellation } from './model.ts';
import { decisionNotifications } from './notification.ts';
import { requestCancellation } from './states.ts';
import {
  cancellationDueAgain,
  cancellationNoLongerDue,
  cancellationPut,
  readSubscription,
  subscriptionUpdate,
} from './store.ts';
import { subscriptionTransition } from './transition.ts';

type CancelableSubscription = { readonly current: SubscriptionWithCancellations; readonly firstCharge?: PayIn };
type PreparedCancellation = {
  readonly decision: ReturnType<typeof requestCancellation>;
  /** The first charge, if it is canceled with its subscription. */
  readonly firstCharge?: PayIn;
};

/**
 * The subscription with its latest requests; before authorization also with the first charge. @throws RequestError 404
 */
export async function readCancelable(store: Store, companyId: string, id: string): Promise<CancelableSubscription> {
  const current = await readSubscription(store, companyId, id, 'LATEST');
  if (current === undefined) throw notFound('Subscription');
  const { status, initialCharge } = current.subscription;
  const orderId = status === 'PENDING_AUTHORIZATION' ? initialCharge?.orderId : undefined;
  const firstCharge = orderId === undefined ? undefined : await readPayIn(store, companyId, orderId);
  return firstCharge === undefined ? { current } : { current, firstCharge };
}

/** The request; a withdrawal also cancels a pending first charge, unless the bank says that it is being paid. */
export async function prepareCancellation(
  input: Pick<Cancellation, 'idempotencyKey' | 'reason'> & { readonly customer?: Cancellation['customer'] | undefined },
  { current, firstCharge }: CancelableSubscription,
  source: {
    readonly companyId: string;
    readonly at: Instant;
    readonly ids: Ids;
    readonly bank: Pick<Bank, 'charges' | 'capabilities'>;
  },
): Promise<PreparedCancellation> {
  const { companyId, at, ids, bank } = source;
  const { idempotencyKey, reason, customer } = input;
  const request = { id: ids.uuid(), idempotencyKey, reason, at, ...(customer && { customer }) };
  const decision = requestCancellation(current, request);
  if (firstCharge?.status !== 'PENDING') return { decision };
  const removed = requireOutcome(await removeCharge(bank, firstCharge, { companyId, at }));
  return removed.outcome === 'DONE' && removed.state.status === 'REMOVED'
    ? { decision, firstCharge: decidePayIn(firstCharge, { outcome: 'CANCELED' }, at, 'service').payIn }
    : { decision };
}

/** The writes of a request: itself, due at the bank, and the subscription; of a withdrawal the first charge, too. */
export function cancellationChange(
  { decision, firstCharge }: PreparedCancellation,
  { current: { subscription, cancellations }, firstCharge: before }: CancelableSubscription,
  source: Pick<TransitionContext, 'companyId' | 'ids' | 'at' | 'requestId'>,
): Pick<Change, 'writes' | 'notifications'> {
  const { companyId, at } = source;
  const request = [
    subscriptionUpdate(companyId, subscription, decision.subscription),
    cancellationPut(companyId, decision.cancellation, askAgainAt(at)),
  ];
  const notifications = decisionNotifications(decision, cancellations, source);
  if (firstCharge === undefined || before === undefined) return { writes: request, notifications };
  return {
    writes: [...request, payInUpdate(companyId, before, firstCharge)],
    notifications: [...notifications, payInTransitionNotification(firstCharge, source)],
  };
}

/**
 * Submits the open request, or the withdrawal, of a recurrence; `again` where the bank may have it. A request that the
 * bank refuses is rejected. A withdrawal stands: a canceled subscription is never charged.
 */
export async function submitCancellation(
  context: TransitionContext & { readonly bank: Pick<Bank, 'recurrences' | 'capabilities'> },
  { subscription, cancellations }: SubscriptionWithCancellations,
  { again }: { readonly again: boolean },
): Promise<SubmittedCommand> {
  const { store, bank, companyId, at } = context;
  const cancellation = openCancellation(cancellations) ?? cancellations.findLast(({ status }) => status === 'ACCEPTED');
  if (cancellation === undefined) return 'NOTHING_TO_DO';
  const order = { reference: cancellation.id, recurrenceId: subscription.providerId };
  const repeated = again && (await repeating(context, 'recurrenceEnd', cancellation.id));
  const options = { again: repeated, whenUnknown: 'ASK' } as const;
  const { outcome } = await submitOnce(bank.recurrences.cancel, order, { companyId, at }, options);
  if (outcome === 'UNKNOWN' || outcome === 'NOT_NOW') {
    await store.writeOne(cancellationDueAgain(companyId, cancellation, askAgainAt(at)));
    return 'UNKNOWN';
  }
  if (outcome === 'REFUSED' && cancellation.status === 'PENDING') {
    await reject(context, cancellation);
    return 'REFUSED';
  }
  await store.writeOne(cancellationNoLongerDue(companyId, cancellation));
  return outcome === 'DONE' ? 'ACCEPTED' : 'REFUSED';
}

/** A request that ended meanwhile stays what it is. */
async function reject(context: TransitionContext, { id, subscriptionId }: Cancellation): Promise<void> {
  const read = () => readSubscription(context.store, context.companyId, subscriptionId, 'LATEST');
  await commitTransition(context, read, (current) => {
    if (current === undefined) throw new Error('A subscription with a cancellation request is not there.');
    return openCancellation(current.cancellations)?.id === id
      ? subscriptionTransition(context, current, { outcome: 'CANCELLATION_REJECTED' })
      : { unchanged: undefined };
  });
}
