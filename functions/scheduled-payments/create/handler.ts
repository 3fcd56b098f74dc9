import type { Operation } from '#shared/contract/contract.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { commitTransition } from '#shared/platform/commit-transition.ts';
import { submitInTime, timeForBank } from '#shared/bank/submit-in-time.ts';
import { findForSchedule, prepareScheduledPayment, readExistingPayment } from '#shared/scheduled-payments/create.ts';
import type { ScheduledCharge, ScheduledPayment } from '#shared/scheduled-payments/model.ts';
import { chargeNotifications } from '#shared/scheduled-payments/notification.ts';
import { eventsAtCreation } from '#shared/scheduled-payments/states.ts';
import { chargeInserts } from '#shared/scheduled-payments/store.ts';
import { submitCharge } from '#shared/scheduled-payments/submit.ts';
import { createdScheduledPaymentView } from '#shared/scheduled-payments/view.ts';
import { acceptedCheck } from '#shared/subscriptions/store.ts';
import type { ChargeDependencies } from '#functions/banks.ts';
import { chargeDependencies } from '#functions/banks.ts';
import { CreateScheduledPayment } from './contract.ts';

type Creation = { readonly existing: ScheduledPayment } | { readonly charge: ScheduledCharge };

/**
 * Schedules a payment of a subscription. The PUT is idempotent by its external id, without an idempotency key. External
 * id, cycle and the subscription's status are conditions of one transaction: if two requests are concurrent, the second
 * one reads the payment of the first.
 * @throws RequestError 404; 400 day or amount; 409 subscription not accepted, cycle charged, external id of another
 * request.
 */
export const createScheduledPayment: Operation<typeof CreateScheduledPayment, ChargeDependencies> = async (
  { caller, requestId, fingerprint, params, body },
  deps,
) => {
  const { companyId, clientId: createdBy } = caller;
  const { store, ids, now, realNow, settings, bank } = deps;
  const request = { companyId, subscriptionId: params.id, fingerprint, createdBy, input: body };
  const remainingMs = timeForBank(deps.elapsedMs);
  const context = { store, ids, now, realNow, bank, companyId, requestId, remainingMs };
  let hasConflicted = false;
  const read = async () => {
    const basis = await findForSchedule(store, request, { hasConflicted });
    hasConflicted = true;
    return basis;
  };
  const creation = await commitTransition<Awaited<ReturnType<typeof read>>, Creation>(context, read, async (basis) => {
    const { existingId } = basis;
    if (existingId !== undefined)
      return { unchanged: { existing: await readExistingPayment(store, request, existingId) } };
    const at = now();
    const { charge, cycleWrite } = await prepareScheduledPayment(request, basis, { at, ids, settings, bank });
    const { payment, terms } = charge;
    return {
      unique: { kind: 'SCHEDULED_PAYMENT', externalId: body.externalId, resourceId: payment.id },
      writes: [...chargeInserts(companyId, charge), cycleWrite, acceptedCheck(companyId, params.id)],
      notifications: chargeNotifications(eventsAtCreation(payment), terms, { ids, requestId, at }),
      reached: [['SCHEDULED_PAYMENT', payment.status]],
      result: { charge },
    };
  });
  if ('existing' in creation) return { status: 200, body: createdScheduledPaymentView(creation.existing) };
  const { charge } = creation;
  const command = { companyId, requestId, paymentId: charge.payment.id };
  await submitInTime(() => submitCharge(context, charge, 'SCHEDULE'), command);
  return { status: 201, body: createdScheduledPaymentView(charge.payment) };
};

export const handler = endpoint(CreateScheduledPayment, createScheduledPayment, chargeDependencies);
