import type { Instant } from '#shared/core/brasilia-time.ts';
import type { ResponseBody, Ask } from '../protocol.ts';
import { t } from './language.ts';
import { showChange, showDate, showDecimal } from './format.ts';
import { settlingOf } from './requests.ts';

const kinds = ['status', 'payment', 'cancellation', 'refund', 'return', 'ledger', 'delivery'] as const;
type Kind = (typeof kinds)[number];

/** An event, and the request that reads or caused it. */
export type Step = {
  readonly at: Instant;
  readonly kind: Kind;
  readonly title: string;
  readonly status?: string;
  readonly detail?: string;
  /** Parts of the address of its own screen. */
  readonly link?: readonly string[];
  readonly asked: Ask;
};

type PayIn = ResponseBody<'getPayIn'>;
type Subscription = ResponseBody<'getSubscription'>;
type Payment = ResponseBody<'getScheduledPayment'>;
type Refund = ResponseBody<'listRefunds'>['data'][number];
type Entry = ResponseBody<'listEntries'>['data'][number];
type Payout = ResponseBody<'getPayout'>;
type Credit = ResponseBody<'getCredit'>;
type Dispute = ResponseBody<'getDispute'>;
export type Delivery = ResponseBody<'getWebhookDelivery'>;

/** Returns all steps in order of time; at the same instant, causes come before effects. */
export function mergeSteps(...parts: readonly (readonly Step[])[]): readonly Step[] {
  return parts
    .flat()
    .toSorted((a, b) => (a.at === b.at ? kinds.indexOf(a.kind) - kinds.indexOf(b.kind) : a.at < b.at ? -1 : 1));
}

export function payInSteps(payIn: PayIn, title = t().titles.payIn): readonly Step[] {
  const { id, createdAt, paidAt, refundedAt, canceledAt, expiredAt, status, errorMessage, amount } = payIn;
  const asked: Ask = { operation: 'getPayIn', params: { id } };
  const times: Readonly<Record<string, Instant | undefined>> = {
    PENDING: createdAt,
    PAID: paidAt,
    REFUNDED: refundedAt,
    CANCELED: canceledAt,
    EXPIRED: expiredAt,
    ...(status === 'ERROR' && { ERROR: createdAt }),
  };
  const forced = (to: string): Ask => ({ operation: 'forceOrderStatus', body: { id, status: to } });
  return Object.entries(times).flatMap(([to, at]): readonly Step[] => {
    if (at === undefined) return [];
    const detail = to === 'ERROR' ? errorMessage : showDecimal(amount.value);
    const first = to === 'PENDING' || to === 'ERROR';
    const step = { at, kind: 'status', title, status: to, link: ['pay-ins', id] } as const;
    return [{ ...step, asked: first ? asked : forced(to), ...(detail !== undefined && { detail }) }];
  });
}

export function payoutSteps(payout: Payout): readonly Step[] {
  const { id, createdAt, updatedAt, status, amount, errorMessage } = payout;
  const step = (at: Instant, to: string, asked: Ask, detail: string): Step => ({
    at,
    kind: 'status',
    title: t().titles.payout,
    status: to,
    asked,
    detail,
  });
  const created = step(createdAt, 'PENDING', { operation: 'getPayout', params: { id } }, showDecimal(amount));
  if (status === 'PENDING') return [created];
  const forced: Ask = { operation: 'forceOrderStatus', body: { id, status } };
  return [created, step(updatedAt, status, forced, errorMessage ?? showDecimal(amount))];
}

export function subscriptionSteps({ id, statusHistory, cancellations }: Subscription): readonly Step[] {
  const read: Ask = { operation: 'getSubscription', params: { id } };
  return [
    ...statusHistory.map(({ status, createdAt: at }): Step => {
      const forced: Ask = { operation: 'forceSubscriptionStatus', body: { id, status } };
      const byBank = status === 'ACCEPTED' || status === 'REJECTED' || status === 'CANCELED';
      return { at, kind: 'status', title: t().titles.subscription, status, asked: byBank ? forced : read };
    }),
    ...cancellations.flatMap(({ reason, statusHistory: history }) =>
      history.map(({ status, createdAt: at }): Step => {
        const asked: Ask = { operation: 'cancelSubscription', params: { id }, body: { reason } };
        return { at, kind: 'cancellation', title: t().titles.cancellation, status, detail: reason, asked };
      }),
    ),
  ];
}

export function paymentSteps(payment: Payment): readonly Step[] {
  const { id, subscriptionId, externalId, dueDate, statusHistory, amount, cancellation } = payment;
  const link = ['subscriptions', subscriptionId, 'payments', id];
  const title = t().timeline.paymentDue(showDate(dueDate));
  const created: Ask = {
    operation: 'createScheduledPayment',
    params: { id: subscriptionId },
    body: { externalId, dueDate, amount },
  };
  const steps = statusHistory.map(({ status, createdAt: at }): Step => {
    const asked: Ask =
      status === 'INITIAL' || status === 'PENDING'
        ? created
        : { operation: 'forceScheduledPaymentStatus', body: { id, status } };
    return { at, kind: 'payment', title, status, detail: showDecimal(amount.value), link, asked };
  });
  if (cancellation === undefined) return steps;
  const params = { id: subscriptionId, paymentId: id };
  const asked: Ask = { operation: 'cancelScheduledPayment', params, body: {} };
  const { canceledAt: at, status, reason: detail } = cancellation;
  const ofCancellation = {
    kind: 'cancellation',
    title: t().timeline.cancellationOfDue(showDate(dueDate)),
  } as const;
  return [...steps, { ...ofCancellation, at, status, detail, link, asked }];
}

export function refundSteps(refunds: readonly Refund[]): readonly Step[] {
  return refunds.map(({ orderId, createdAt: at, status, amount, errorMessage }) => ({
    at,
    kind: 'refund',
    title: t().titles.refund,
    status,
    detail: errorMessage ?? showDecimal(amount.value),
    link: ['pay-ins', orderId],
    asked: { operation: 'refundPayIn', params: { id: orderId }, body: {} },
  }));
}

export function creditSteps(credit: Credit): readonly Step[] {
  const { id, amount, receivedAt, updatedAt, status, orderId, returns } = credit;
  const params = { id };
  const read: Ask = { operation: 'getCredit', params };
  const link = ['credits', id];
  const own = { kind: 'status', title: t().titles.credit, detail: showDecimal(amount.value), link } as const;
  const last = returns.find((returned) => returned.status === 'SETTLED');
  const ended: Ask =
    status === 'ASSIGNED'
      ? { operation: 'assignCredit', params, body: { orderId } }
      : last === undefined
        ? read
        : settlingOf(last.returnId);
  return [
    { ...own, at: receivedAt, status: 'OPEN', asked: read },
    ...(status === 'OPEN' ? [] : [{ ...own, at: updatedAt, status, asked: ended }]),
    ...returns.map((returned): Step => {
      const { createdAt: at, status: reached, errorMessage } = returned;
      const detail = errorMessage ?? showDecimal(returned.amount.value);
      const asked: Ask = { operation: 'returnCredit', params, body: { amount: returned.amount } };
      return { at, kind: 'return', title: t().titles.creditReturn, status: reached, detail, link, asked };
    }),
  ];
}

export function disputeSteps({ id, statusHistory, amount }: Dispute): readonly Step[] {
  const asked: Ask = { operation: 'getDispute', params: { id } };
  return statusHistory.map(({ status, createdAt: at }) => ({
    at,
    kind: 'status',
    title: t().titles.dispute,
    status,
    detail: showDecimal(amount.value),
    link: ['disputes', id],
    asked,
  }));
}

export function entrySteps(entries: readonly Entry[]): readonly Step[] {
  return entries.map(({ accountId, createdAt: at, type, available, reserved }) => ({
    at,
    kind: 'ledger',
    title: type,
    link: ['ledger', accountId],
    detail: t().timeline.change(showChange(available), showChange(reserved)),
    asked: { operation: 'listEntries', params: { accountId } },
  }));
}

/** Returns deliveries at the instant in their payload, which follows the company's clock; their own times are real. */
export function deliverySteps(deliveries: readonly Delivery[]): readonly Step[] {
  return deliveries.map(({ id, event, status, attemptsCount, createdAt, payload }) => {
    const at = [payload['occurredAt'], payload['updatedAt']].find((moment) => typeof moment === 'string') ?? createdAt;
    const detail = t().timeline.attempts(attemptsCount);
    return {
      at,
      kind: 'delivery',
      title: event,
      status,
      detail,
      link: ['deliveries', id],
      asked: { operation: 'getWebhookDelivery', params: { id } },
    };
  });
}
