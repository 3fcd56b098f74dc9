import type { AnswerOf, RequestOf } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { previewDeliveries } from '#shared/webhooks/delivery-preview.ts';
import { moveScheduledPayment } from '#shared/scheduled-payments/transition.ts';
import { untilCommitted } from '#shared/platform/commit.ts';
import { readCharge } from '#shared/scheduled-payments/store.ts';
import { simulatedChargeFacts } from '#shared/sandbox/charge-events.ts';
import type { ChargeDependencies } from '#shared/bank-wiring/charge-dependencies.ts';
import { chargeDependencies } from '#shared/bank-wiring/charge-dependencies.ts';
import { ForceScheduledPaymentStatus } from './contract.ts';

/**
 * Moves a scheduled payment as the payer's bank would (4.9).
 * @throws Refusal when the company has no such payment or section 3 does not allow the move.
 */
export async function forceScheduledPaymentStatus(
  { caller, requestId, body }: RequestOf<typeof ForceScheduledPaymentStatus>,
  { store, ids, now, realNow, bank }: ChargeDependencies,
): Promise<AnswerOf<typeof ForceScheduledPaymentStatus>> {
  const { companyId } = caller;
  const { id } = body;
  const { whoResends } = bank.recurringCharges;
  return untilCommitted(async () => {
    const charge = await readCharge(store, companyId, id);
    if (charge === undefined) throw notFound('Scheduled payment');
    const { description: text } = charge.payment;
    const facts = simulatedChargeFacts(body.status, { ids, at: now(), whoResends, description: text });
    const context = { store, ids, realNow, companyId, requestId };
    const { committed, moved, notifications } = await moveScheduledPayment(context, charge, facts);
    if (!committed.ok && committed.because === 'BALANCE') throw committed.refusal;
    if (!committed.ok) return undefined;
    const owed = moved.payment.resendOwed === undefined ? '' : ' It will be sent again within a minute or so.';
    const change = `status ${charge.payment.status} → ${moved.payment.status}`;
    const preview = await previewDeliveries(context, notifications);
    const description = `Scheduled payment ${id}: ${body.status} applied; ${change}.${owed} ${preview}`;
    return { status: 200, body: { id, description } };
  });
}

export const handler = endpoint(ForceScheduledPaymentStatus, forceScheduledPaymentStatus, chargeDependencies);
