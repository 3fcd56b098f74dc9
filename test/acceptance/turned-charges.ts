import type { Inbox } from '@banking-order/partner-tools';
import { ForceScheduledPaymentStatus } from '#functions/order-tools/force-scheduled-payment-status/contract.ts';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { CreateScheduledPayment } from '#functions/scheduled-payments/create/contract.ts';
import { ListScheduledPayments } from '#functions/scheduled-payments/list/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import type { LocalDate } from '#shared/core/brasilia-time.ts';
import type { simulatedChargeTriggers } from '#shared/sandbox/charge-events.ts';
import { activeAccount, turned } from './partners.ts';
import { journey2, scheduledPayment } from './samples.ts';

/* Subscriptions and charges of the company whose clock is turned. */

type Trigger = (typeof simulatedChargeTriggers)[number];

/** Makes a subscription that its payer authorizes. @returns Its id. */
export async function subscription(startDate: LocalDate, events: Inbox): Promise<string> {
  const { id: accountId } = activeAccount(turned);
  const body = journey2(accountId, { startDate, webhookUrl: events.url, allowChargeAfterDueDate: true });
  const { id } = (await turned.call(CreateSubscription, { body })).body;
  await turned.call(ForceSubscriptionStatus, { body: { id, status: 'ACCEPTED' } });
  return id;
}

/** Schedules a charge of a subscription. */
export async function schedule(id: string, changes: Parameters<typeof scheduledPayment>[0]) {
  return (await turned.call(CreateScheduledPayment, { params: { id }, body: scheduledPayment(changes) })).body;
}

/** Leads a charge through statuses. */
export async function force(id: string, ...statuses: readonly Trigger[]): Promise<void> {
  for (const status of statuses) await turned.call(ForceScheduledPaymentStatus, { body: { id, status } });
}

/** Lists the charges of a subscription. */
export async function listCharges(id: string) {
  return (await turned.call(ListScheduledPayments, { params: { id }, query: { limit: '100' } })).body.data;
}
