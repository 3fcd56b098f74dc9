import { keys } from '../platform/table/keys.ts';
import type { Store } from '../platform/table/store.ts';
import { queryAll } from '../platform/table/store.ts';
import type { ScheduledPayment } from './model.ts';
import { readCharge, readCycle, readPayments } from './store.ts';

/**
 * Reads every payment that is an attempt of the cobr of this first attempt: the first attempt itself, the new attempts
 * after the due date, and then the resends. A resend has the due date of the payment that it resends. Empty when there
 * is no such payment.
 */
export async function attemptsOfCharge(
  store: Store,
  companyId: string,
  firstAttemptId: string,
): Promise<readonly ScheduledPayment[]> {
  const first = await readCharge(store, companyId, firstAttemptId);
  if (first === undefined) return [];
  const { subscription, cycle } = first.terms;
  const charge = await readCycle(store, companyId, { subscriptionId: subscription.id, cycle });
  const later = charge?.firstAttemptId === firstAttemptId ? charge.newAttempts.map(({ id }) => id) : [];
  const asked = [first.payment, ...(await readPayments(store, companyId, later))];
  const days = new Set(asked.map(({ dueDate }) => dueDate));
  const ids = await Promise.all([...days].map((day) => idsOfDay(store, companyId, first.payment, day)));
  const others = ids.flat().filter((id) => !asked.some((payment) => payment.id === id));
  const resends = (await readPayments(store, companyId, others)).filter(({ settlementErrorRetryRootId: root }) =>
    asked.some(({ id }) => id === root),
  );
  return [...asked, ...resends];
}

async function idsOfDay(
  store: Store,
  companyId: string,
  { subscriptionId }: ScheduledPayment,
  day: string,
): Promise<readonly string[]> {
  const { PK: partition, SK: prefix } = keys.paymentEntry(companyId, subscriptionId, day, '');
  const ids: string[] = [];
  for await (const { SK } of queryAll(store, { partition, prefix })) ids.push(SK.slice(prefix.length));
  return ids;
}
