import type * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { amountView, formatAmount } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import { payoutCreation } from '../payouts/contract.ts';
import type { BatchPayment, Payout, PayoutStatus, PayoutWithPayments } from '../payouts/model.ts';
import type { CertificatePayload, CertifiedOutcome, CertifiedPayment } from './contract.ts';
import { debitsOf } from './debits.ts';
import type { Certifying } from './issue.ts';
import { certificateVersion } from './issue.ts';
import { requestOf } from './request.ts';
import { submissionsOf } from './submissions.ts';

type Payload = z.output<typeof CertificatePayload>;

const outcomes: Readonly<Record<PayoutStatus, CertifiedOutcome>> = {
  PENDING: 'NOT_KNOWN',
  PAID: 'CARRIED_OUT',
  PARTIALLY_PAID: 'CARRIED_OUT_IN_PART',
  ERROR: 'NOT_CARRIED_OUT',
  CANCELED: 'NOT_CARRIED_OUT',
};

/**
 * Returns what is certified of a payout, from what is stored: only the bank's decision ends it. Reads the entries of
 * what was paid.
 */
export async function payoutCertificate(
  { store, realNow }: Pick<Certifying, 'store' | 'realNow'>,
  companyId: string,
  order: PayoutWithPayments,
): Promise<Payload> {
  const { payout, payments } = order;
  const parts = payments.length === 0 ? [payout] : payments;
  const paid = parts.filter(({ status }) => status === 'PAID');
  const [request, debits] = await Promise.all([
    requestOf(store, companyId, { operation: payoutCreation, resourceId: payout.id, ...requested(payout) }),
    debitsOf(store, {
      companyId,
      ...pick(payout, 'accountId', 'shard'),
      orderId: payout.id,
      booked: paid.map(({ updatedAt: at, amount }) => ({ at, amount })),
    }),
  ]);
  const begun = beginOf(payout);
  const outcome = outcomes[payout.status];
  return {
    version: certificateVersion,
    issuedAt: realNow(),
    kind: 'PAYOUT',
    ...pick(payout, 'id', 'externalId'),
    orderId: payout.id,
    ...pick(payout, 'accountId', 'paymentMethod'),
    amount: amountView(payout.amount),
    ...pick(payout, 'description'),
    request,
    payer: payout.ownerBank,
    receiver: payout.receiver,
    ...submissionsOf(isSentAtOnce(payout) ? [payout.createdAt] : [], payout, outcome),
    outcome,
    since: sinceOf(payout, begun),
    ...pick(payout, 'errorMessage'),
    ...(payments.length === 0 && pick(payout, 'endToEndId')),
    ...pick(payout, 'controlNumber'),
    ...(payments.length > 0 && { payments: payments.map((payment) => paymentOf(payment, begun)) }),
    debits: [...debits],
    ...(payout.returnedAmount !== undefined && { returnedAmount: amountView(payout.returnedAmount) }),
  };
}

function requested(payout: Payout) {
  return pick(payout, 'createdAt', 'createdBy', 'idempotencyKey');
}

/** Whether the request that created it was to submit it: not a TED outside its hours. */
function isSentAtOnce({ sendAt, createdAt, paymentMethod, controlNumber, dueSubmissions }: Payout): boolean {
  if (sendAt !== createdAt) return false;
  return paymentMethod === 'PIX' || controlNumber !== undefined || dueSubmissions !== undefined;
}

/** The first submission; of a TED that waits, its creation. */
function beginOf(payout: Payout): Instant {
  return isSentAtOnce(payout) ? payout.createdAt : (payout.dueSubmissions?.latest[0] ?? payout.createdAt);
}

function sinceOf(part: Payout | BatchPayment, begun: Instant): Instant {
  if (part.status === 'PENDING') return begun;
  return part.paidAt ?? part.updatedAt;
}

function paymentOf(payment: BatchPayment, begun: Instant): z.output<typeof CertifiedPayment> {
  return {
    sequence: payment.sequence,
    amount: formatAmount(payment.amount),
    outcome: outcomes[payment.status],
    since: sinceOf(payment, begun),
    ...pick(payment, 'endToEndId', 'errorMessage'),
  };
}
