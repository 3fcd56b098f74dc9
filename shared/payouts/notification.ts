import type { notifiedPayoutStatuses, PayoutWithPayments } from './model.ts';
import { batchTotals } from './model.ts';
import type { PayoutNotification } from './notification-contract.ts';
import { notificationJson } from '../contract/notification.ts';
import { amountView } from '../core/money.ts';
import { batchTotalsView } from './view.ts';

type NotifiedStatus = (typeof notifiedPayoutStatuses)[number];

const messages: Readonly<Record<NotifiedStatus, string>> = {
  PAID: 'The payout was paid.',
  CANCELED: 'The payout was canceled; its amount is back in the account.',
  ERROR: 'The payout failed; its amount is back in the account.',
};

/**
 * Returns event and body of `ORDER-PAYOUT.*` (6.4) for a final payout. A batch has its totals. A batch that was paid in
 * part is an `ERROR`, and `message` and `batch` say how much was paid.
 * @throws Error for a payout that is still pending
 */
export function payoutNotification({ payout, payments }: PayoutWithPayments): { event: string; body: string } {
  const status = notifiedStatus(payout.status);
  const event = `ORDER-PAYOUT.${status}` as const;
  const body = notificationJson<typeof PayoutNotification>({
    id: payout.id,
    code: payout.externalId,
    event,
    status,
    paidAt: payout.paidAt ?? null,
    updatedAt: payout.updatedAt,
    endToEndId: payout.endToEndId ?? null,
    controlNumber: payout.controlNumber ?? null,
    type: 'PAY-OUT',
    message: payout.errorMessage ?? messages[status],
    description: payout.description,
    amount: amountView(payout.amount),
    ownerBank: payout.ownerBank,
    receiver: payout.receiver,
    batch: payments.length > 0 ? { id: payout.id, ...batchTotalsView(batchTotals(payments)) } : undefined,
  });
  return { event, body };
}

function notifiedStatus(status: PayoutWithPayments['payout']['status']): NotifiedStatus {
  switch (status) {
    case 'PAID':
    case 'CANCELED':
    case 'ERROR':
      return status;
    case 'PARTIALLY_PAID':
      return 'ERROR';
    case 'PENDING':
      throw new Error('A pending payout has no notification.');
  }
}
