import type { RequestOf } from '../../../shared/contracts/contract.ts';
import type { Instant } from '../../../shared/domain/brasilia-time.ts';
import type { Change } from '../../../shared/persistence/commit.ts';
import { keyExpiry, uniqueWrite } from '../../../shared/persistence/commit.ts';
import { payInCreated } from '../../../shared/persistence/pay-ins.ts';
import { subscriptionCreated } from '../../../shared/persistence/subscriptions.ts';
import { CreateSubscription } from './contract.ts';
import type { NewSubscription } from './open-subscription.ts';

/** Everything that a new subscription writes, with the order of its first charge and the key if there are any. */
export function creationOf(
  { caller, idempotencyKey: key, fingerprint }: RequestOf<typeof CreateSubscription>,
  { subscription, firstCharge }: NewSubscription,
  at: Instant,
): Change {
  const { companyId } = caller;
  const resourceId = subscription.id;
  const claim = { operation: CreateSubscription.operationId, fingerprint, resourceId, expiresAt: keyExpiry(at) };
  return {
    companyId,
    at,
    ...(key !== undefined && { idempotency: { ...claim, key } }),
    unique: { kind: 'SUBSCRIPTION', externalId: subscription.externalId, resourceId },
    writes: [
      subscriptionCreated(companyId, subscription),
      ...(firstCharge
        ? [
            payInCreated(companyId, firstCharge),
            uniqueWrite(companyId, { kind: 'PAY_IN', externalId: firstCharge.externalId, resourceId: firstCharge.id }),
          ]
        : []),
    ],
  };
}
