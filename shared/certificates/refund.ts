import type * as z from 'zod';
import { amountView } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import type { PayIn } from '../pay-ins/model.ts';
import { refundRequest } from '../refunds/contract.ts';
import type { Refund, RefundStatus } from '../refunds/model.ts';
import { readRefundOrder } from '../refunds/store.ts';
import type { CertificatePayload, CertifiedOutcome } from './contract.ts';
import { debitsOf } from './debits.ts';
import type { Certifying } from './issue.ts';
import { certificateVersion } from './issue.ts';
import { requestOf } from './request.ts';
import { submissionsOf } from './submissions.ts';

const outcomes: Readonly<Record<RefundStatus, CertifiedOutcome>> = {
  PENDING: 'NOT_KNOWN',
  SETTLED: 'CARRIED_OUT',
  FAILED: 'NOT_CARRIED_OUT',
};

/**
 * Returns what is certified of a refund, from what is stored: only the bank's decision ends it. Reads the entry of what
 * was refunded. A return that the bank made by itself has neither client nor submission.
 */
export async function refundCertificate(
  { store, realNow }: Pick<Certifying, 'store' | 'realNow'>,
  companyId: string,
  { payIn, refund }: { readonly payIn: PayIn; readonly refund: Refund },
): Promise<z.output<typeof CertificatePayload>> {
  const { id, orderId, amount, status, createdAt, decidedAt = createdAt, settledAt = decidedAt } = refund;
  const { accountId } = payIn;
  const asked = await readRefundOrder(store, companyId, id);
  const [request, debits] = await Promise.all([
    requestOf(store, companyId, {
      operation: refundRequest,
      resourceId: id,
      ...pick(refund, 'createdAt', 'createdBy'),
      ...(asked && pick(asked, 'idempotencyKey')),
    }),
    debitsOf(store, {
      companyId,
      accountId,
      orderId,
      refundId: id,
      booked: status === 'SETTLED' ? [{ at: decidedAt, amount }] : [],
    }),
  ]);
  const outcome = outcomes[status];
  return {
    version: certificateVersion,
    issuedAt: realNow(),
    kind: 'REFUND',
    id,
    ...pick(payIn, 'externalId'),
    orderId,
    accountId,
    paymentMethod: 'PIX',
    amount: amountView(amount),
    ...pick(refund, 'description'),
    request,
    payer: payIn.ownerBank,
    receiver: payIn.payer,
    ...submissionsOf(asked === undefined ? [] : [createdAt], refund, outcome),
    outcome,
    since: status === 'SETTLED' ? settledAt : decidedAt,
    ...pick(refund, 'errorMessage', 'endToEndId'),
    debits: [...debits],
  };
}
