import { parsePayIn } from '#shared/pay-ins/store.ts';
import { chargeReference } from '#shared/scheduled-payments/model.ts';
import { parseScheduledPayment } from '#shared/scheduled-payments/store.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { parseSubscription } from '#shared/subscriptions/store.ts';
import * as z from 'zod';
import { readable } from '../support/readable-items.ts';
import type { Dated } from './bank-books.ts';
import type { RecurringChargeState } from '#shared/bank/ports/recurring-charges.ts';
import type { RecurrenceState } from '#shared/bank/ports/recurrences.ts';
import { presentOf } from './bank-books.ts';
import type { Check, EndBooks, Problem } from './bank-checks.ts';
import { lastOf, statusOf } from './bank-recurrences.ts';

/** Recurrences by their ids and charges by their references, as the bank has them at the end. */
export type EndRecurrences = {
  readonly recs: ReadonlyMap<string, { readonly history: readonly Dated<RecurrenceState>[] }>;
  readonly cobrs: ReadonlyMap<
    string,
    {
      readonly order: { readonly charge: string; readonly amount: number; readonly receiver: { readonly id: string } };
      readonly history: readonly Dated<RecurringChargeState>[];
    }
  >;
};

/** What the bank collected for an account by recurring charges. */
export function collectedBy({ cobrs }: Pick<EndRecurrences, 'cobrs'>): (accountId: string) => number {
  return (accountId) =>
    [...cobrs.values()]
      .filter(({ order }) => order.receiver.id === accountId)
      .map((cobr) => presentOf(cobr).attempts.filter((one) => lastOf(one) === 'PAID').length * cobr.order.amount)
      .reduce((sum, amount) => sum + amount, 0);
}

const statusHere: Readonly<Record<string, string>> = {
  CREATED: 'PENDING_AUTHORIZATION',
  APPROVED: 'ACCEPTED',
  REJECTED: 'REJECTED',
  CANCELED: 'CANCELED',
  EXPIRED: 'CANCELED',
};
const paymentStatusHere: Readonly<Record<string, string>> = {
  PAID: 'COMPLETED',
  REJECTED: 'REJECTED',
  EXPIRED: 'CANCELED_INSUFFICIENT_BALANCE',
  CANCELED: 'CANCELED',
};

/** What becomes of a subscription that waits, by the end of its first charge. */
const endHere: Readonly<Record<string, string>> = { EXPIRED: 'REJECTED', ERROR: 'REJECTED', CANCELED: 'CANCELED' };

/** The statuses of a recurrence that allows no charge any more. */
const endsThere: ReadonlySet<RecurrenceState['history'][number]['status']> = new Set([
  'REJECTED',
  'CANCELED',
  'EXPIRED',
]);

/**
 * Subscriptions and their payments are those of the bank: each charge once, and each transition with one notification.
 */
export function checkRecurring(
  all: readonly Item[],
  books: Pick<EndBooks, 'refused'>,
  { recs, cobrs }: EndRecurrences,
): readonly Problem[] {
  const items = all.map(readable);
  const itemsOf = (entity: string): Item[] => items.filter((item) => item['entity'] === entity);
  const problems: Problem[] = [];
  const expect = (isTrue: boolean, check: Check, text: string): void => {
    if (!isTrue) problems.push({ check, text });
  };
  const firstCharges = itemsOf('PAY_IN').map(parsePayIn);
  const endOfFirst = new Map(firstCharges.map(({ subscription, status }) => [subscription?.id, status]));
  for (const { id, status, providerId } of itemsOf('SUBSCRIPTION').map(parseSubscription)) {
    const rec = recs.get(providerId);
    const bankStatus = rec && statusOf(rec);
    if (bankStatus === undefined) expect(status === 'ERROR', 'refused here alone', `subscription ${id} is ${status}`);
    // It ended here first, by a withdrawal or with its first charge, and the bank got the cancellation: in any status
    // there and after any action of its payer. One whose cancellation the bank refuses stays canceled here too: it is
    // never charged.
    else if (status === 'CANCELED' || endHere[endOfFirst.get(id) ?? ''] === status)
      expect(
        endsThere.has(bankStatus) || (bankStatus === 'APPROVED' && books.refused.has(providerId)),
        'state',
        `subscription ${id} is ${status}, at the bank ${bankStatus}`,
      );
    else
      expect(statusHere[bankStatus] === status, 'state', `subscription ${id} is ${status}, at the bank ${bankStatus}`);
  }
  for (const { id, status } of itemsOf('CANCELLATION'))
    expect(status !== 'PENDING', 'left', `cancellation ${JSON.stringify(id)}`);
  for (const { PK } of itemsOf('RECURRENCE_WITHDRAWAL').filter((item) => 'GSI3PK' in item))
    expect(false, 'left', `the end of the recurrence of ${PK}`);
  const payments = itemsOf('SCHEDULED_PAYMENT').map(parseScheduledPayment);
  const known = new Set(payments.map(({ endToEndId }) => endToEndId));
  for (const payment of payments) {
    const { id, status, endToEndId, purpose } = payment;
    const attempts = [...cobrs.values()].flatMap((cobr) => presentOf(cobr).attempts);
    const own = cobrs.get(chargeReference(payment));
    const attempt =
      endToEndId === undefined
        ? undefined
        : (attempts.find((one) => one.endToEndId === endToEndId) ??
          (purpose === 'FIRST_ATTEMPT' && own ? presentOf(own).attempts[0] : undefined));
    const isEnded = !['INITIAL', 'PENDING', 'ACCEPTED'].includes(status);
    expect(isEnded, 'left', `charge ${id} is ${status}, at the bank ${attempt && lastOf(attempt)}`);
    if (attempt === undefined || !isEnded) {
      expect(status !== 'COMPLETED', 'state', `charge ${id} is ${status}; the bank has none`);
      continue;
    }
    const bankStatus = lastOf(attempt);
    // Canceled here with its subscription: neither moves money.
    if (status === 'CANCELED' && bankStatus === 'REJECTED') continue;
    expect(paymentStatusHere[bankStatus] === status, 'state', `charge ${id} is ${status}, at the bank ${bankStatus}`);
  }
  for (const cobr of cobrs.values()) {
    const { attempts } = presentOf(cobr);
    const paid = attempts.filter((one) => lastOf(one) === 'PAID');
    expect(paid.length <= 1, 'doubled', `charge ${cobr.order.charge} was collected ${paid.length} times`);
    for (const one of paid) expect(known.has(one.endToEndId), 'number', `attempt ${one.endToEndId} is of no payment`);
  }
  const notified = itemsOf('DELIVERY_BODY').flatMap((item) => {
    const { event, data } = JSON.parse(z.string().parse(item['body'])) as { event: string; data?: { id?: string } };
    return event.startsWith('SUBSCRIPTION.') && !event.includes('CANCELLATION') ? [`${event} ${data?.id}`] : [];
  });
  const twice = notified.filter((one, index) => notified.indexOf(one) !== index);
  expect(twice.length === 0, 'notified once', `told twice: ${twice.join()}`);
  return problems;
}
