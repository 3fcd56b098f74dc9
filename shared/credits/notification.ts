import { notificationJson } from '../contract/notification.ts';
import type { Credit, CreditReturn } from './model.ts';
import type { CreditNotification, CreditReturnNotification } from './notification-contract.ts';
import { creditEntryView, creditReturnView } from './view.ts';

/** The body of `CREDIT.RECEIVED`. */
export function creditNotification(credit: Credit): { event: string; body: string } {
  const event = 'CREDIT.RECEIVED';
  const occurredAt = credit.receivedAt;
  return {
    event,
    body: notificationJson<typeof CreditNotification>({ event, occurredAt, data: creditEntryView(credit) }),
  };
}

/** The event and status of a final return. */
export const notifiedReturnStatuses = { SETTLED: 'CREDIT.RETURNED', FAILED: 'CREDIT.RETURN_FAILED' } as const;

/** The body of `CREDIT.RETURNED` or `CREDIT.RETURN_FAILED`. @throws Error for a pending return */
export function creditReturnNotification(credit: Credit, returned: CreditReturn): { event: string; body: string } {
  if (returned.status === 'PENDING') throw new Error('A pending return has no notification.');
  const event = notifiedReturnStatuses[returned.status];
  const data = { credit: creditEntryView(credit), return: creditReturnView(returned) };
  return {
    event,
    body: notificationJson<typeof CreditReturnNotification>({ event, occurredAt: credit.updatedAt, data }),
  };
}
