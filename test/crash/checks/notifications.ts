import { chargeCancellationEvents, scheduledPaymentEvents } from '#shared/scheduled-payments/states.ts';
import { subscriptionEvents } from '#shared/subscriptions/states.ts';
import type { Violation } from '../journal.ts';
import type { Resource } from './resources.ts';

/** A notification that the service made: what it tells, and of what. */
type SentNotification = { readonly id: string; readonly event: string; readonly resourceId: string };

const chargePrefix = 'SUBSCRIPTION.SCHEDULED_PAYMENT';
/** Tell of requests that a record does not keep: how many there are cannot be read. */
const uncounted = new Set<string>(chargeCancellationEvents.filter((event) => !event.endsWith('.ACCEPTED')));
/** Credits and disputes are counted in the table, by the operator's comparison (table.ts). */
const isCountedInTable = (event: string): boolean => /^(?:CREDIT|DISPUTE)\./u.test(event);
/** A listing has so many cancellation requests of a subscription at most. */
const cancellationsListed = 10;

/**
 * Each status that is notified has exactly one notification, and nothing else has any.
 * @param notifications the notifications, without resends and tests that a partner requested
 */
export function findNotificationViolations(
  resources: readonly Resource[],
  notifications: readonly SentNotification[],
): readonly Violation[] {
  const expected = new Map<string, number>();
  for (const resource of resources)
    for (const event of eventsOf(resource)) {
      const name = `${event} ${resource.about}`;
      expected.set(name, (expected.get(name) ?? 0) + 1);
    }
  const found = Map.groupBy(notifications, ({ event, resourceId }) => `${event} ${resourceId}`);
  const unclear = new Set(
    resources.filter(({ cancellations = [] }) => cancellations.length >= cancellationsListed).map(({ id }) => id),
  );
  return [...new Set([...expected.keys(), ...found.keys()])].flatMap((name) => {
    const [event = '', id = ''] = name.split(' ');
    if (uncounted.has(event) || isCountedInTable(event) || (event === rejection && unclear.has(id))) return [];
    const [wanted, own] = [expected.get(name) ?? 0, found.get(name) ?? []];
    if (own.length === wanted) return [];
    const text = `${name}: ${wanted} expected, found ${own.map((one) => one.id).join(' ') || 'none'}`;
    return [{ invariant: 'each transition that notifies has one notification', text, ids: [id] }];
  });
}
const rejection = 'SUBSCRIPTION.CANCELLATION.REJECTED';

/** The notifications of all that a resource has been. */
function eventsOf({ kind, statuses, cancellations = [] }: Resource): readonly string[] {
  const [now = ''] = statuses;
  const isOf = (events: readonly string[], event: string): boolean => events.includes(event);
  switch (kind) {
    case 'PAY_IN':
      return now === 'PENDING' ? [] : [`ORDER-PAYIN.${now === 'REFUNDED' ? 'PAID' : now}`];
    case 'REFUND':
      return now === 'PENDING' ? [] : [`ORDER-PAYIN.${now === 'SETTLED' ? 'REFUNDED' : 'REFUND_FAILED'}`];
    case 'PAYOUT':
      return now === 'PENDING' ? [] : [`ORDER-PAYOUT.${now === 'PARTIALLY_PAID' ? 'ERROR' : now}`];
    case 'PAYMENT':
      return [];
    case 'SUBSCRIPTION':
      return [
        ...statuses.map((status) => `SUBSCRIPTION.${status}`).filter((event) => isOf(subscriptionEvents, event)),
        ...cancellations.filter((status) => status === 'REJECTED').map(() => rejection),
      ];
    case 'SCHEDULED_PAYMENT':
      return [
        ...statuses.map((status) => `${chargePrefix}.${status}`).filter((event) => isOf(scheduledPaymentEvents, event)),
        ...statuses
          .filter((status) => status.startsWith('CANCELED'))
          .map(() => `${chargePrefix}.CANCELLATION.ACCEPTED`),
      ];
  }
}
