import type { Operation, RequestOf } from '#shared/contract/contract.ts';
import { readClaimsSoon } from '#shared/bank-events/list-readings.ts';
import { decideDispute, openDispute } from '#shared/bank-events/disputes.ts';
import { forbiddenByState, notFound } from '#shared/core/errors.ts';
import { formatAmount } from '#shared/core/money.ts';
import { pick } from '#shared/core/pick.ts';
import { requireCredit } from '#shared/credits/store.ts';
import type { Dispute } from '#shared/disputes/model.ts';
import { requireDispute } from '#shared/disputes/store.ts';
import { readPayIn } from '#shared/pay-ins/store.ts';
import type { TransitionContext } from '#shared/platform/commit-transition.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { claimAtBank, decideClaimAtBank } from '#shared/sandbox/bank-tools.ts';
import { simulatedClaim } from '#shared/sandbox/order-events.ts';
import { requireMovable } from '#shared/sandbox/simulated-bank.ts';
import { previewDeliveries } from '#shared/webhooks/delivery-preview.ts';
import type { CapabilityDependencies } from '#functions/banks.ts';
import { capabilityDependencies } from '#functions/banks.ts';
import { ForceDisputeStatus } from './contract.ts';

type Body = RequestOf<typeof ForceDisputeStatus>['body'];

/**
 * Opens a dispute of a payment, or moves one, as the payer's bank would.
 * @throws RequestError 404; 409 for a payment that is in a dispute or not paid, for a status that cannot follow, for
 * more than is left, and for a company whose bank moves it
 */
export const forceDisputeStatus: Operation<typeof ForceDisputeStatus, CapabilityDependencies> = async (
  { caller: { companyId }, requestId, body },
  { store, ids, now, realNow, bank },
) => {
  const context = { store, ids, at: now(), realNow, companyId, requestId };
  const { connection, disputeId, endToEndId } = await paymentOf(context, body);
  if ((await requireMovable(bank, companyId, connection)) === 'tools' && connection !== undefined) {
    const said = await changeAtBank({ store, companyId, connection }, body, { disputeId, endToEndId });
    await readClaimsSoon(store, { companyId, connection, at: context.at, realAt: realNow() });
    return { status: 200, body: said };
  }
  const { dispute, notifications } = await change(context, body, disputeId);
  const { id, status, amount, blockedAmount, returnedAmount } = dispute;
  const money =
    status === 'ACCEPTED'
      ? `${formatAmount(returnedAmount)} of ${formatAmount(amount)} went back`
      : `${formatAmount(blockedAmount)} of ${formatAmount(amount)} blocked`;
  const preview = await previewDeliveries(context, notifications);
  return { status: 200, body: { id, description: `Dispute ${id}: ${status}, ${money}. ${preview}` } };
};

/** Acts at a bank on this machine, which decides what becomes of it. @throws RequestError 409 */
async function changeAtBank(
  where: Parameters<typeof claimAtBank>[0],
  { status, amount, kind = 'FRAUD' }: Body,
  { disputeId, endToEndId }: Named,
): Promise<{ id: string; description: string }> {
  const given = pick({ amount }, 'amount');
  if (status === 'OPEN') {
    if (endToEndId === undefined)
      throw forbiddenByState('status', 'TRANSITION_NOT_ALLOWED', 'Only a payment that was made can be claimed back.');
    const description = await claimAtBank(where, { endToEndId, kind, ...given });
    return { id: endToEndId, description };
  }
  const id = requireDisputed(disputeId);
  return { id, description: await decideClaimAtBank(where, { id, status, ...given }) };
}

/** @throws RequestError 409 for a payment without an open dispute */
function requireDisputed(disputeId: string | undefined): string {
  if (disputeId !== undefined) return disputeId;
  throw forbiddenByState('status', 'TRANSITION_NOT_ALLOWED', 'The payment is in no open dispute.');
}

function change(context: TransitionContext, { status, amount, kind, ...of }: Body, disputeId: string | undefined) {
  if (status === 'OPEN') {
    const claim = { ...simulatedClaim(context.at, kind), ...pick({ amount }, 'amount') };
    return openDispute(context, pick(of, 'orderId', 'creditId'), claim);
  }
  const id = requireDisputed(disputeId);
  const event = status === 'ACCEPTED' ? { outcome: status, ...pick({ amount }, 'amount') } : { outcome: status };
  return decideDispute(context, id, event);
}

type Named = { readonly disputeId?: string | undefined; readonly endToEndId?: string | undefined };

/** The connection, the dispute and the payment of what a request names. @throws RequestError 404 */
async function paymentOf(
  { store, companyId }: TransitionContext,
  { id, orderId, creditId }: Body,
): Promise<Pick<Dispute, 'connection'> & Named> {
  if (id !== undefined) {
    const { dispute } = await requireDispute(store, companyId, id);
    return { ...pick(dispute, 'connection', 'endToEndId'), disputeId: dispute.id };
  }
  if (creditId !== undefined) {
    const { credit } = await requireCredit(store, companyId, creditId);
    return pick(credit, 'connection', 'disputeId', 'endToEndId');
  }
  const payIn = orderId === undefined ? undefined : await readPayIn(store, companyId, orderId);
  if (payIn === undefined) throw notFound('Pay-in');
  return pick(payIn, 'connection', 'disputeId', 'endToEndId');
}

export const handler = endpoint(ForceDisputeStatus, forceDisputeStatus, capabilityDependencies);
