import type { Operation } from '#shared/contract/contract.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import type { ReceivingDependencies } from '#functions/banks.ts';
import { receivingDependencies } from '#functions/banks.ts';
import { cancelPendingPayIn } from '#shared/pay-ins/remove.ts';
import { endWaitingSubscription } from '#shared/subscriptions/first-charge.ts';
import { payInView } from '#shared/pay-ins/view.ts';
import { CancelPayIn } from './contract.ts';

/**
 * Cancels a pending pay-in, and the subscription that waits for its payment. A canceled pay-in gets the same response.
 * @throws RequestError 404, 409 @throws BankUnavailable
 */
export const cancelPayIn: Operation<typeof CancelPayIn, ReceivingDependencies> = async (
  { caller: { companyId, clientId: canceledBy }, params, requestId },
  deps,
) => {
  const payIn = await cancelPendingPayIn(
    { ...deps, companyId, requestId, canceledBy, alsoEnds: endWaitingSubscription },
    params.id,
  );
  return { status: 200, body: payInView(payIn) };
};

export const handler = endpoint(CancelPayIn, cancelPayIn, receivingDependencies);
