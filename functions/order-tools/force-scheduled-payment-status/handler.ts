import type { Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { moveChargeAtBank } from '#shared/sandbox/bank-tools.ts';
import { requireMovable } from '#shared/sandbox/simulated-bank.ts';
import { resenderOf } from '#shared/bank/capabilities.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { previewDeliveries } from '#shared/webhooks/delivery-preview.ts';
import { commitTransition } from '#shared/platform/commit-transition.ts';
import { readCharge } from '#shared/scheduled-payments/store.ts';
import { scheduledPaymentTransition } from '#shared/scheduled-payments/transition.ts';
import { simulatedChargeEvent } from '#shared/sandbox/charge-events.ts';
import type { ChargeDependencies } from '#functions/banks.ts';
import { chargeDependencies } from '#functions/banks.ts';
import { ForceScheduledPaymentStatus } from './contract.ts';

/**
 * Changes the status of a scheduled payment as the payer's bank would (4.9).
 * @throws RequestError 404; for a transition that section 3 does not allow
 */
export const forceScheduledPaymentStatus: Operation<typeof ForceScheduledPaymentStatus, ChargeDependencies> = async (
  { caller, requestId, body },
  { store, ids, now, realNow, bank },
) => {
  const { companyId } = caller;
  const { id } = body;
  const read = () => readCharge(store, companyId, id);
  const { connection } = (await read())?.terms ?? {};
  if ((await requireMovable(bank, companyId, connection)) === 'tools' && connection !== undefined) {
    const description = await moveChargeAtBank({ store, companyId, connection }, body);
    return { status: 200, body: { id, description } };
  }
  const resentBy = resenderOf(await bank.capabilities(companyId, connection));
  const context = { store, ids, realNow, companyId, requestId };
  const { before, after, notifications } = await commitTransition(context, read, (charge) => {
    if (charge === undefined) throw notFound('Scheduled payment');
    const { payment } = charge;
    const { description } = payment;
    const event = simulatedChargeEvent(body.status, { ids, at: now(), resentBy, description });
    const transition = scheduledPaymentTransition(context, charge, event);
    const payments = { before: payment, after: transition.result.payment };
    return { ...transition, result: { ...payments, notifications: transition.notifications ?? [] } };
  });
  const retry = after.scheduledRetry === undefined ? '' : ' It will be sent again within a minute or so.';
  const change = `status ${before.status} → ${after.status}`;
  const preview = await previewDeliveries(context, notifications);
  const description = `Scheduled payment ${id}: ${body.status} applied; ${change}.${retry} ${preview}`;
  return { status: 200, body: { id, description } };
};

export const handler = endpoint(ForceScheduledPaymentStatus, forceScheduledPaymentStatus, chargeDependencies);
