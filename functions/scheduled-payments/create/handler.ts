import type { AnswerOf, RequestOf } from '#shared/contract/contract.ts';
import { eventsAtCreation } from '#shared/scheduled-payments/states.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { countStatus } from '#shared/platform/count-status.ts';
import { giveToBank } from '#shared/scheduled-payments/submit-in-time.ts';
import { chargeNotifications } from '#shared/scheduled-payments/transition.ts';
import { commit, untilCommitted } from '#shared/platform/commit.ts';
import { chargeInserts } from '#shared/scheduled-payments/store.ts';
import { acceptedCheck } from '#shared/subscriptions/store.ts';
import type { ChargeDependencies } from '#functions/banks.ts';
import { chargeDependencies } from '#functions/banks.ts';
import { scheduledPaymentView } from '#shared/scheduled-payments/view.ts';
import { CreateScheduledPayment } from './contract.ts';
import { findForSchedule } from './find-for-schedule.ts';
import { prepareScheduledPayment } from './prepare-scheduled-payment.ts';
import { presentPayment } from './present-payment.ts';

/**
 * Schedules a charge of a recurrence. A PUT is idempotent by its external id and has no key, so this creation finds and
 * answers what exists by itself (`presentPayment`). External id, cycle and the subscription's status are conditions of
 * the one transaction, so that of two requests at once one finds the other's.
 * @throws Refusal when the subscription is unknown or not accepted, the day or the amount is outside its terms or the
 * window, its cycle has a live charge, or the external id is another request's.
 */
export async function createScheduledPayment(
  request: RequestOf<typeof CreateScheduledPayment>,
  deps: ChargeDependencies,
): Promise<AnswerOf<typeof CreateScheduledPayment>> {
  const { caller, requestId, params, body } = request;
  const { companyId } = caller;
  const { store, ids, now, realNow, settings } = deps;
  const context = { store, ids, realNow, companyId, requestId };
  const startedMs = deps.elapsedMs();
  let hasConflicted = false;
  const made = await untilCommitted(async () => {
    const at = now();
    const found = await findForSchedule(store, request, { hasConflicted });
    if (found.existingId !== undefined) return { present: await presentPayment(store, request, found.existingId) };
    const { charge, cycleWrite } = prepareScheduledPayment(request, found, { at, ids, settings });
    const { payment } = charge;
    const committed = await commit(store, {
      companyId,
      at: realNow(),
      unique: { kind: 'SCHEDULED_PAYMENT', externalId: body.externalId, resourceId: payment.id },
      writes: [...chargeInserts(companyId, charge), cycleWrite, acceptedCheck(companyId, params.id)],
      notifications: chargeNotifications(context, charge, eventsAtCreation(payment), at),
    });
    hasConflicted = !committed.ok;
    return committed.ok ? { charge } : undefined;
  });
  if ('present' in made) return { status: 200, body: scheduledPaymentView(made.present) };
  const { payment } = made.charge;
  countStatus('SCHEDULED_PAYMENT', payment.status);
  await giveToBank({ ...context, now, bank: deps.bank }, made.charge, { fresh: 'SCHEDULE', startedMs, ...deps });
  return { status: 201, body: scheduledPaymentView(payment) };
}

export const handler = endpoint(CreateScheduledPayment, createScheduledPayment, chargeDependencies);
