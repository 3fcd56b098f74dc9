import type { Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { cancellationAsCreated } from '#shared/subscriptions/model.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { countStatus } from '#shared/platform/commit-transition.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import { recurrenceBankTimeMs, submitInTime, timeForBank } from '#shared/bank/submit-in-time.ts';
import { cancellationChange, prepareCancellation, submitCancellation } from '#shared/subscriptions/cancel.ts';
import { beginSweep } from '#shared/scheduled-payments/cancel.ts';
import { readCancelable } from '#shared/subscriptions/first-charge.ts';
import { readSubscription } from '#shared/subscriptions/store.ts';
import type { ReceivingDependencies } from '#functions/banks.ts';
import { receivingDependencies } from '#functions/banks.ts';
import { cancellationView } from '#shared/subscriptions/view.ts';
import { CancelSubscription } from './contract.ts';

/**
 * Requests the cancellation of a subscription (2.5). Before authorization it withdraws the subscription and its first
 * charge immediately. The request raises the version of the subscription, so that the second of two concurrent requests
 * fails: the first one is open.
 * @throws RequestError 404; 409 final state, open request, too many. @throws BankUnavailable: nothing was written.
 */
export const cancelSubscription: Operation<typeof CancelSubscription, ReceivingDependencies> = async (
  request,
  deps,
) => {
  const { caller, params, requestId, body, idempotencyKey } = request;
  const { companyId, clientId: createdBy } = caller;
  const { store, ids, now, realNow, bank } = deps;
  const remainingMs = timeForBank(deps.elapsedMs, recurrenceBankTimeMs);
  const context = { store, ids, bank, realNow, companyId, requestId, remainingMs };
  return createOnce(deps, request, {
    operation: CancelSubscription.operationId,
    keyLife: 'WEEK',
    find: () => readCancelable(store, companyId, params.id),
    decide: (found, at) => prepareCancellation({ ...context, at }, { ...body, idempotencyKey, createdBy }, found),
    idOf: ({ decision }) => decision.cancellation.id,
    change: (created, found, at) => cancellationChange(created, found, { companyId, ids, at, requestId }),
    response: async ({ decision: { subscription, cancellation, event }, firstCharge }) => {
      if (event !== undefined) countStatus('SUBSCRIPTION', subscription.status);
      if (firstCharge !== undefined) countStatus('PAY_IN', firstCharge.result.status);
      const current = { subscription, cancellations: [cancellation] };
      const command = { companyId, requestId, subscriptionId: subscription.id };
      const at = cancellation.createdAt;
      await submitInTime(async () => {
        const submitted = await submitCancellation({ ...context, at }, current, { again: false });
        if (submitted === 'ENDED') await beginSweep({ ...context, now }, subscription.id);
        return submitted;
      }, command);
      return { status: 201, body: cancellationView(cancellationAsCreated(cancellation)) };
    },
    replay: async (id) => {
      const found = await readSubscription(store, companyId, params.id, 'ALL');
      // The subscription exists: a key of a request for another one has another fingerprint, and is refused before.
      if (found === undefined) throw notFound('Subscription');
      const created = found.cancellations.find((cancellation) => cancellation.id === id);
      if (created === undefined)
        throw new Error('An idempotency key names a cancellation request that does not exist.');
      return { status: 201, body: cancellationView(cancellationAsCreated(created)), replayed: true };
    },
  });
};

export const handler = endpoint(CancelSubscription, cancelSubscription, receivingDependencies);
