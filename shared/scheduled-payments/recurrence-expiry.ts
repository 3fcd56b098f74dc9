import type { Clock, LocalDate } from '../core/brasilia-time.ts';
import { plusDays } from '../core/brasilia-time.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import type { PaymentEntry } from '../subscriptions/model.ts';
import { recurrenceEndsAt } from '../subscriptions/states.ts';
import { readSubscription, recurrenceEndDelete, recurrenceEndPut } from '../subscriptions/store.ts';
import { subscriptionTransition } from '../subscriptions/transition.ts';
import type { ScheduledPayment } from './model.ts';
import { isOpenPayment } from './model.ts';
import { readEntries, readPayments } from './store.ts';

type EndContext = Omit<TransitionContext, 'at'> & { readonly now: Clock };

/** A settlement date lies at most this many days after its due date: earlier payments settle before the end. */
const movedDays = 7;
/** Payments that are read together. */
const pageSize = 50;

/**
 * Ends a recurrence whose time is over, by the service: `CANCELED` with its event, and no other change. If payments
 * settle later, the expiry is due again after them. It is no longer due if the recurrence has ended otherwise.
 */
export async function endRecurrence(context: EndContext, subscriptionId: string): Promise<void> {
  const { store, companyId, now } = context;
  const read = async () => {
    const current = await readSubscription(store, companyId, subscriptionId, 'LATEST');
    const { status, endDate } = current?.subscription ?? {};
    const lastDate =
      status === 'ACCEPTED' && endDate !== undefined ? await lastOpenDate(context, subscriptionId, endDate) : undefined;
    return { current, lastDate };
  };
  await commitTransition<Awaited<ReturnType<typeof read>>, unknown>(context, read, ({ current, lastDate }) => {
    const done = recurrenceEndDelete(companyId, subscriptionId);
    const { status } = current?.subscription ?? {};
    const endsAt = current && recurrenceEndsAt(current.subscription, lastDate);
    if (current === undefined || endsAt === undefined || (status !== 'PENDING_AUTHORIZATION' && status !== 'ACCEPTED'))
      return { writes: [done], result: undefined };
    const at = now();
    if (endsAt > at)
      return { writes: [recurrenceEndPut(companyId, subscriptionId, endsAt, 'present')], result: undefined };
    const transition = subscriptionTransition({ ...context, at }, current, { outcome: 'ENDED' }, 'service');
    return { ...transition, writes: [...transition.writes, done] };
  });
}

/** Finds the last settlement date of payments that may still be collected, due since shortly before `endDate`. */
async function lastOpenDate(
  { store, companyId }: EndContext,
  subscriptionId: string,
  endDate: LocalDate,
): Promise<LocalDate | undefined> {
  let last: LocalDate | undefined;
  let after: PaymentEntry | undefined = { id: '', dueDate: plusDays(endDate, -movedDays) };
  while (after !== undefined) {
    const entries: readonly PaymentEntry[] = await readEntries(store, companyId, subscriptionId, {
      limit: pageSize,
      after,
    });
    const payments = await readPayments(
      store,
      companyId,
      entries.map(({ id }) => id),
    );
    for (const { settlementDate } of payments.filter(mayBeCollected))
      if (last === undefined || settlementDate > last) last = settlementDate;
    after = entries.length < pageSize ? undefined : entries.at(-1);
  }
  return last;
}

function mayBeCollected(payment: ScheduledPayment): boolean {
  return isOpenPayment(payment) || payment.scheduledRetry !== undefined;
}
