import type { Instant } from '../core/brasilia-time.ts';
import { notificationJson } from '../contract/notification.ts';
import type { DisputeWithDefences } from './model.ts';
import type { DisputeEvent, DisputeNotification } from './notification-contract.ts';
import { disputeView } from './view.ts';

/** The body of a dispute's event. */
export function disputeNotification(
  found: DisputeWithDefences,
  event: DisputeEvent,
  occurredAt: Instant,
): { event: string; body: string } {
  return {
    event,
    body: notificationJson<typeof DisputeNotification>({ event, occurredAt, data: disputeView(found) }),
  };
}
