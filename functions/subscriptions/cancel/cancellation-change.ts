import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import { askAgainAt } from '#shared/core/resubmission.ts';
import { payInTransitionNotification } from '#shared/pay-ins/transition.ts';
import { notificationsOf } from '#shared/subscriptions/transition.ts';
import type { Change } from '#shared/platform/commit.ts';
import { payInUpdate } from '#shared/pay-ins/store.ts';
import { cancellationPut, subscriptionUpdate } from '#shared/subscriptions/store.ts';
import type { Cancelable, PreparedCancellation } from './prepare-cancellation.ts';

/**
 * What a request writes: itself, due to be handed to the bank, and the subscription's version; a withdrawal also ends
 * the subscription and its first charge, each with its notification.
 */
export function cancellationChange(
  companyId: string,
  { move, firstCharge }: PreparedCancellation,
  found: Cancelable,
  source: { readonly ids: Ids; readonly at: Instant; readonly requestId: string },
): Pick<Change, 'writes' | 'notifications'> {
  const { subscription, cancellations } = found.current;
  const request = [
    subscriptionUpdate(companyId, subscription, move.subscription),
    cancellationPut(companyId, move.cancellation, askAgainAt(source.at)),
  ];
  const told = notificationsOf(move, cancellations, source);
  if (firstCharge === undefined || found.firstCharge === undefined) return { writes: request, notifications: told };
  return {
    writes: [...request, payInUpdate(companyId, found.firstCharge, firstCharge)],
    notifications: [...told, payInTransitionNotification(firstCharge, source)],
  };
}
