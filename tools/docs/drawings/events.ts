import type { Resource } from '#functions/transitions.ts';
import { notifiedReturnStatuses } from '#shared/credits/notification.ts';
import { disputeEvents } from '#shared/disputes/notification-contract.ts';
import { notifiedPayInStatuses } from '#shared/pay-ins/model.ts';
import { notifiedPayoutStatuses } from '#shared/payouts/model.ts';
import { notifiedRefundStatuses } from '#shared/refunds/model.ts';
import { chargeCancellationEvents, scheduledPaymentEvents } from '#shared/scheduled-payments/states.ts';
import { subscriptionEvents } from '#shared/subscriptions/states.ts';

type Move = { readonly trigger: string; readonly to: string };

/** Spells a trigger as events do: `CANCELLATION_REJECTED` as `CANCELLATION.REJECTED`. */
const spelled = (trigger: string): string => trigger.replace('CANCELLATION_', 'CANCELLATION.');

const known = (events: readonly string[], name: string): string | undefined => events.find((event) => event === name);

/** The notification of a transition, by resource; undefined where there is none. */
const events: Readonly<Record<Resource, (move: Move) => string | undefined>> = {
  PAY_IN: ({ to }) => notifiedPayInStatuses.map((status) => `ORDER-PAYIN.${status}`).find((name) => name.endsWith(to)),
  PAYOUT: ({ to }) =>
    notifiedPayoutStatuses.map((status) => `ORDER-PAYOUT.${status}`).find((name) => name.endsWith(to)),
  REFUND: ({ to }) => Object.entries(notifiedRefundStatuses).find(([status]) => status === to)?.[1].event,
  SUBSCRIPTION: ({ trigger }) => known(subscriptionEvents, `SUBSCRIPTION.${spelled(trigger)}`),
  SCHEDULED_PAYMENT: ({ trigger, to }) => {
    const prefix = 'SUBSCRIPTION.SCHEDULED_PAYMENT';
    if (to.startsWith('CANCELED')) return known(chargeCancellationEvents, `${prefix}.CANCELLATION.ACCEPTED`);
    return (
      known(chargeCancellationEvents, `${prefix}.${spelled(trigger)}`) ??
      known(scheduledPaymentEvents, `${prefix}.${to}`)
    );
  },
  CREDIT: () => undefined,
  CREDIT_RETURN: ({ to }) => Object.entries(notifiedReturnStatuses).find(([status]) => status === to)?.[1],
  DISPUTE: ({ to }) => known(disputeEvents, `DISPUTE.${to}`),
  KEY_VALIDATION: () => undefined,
};

/** Returns the event of the notification that a partner gets of a transition; undefined without a notification. */
export function eventOf(resource: Resource, move: Move): string | undefined {
  return events[resource](move);
}
