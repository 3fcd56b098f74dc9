import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import { subscriptionMoveNotification } from '#shared/subscriptions/transition.ts';
import type { Change } from '#shared/platform/commit.ts';
import { uniqueInsert } from '#shared/platform/external-ids.ts';
import { payInInsert } from '#shared/pay-ins/store.ts';
import type { Write } from '#shared/platform/table/store.ts';
import { subscriptionInsert } from '#shared/subscriptions/store.ts';
import type { NewSubscription } from './prepare-subscription.ts';

/**
 * What a new subscription writes: itself, and the order of its first charge with the external id that it takes; for one
 * that the bank refused the notification of its end.
 */
export function subscriptionChange(
  companyId: string,
  made: NewSubscription,
  source: { readonly ids: Ids; readonly at: Instant; readonly requestId: string },
): Pick<Change, 'writes' | 'notifications'> {
  const { subscription, firstCharge } = made;
  const isRefused = subscription.status === 'ERROR';
  const aggregate = { subscription, cancellations: [] };
  return {
    writes: [
      subscriptionInsert(companyId, subscription),
      ...(firstCharge ? firstChargeInserts(companyId, firstCharge) : []),
    ],
    notifications: isRefused ? [subscriptionMoveNotification('SUBSCRIPTION.ERROR', aggregate, source)] : [],
  };
}

function firstChargeInserts(
  companyId: string,
  firstCharge: NonNullable<NewSubscription['firstCharge']>,
): readonly Write[] {
  const { externalId, id: resourceId } = firstCharge;
  return [
    payInInsert(companyId, firstCharge),
    uniqueInsert(companyId, { kind: 'PAY_IN', externalId, resourceId, listed: firstCharge }),
  ];
}
