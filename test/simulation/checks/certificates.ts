import type { CertifiedOutcome } from '#shared/certificates/contract.ts';
import { payoutCertificate } from '#shared/certificates/payout.ts';
import { refundCertificate } from '#shared/certificates/refund.ts';
import type { PayoutStatus } from '#shared/payouts/model.ts';
import { parsePayout, readPayout } from '#shared/payouts/store.ts';
import { parseLedgerEntry } from '#shared/platform/ledger/ledger.ts';
import type { Item, Store } from '#shared/platform/table/store.ts';
import type { RefundStatus } from '#shared/refunds/model.ts';
import { parseRefund, readPayInWithRefunds } from '#shared/refunds/store.ts';
import type { Finding } from '../world/history.ts';

/** What each status of a payout and of a refund is called. */
const outcomes: Readonly<Record<PayoutStatus | RefundStatus, CertifiedOutcome>> = {
  ...{ PENDING: 'NOT_KNOWN', PAID: 'CARRIED_OUT', PARTIALLY_PAID: 'CARRIED_OUT_IN_PART', SETTLED: 'CARRIED_OUT' },
  ...{ ERROR: 'NOT_CARRIED_OUT', CANCELED: 'NOT_CARRIED_OUT', FAILED: 'NOT_CARRIED_OUT' },
};
const debitKinds: ReadonlySet<string> = new Set(['PAYOUT_PAID', 'PAYOUT_MOVED', 'REFUND_SETTLED', 'REFUND']);

type Certified = Awaited<ReturnType<typeof payoutCertificate>>;
/** A payment as its own item has it. */
type Payment = {
  readonly id: string;
  readonly outcome: CertifiedOutcome;
  readonly certificate: () => Promise<Certified>;
};

/**
 * When all is quiet, each payout and each refund of a company has a certificate with its outcome, with exactly the
 * entries that took its money, and no end-to-end id is in two of them.
 */
export async function checkCertificates(
  finding: Finding,
  store: Store,
  companyId: string,
  own: readonly Item[],
): Promise<void> {
  const entries = own.filter(({ entity }) => entity === 'LEDGER_ENTRY').map(parseLedgerEntry);
  const debits = entries.filter(({ kind }) => debitKinds.has(kind));
  const byPayment = Map.groupBy(debits, ({ orderId, refundId = orderId }) => refundId ?? '');
  const holders = new Map<string, string>();
  for (const item of own) {
    const payment = paymentOf(store, companyId, item);
    if (payment === undefined) continue;
    const { id, outcome } = payment;
    const report = (text: string): void => {
      finding('a certificate says what order and entries say', `${id}: ${text}`, [id]);
    };
    const certified = await payment.certificate().catch((error: unknown) => String(error));
    if (typeof certified === 'string') {
      report(certified);
      continue;
    }
    if (certified.outcome !== outcome) report(`${certified.outcome}, and not ${outcome}`);
    const [shown, booked] = [certified.debits, byPayment.get(id) ?? []].map((some) =>
      some.map((entry) => entry.id).toSorted(),
    );
    if (shown?.join() !== booked?.join()) report(`its debits are ${shown?.join()}, and not ${booked?.join()}`);
    if (certified.submissions.length > certified.submissionsCount) report('more submissions than it counts');
    for (const { outcome: ofPart, endToEndId } of certified.payments ?? [certified]) {
      if (ofPart !== 'CARRIED_OUT' || endToEndId === undefined) continue;
      if (holders.has(endToEndId)) report(`${endToEndId} is in the certificate of ${holders.get(endToEndId)}, too`);
      holders.set(endToEndId, id);
    }
  }
}

function paymentOf(store: Store, companyId: string, item: Item): Payment | undefined {
  const reading = { store, realNow: () => '2099-01-01T00:00:00.000Z' };
  if (item['entity'] === 'PAYOUT') {
    const { id, status } = parsePayout(item);
    const certificate = async () => {
      const order = await readPayout(store, companyId, id);
      if (order === undefined) throw new Error('Payout not found.');
      return payoutCertificate(reading, companyId, order);
    };
    return { id, outcome: outcomes[status], certificate };
  }
  if (item['entity'] !== 'REFUND') return undefined;
  const refund = parseRefund(item);
  const certificate = async () => {
    const order = await readPayInWithRefunds(store, companyId, refund.orderId);
    if (order === undefined) throw new Error('Pay-in not found.');
    return refundCertificate(reading, companyId, { payIn: order.payIn, refund });
  };
  return { id: refund.id, outcome: outcomes[refund.status], certificate };
}
