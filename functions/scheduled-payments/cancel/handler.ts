import type { Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { countStatus } from '#shared/platform/commit-transition.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import { submitInTime, timeForBank } from '#shared/bank/submit-in-time.ts';
import { requestChargeCancellation } from '#shared/scheduled-payments/cancel.ts';
import {
  cancellationRequestInsert,
  chargeKeys,
  parseCharge,
  readCancellationRequest,
} from '#shared/scheduled-payments/store.ts';
import { submitCharge } from '#shared/scheduled-payments/submit.ts';
import { decisionChange } from '#shared/scheduled-payments/transition.ts';
import { createdChargeCancellationView } from '#shared/scheduled-payments/view.ts';
import type { ChargeDependencies } from '#functions/banks.ts';
import { chargeDependencies } from '#functions/banks.ts';
import { CancelScheduledPayment } from './contract.ts';

/** Requests the cancellation of a payment; the bank gets it after the commit. @throws RequestError 404, 409 */
export const cancelScheduledPayment: Operation<typeof CancelScheduledPayment, ChargeDependencies> = async (
  request,
  deps,
) => {
  const { caller, requestId, params, body } = request;
  const { companyId, clientId: createdBy } = caller;
  const { store, ids, now, realNow, bank } = deps;
  const { paymentId } = params;
  const { reason = 'REQUESTED_BY_RECEIVER' } = body;
  const remainingMs = timeForBank(deps.elapsedMs);
  const context = { store, ids, companyId, requestId, now, realNow, bank, remainingMs };
  return createOnce(deps, request, {
    operation: CancelScheduledPayment.operationId,
    keyLife: 'WEEK',
    find: (read) => read(chargeKeys(companyId, paymentId)),
    decide: ([item, terms], at) => {
      const charge = parseCharge(item, terms);
      if (charge?.payment.subscriptionId !== params.id) throw notFound('Scheduled payment');
      return { charge, ...requestChargeCancellation(charge, { id: ids.uuid(), reason, at, createdBy }) };
    },
    idOf: ({ cancellation }) => cancellation.id,
    change: ({ charge, cancellation, ...decision }, _found, at) => {
      const { writes, notifications } = decisionChange(context, charge, decision, at);
      return { writes: [...writes, cancellationRequestInsert(companyId, paymentId, cancellation)], notifications };
    },
    response: async ({ charge: { payment: before, terms }, payment, cancellation }) => {
      if (payment.status !== before.status) countStatus('SCHEDULED_PAYMENT', payment.status);
      await submitInTime(() => submitCharge(context, { payment, terms }, 'CANCEL'), {
        companyId,
        requestId,
        paymentId,
      });
      return { status: 201, body: createdChargeCancellationView(cancellation) };
    },
    replay: async (id) => {
      const cancellation = await readCancellationRequest(store, companyId, { paymentId, id });
      return { status: 201, body: createdChargeCancellationView(cancellation), replayed: true };
    },
  });
};

export const handler = endpoint(CancelScheduledPayment, cancelScheduledPayment, chargeDependencies);
