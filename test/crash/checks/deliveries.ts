import type { Notification } from '@banking-order/partner-tools';
import { signatureErrors } from '@banking-order/partner-tools';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { maxCountedFailures } from '#shared/platform/outbox/delivery.ts';
import { countedFailures } from '#shared/webhooks/deliveries/states.ts';
import type { Violation } from '../journal.ts';
import { wasTaken } from '../receivers.ts';

/** All that is known of a company's notifications. */
export type Deliveries = {
  readonly deliveries: readonly Delivery[];
  /** The bytes of each, by its id. */
  readonly bodies: ReadonlyMap<string, string>;
  /** What its receivers got. */
  readonly calls: readonly Notification[];
  /** Every secret that the company was ever given. */
  readonly secrets: readonly string[];
  /** The deliveries of the dead letters, one for each letter. */
  readonly letters: readonly string[];
};

/**
 * Each call has the bytes of a delivery and a signature. A `DELIVERED` delivery was acknowledged. A `FAILED` delivery
 * failed five times and has one dead letter; no other delivery has any.
 */
export function findDeliveryViolations({
  deliveries,
  bodies,
  calls,
  secrets,
  letters,
}: Deliveries): readonly Violation[] {
  const faults: Violation[] = [];
  const callsById = Map.groupBy(calls, ({ id }) => id);
  // A resend has the `webhook-id` of its first delivery: their calls cannot be told apart.
  const sent = Map.groupBy(deliveries, ({ id, resendOf = id }) => resendOf);
  for (const delivery of deliveries) {
    const { id, status, event, resource, resendOf = id } = delivery;
    const own = callsById.get(resendOf) ?? [];
    const all = sent.get(resendOf) ?? [];
    const attempts = all.flatMap((one) => one.attempts);
    const holds = (is: boolean, invariant: string, text: string): void => {
      const about = `delivery ${id} of ${event} ${resource.id} is ${status}: ${text}`;
      if (!is) faults.push({ invariant, text: about, ids: [id, resource.id] });
    };
    const outcomes = attempts.map(({ outcome }) => outcome).join(' ');
    const letterCount = letters.filter((letter) => letter === id).length;
    const isSame = own.every(({ raw }) => raw.toString() === bodies.get(id));
    holds(isSame, 'a notification always has the same bytes', 'other bytes were sent');
    holds(own.length <= attempts.length, 'each call is recorded as an attempt', `${own.length} calls, ${outcomes}`);
    if (status === 'DELIVERED')
      holds(
        own.filter(wasTaken).length >= all.filter((one) => one.status === 'DELIVERED').length,
        'a delivered notification was acknowledged',
        `${own.length} calls`,
      );
    if (status === 'FAILED')
      holds(countedFailures(delivery) === maxCountedFailures, 'a failed delivery had five attempts', outcomes);
    holds(
      letterCount === (status === 'FAILED' ? 1 : 0),
      'a failed notification has one dead letter',
      `${letterCount} dead letters`,
    );
  }
  for (const call of calls) {
    if (!bodies.has(call.id))
      faults.push({ invariant: 'each call belongs to a delivery', text: `${call.id} was received`, ids: [call.id] });
    if (!secrets.some((secret) => signatureErrors(call, secret).length === 0)) {
      const text = `a call of ${call.id} matches none of ${secrets.length} secrets`;
      faults.push({ invariant: 'a notification is signed', text, ids: [call.id] });
    }
  }
  return faults;
}
