import { randomUUID } from 'node:crypto';
import { ReturnCredit } from '#functions/credits/return/contract.ts';
import { DefendDispute } from '#functions/disputes/defend/contract.ts';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { ForceScheduledPaymentStatus } from '#functions/order-tools/force-scheduled-payment-status/contract.ts';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { GetClock } from '#functions/order-tools/get-clock/contract.ts';
import { CancelPayIn } from '#functions/pay-ins/cancel/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { RefundPayIn } from '#functions/pay-ins/refund/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { CreateScheduledPayment } from '#functions/scheduled-payments/create/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { brasiliaDate, plusDays } from '#shared/core/brasilia-time.ts';
import type { Partner } from '../api/client.ts';
import { turnClock } from '../api/clock.ts';
import { receiveCredit } from '../api/credits.ts';
import { claimBack, decideClaim } from '../api/disputes.ts';
import { ToolFailure } from '../failures.ts';
import { supplier } from '../scenarios/steps/orders.ts';

/** Input of a trigger. */
type Making = {
  readonly partner: Partner;
  readonly accountId: string;
  /** BRL, a decimal with two places. */
  readonly amount: string;
  /** The PIX key that a payout pays. */
  readonly to: string;
  /** Returns the `webhookUrl` of a subscription. */
  readonly webhookUrl: () => Promise<string>;
};

/**
 * Creates resources and has the bank change their statuses.
 * @returns The id of the resource that the event is about.
 */
type Trigger = (making: Making) => Promise<string>;

const payer = { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } } as const;
const brl = (value: string) => ({ currency: 'BRL', value }) as const;
/** Days until the due date of a charge, above the two days that production requires (`minDaysAhead`). */
const daysUntilDue = 3;

const externalId = (): string => `trigger-${randomUUID()}`;

async function makePayIn({ partner, accountId, amount }: Making): Promise<string> {
  const request = { externalId: externalId(), accountId, amount: brl(amount), description: 'trigger', payer };
  return (await partner.call(CreatePayIn, { body: request })).body.id;
}

async function createPayout({ partner, accountId, amount, to }: Making) {
  const paid = { paymentMethod: 'PIX', paymentData: { pixKey: to } } as const;
  const owner = to === supplier.key ? { receiver: supplier.receiver } : {};
  const request = {
    externalId: externalId(),
    accountId,
    amount: brl(amount),
    description: 'trigger',
    ...paid,
    ...owner,
  };
  return (await partner.call(CreatePayout, { body: request })).body;
}

const makePayout: Trigger = async (making) => (await createPayout(making)).id;

/** Creates a monthly subscription that begins on the due date of its charge. */
async function makeSubscription(making: Making): Promise<{ readonly id: string; readonly startDate: string }> {
  const { partner, accountId, webhookUrl } = making;
  const { now } = (await partner.call(GetClock)).body;
  const startDate = plusDays(brasiliaDate(now), daysUntilDue);
  const contract = { type: 'AUTHORIZATION_QRCODE', frequencyType: 'MONTHLY' } as const;
  const own = { accountId, externalId: externalId(), description: 'trigger', webhookUrl: await webhookUrl() };
  const body = { ...contract, ...own, startDate, debtor: payer };
  return { id: (await partner.call(CreateSubscription, { body })).body.id, startDate };
}

async function makeCharge(making: Making): Promise<string> {
  const { id, startDate } = await makeSubscription(making);
  await making.partner.call(ForceSubscriptionStatus, { body: { id, status: 'ACCEPTED' } });
  const body = { externalId: externalId(), dueDate: startDate, amount: brl(making.amount) };
  return (await making.partner.call(CreateScheduledPayment, { params: { id }, body })).body.id;
}

type OrderStatus = 'PAID' | 'CANCELED' | 'EXPIRED' | 'ERROR' | 'REFUNDED';
type SubscriptionStatus = 'ACCEPTED' | 'REJECTED' | 'CANCELED' | 'CANCELLATION_REJECTED';
type ChargeStatus = SubscriptionStatus | 'COMPLETED' | 'ERROR' | 'CANCELLATION_PENDING';

const order =
  (make: Trigger, status: OrderStatus): Trigger =>
  async (making) => {
    const id = await make(making);
    await making.partner.call(ForceOrderStatus, { body: { id, status } });
    return id;
  };

const subscription =
  (...statuses: readonly SubscriptionStatus[]): Trigger =>
  async (making) => {
    const { id } = await makeSubscription(making);
    for (const status of statuses) await making.partner.call(ForceSubscriptionStatus, { body: { id, status } });
    return id;
  };

const charge =
  (...statuses: readonly ChargeStatus[]): Trigger =>
  async (making) => {
    const id = await makeCharge(making);
    for (const status of statuses) await making.partner.call(ForceScheduledPaymentStatus, { body: { id, status } });
    return id;
  };

const canceled: Trigger = async (making) => {
  const id = await makePayIn(making);
  await making.partner.call(CancelPayIn, { params: { id } });
  return id;
};

const refunded: Trigger = async (making) => {
  const id = await order(makePayIn, 'PAID')(making);
  await making.partner.call(RefundPayIn, { params: { id }, body: {} });
  await making.partner.call(ForceOrderStatus, { body: { id, status: 'REFUNDED' } });
  return id;
};

/** Requests a refund that the simulated bank refuses because of its description. */
const refundRefused: Trigger = async (making) => {
  const id = await order(makePayIn, 'PAID')(making);
  const body = { description: 'refused@bank.example' };
  await making.partner.call(RefundPayIn, { params: { id }, body });
  return id;
};

/** Makes a payer pay to the account's key: no pay-in expects it. */
const makeCredit: Trigger = ({ partner, accountId, amount }) =>
  receiveCredit(partner, { accountId, amount: brl(amount), payer });

/** Requests the return of a credit, which the bank settles or fails. */
function returned(status: 'REFUNDED' | 'ERROR'): Trigger {
  return async (making) => {
    const id = await makeCredit(making);
    const { returnId } = (await making.partner.call(ReturnCredit, { params: { id }, body: {} })).body;
    await making.partner.call(ForceOrderStatus, { body: { id: returnId, status } });
    return id;
  };
}

/** Has the payer claim back a payment that was made. */
const makeDispute: Trigger = async (making) => {
  const orderId = await order(makePayIn, 'PAID')(making);
  return (await claimBack(making.partner, { orderId })).id;
};

function disputed(status: 'ACCEPTED' | 'REJECTED' | 'CANCELED'): Trigger {
  return async (making) => {
    const id = await makeDispute(making);
    await decideClaim(making.partner, { id, status });
    return id;
  };
}

const defended: Trigger = async (making) => {
  const id = await makeDispute(making);
  await making.partner.call(DefendDispute, { params: { id }, body: { text: 'The customer got what was sold.' } });
  return id;
};

/** Turns the company's clock to two days before the defence is due. */
const dueSoon: Trigger = async (making) => {
  const id = await makeDispute(making);
  await turnClock(making.partner, { advanceSeconds: 5 * 86_400 + 60 });
  return id;
};

/** The bank pays every payment of a batch but the last. */
const paidInPart: Trigger = async (making) => {
  const { id, batch } = await createPayout(making);
  const move = (orderId: string, status: OrderStatus) =>
    making.partner.call(ForceOrderStatus, { body: { id: orderId, status } });
  if (batch === undefined) {
    await move(id, 'CANCELED');
    throw new ToolFailure(
      `A payout of ${making.amount} is one payment: it does not exceed the limit of one transaction of the account.`,
      'Give an amount above that limit with --amount.',
    );
  }
  for (const { id: part, sequence } of batch.transactions)
    await move(part, sequence < batch.transactionsCount ? 'PAID' : 'ERROR');
  return id;
};

/** The trigger of each event. Each creates its own resources. */
export const triggers: Readonly<Record<string, Trigger>> = {
  'ORDER-PAYIN.PAID': order(makePayIn, 'PAID'),
  'ORDER-PAYIN.EXPIRED': order(makePayIn, 'EXPIRED'),
  'ORDER-PAYIN.CANCELED': canceled,
  'ORDER-PAYIN.ERROR': order(makePayIn, 'ERROR'),
  'ORDER-PAYIN.REFUNDED': refunded,
  'ORDER-PAYIN.REFUND_FAILED': refundRefused,
  'ORDER-PAYOUT.PAID': order(makePayout, 'PAID'),
  'ORDER-PAYOUT.CANCELED': order(makePayout, 'CANCELED'),
  'ORDER-PAYOUT.ERROR': order(makePayout, 'ERROR'),
  'CREDIT.RECEIVED': makeCredit,
  'CREDIT.RETURNED': returned('REFUNDED'),
  'CREDIT.RETURN_FAILED': returned('ERROR'),
  'DISPUTE.OPENED': makeDispute,
  'DISPUTE.DEFENDED': defended,
  'DISPUTE.DUE_SOON': dueSoon,
  'DISPUTE.ACCEPTED': disputed('ACCEPTED'),
  'DISPUTE.REJECTED': disputed('REJECTED'),
  'DISPUTE.CANCELED': disputed('CANCELED'),
  'SUBSCRIPTION.ACCEPTED': subscription('ACCEPTED'),
  'SUBSCRIPTION.REJECTED': subscription('REJECTED'),
  'SUBSCRIPTION.CANCELED': subscription('ACCEPTED', 'CANCELED'),
  'SUBSCRIPTION.CANCELLATION.REJECTED': subscription('ACCEPTED', 'CANCELLATION_REJECTED'),
  'SUBSCRIPTION.SCHEDULED_PAYMENT.PENDING': charge(),
  'SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED': charge('ACCEPTED'),
  'SUBSCRIPTION.SCHEDULED_PAYMENT.REJECTED': charge('REJECTED'),
  'SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED': charge('ACCEPTED', 'COMPLETED'),
  'SUBSCRIPTION.SCHEDULED_PAYMENT.ERROR': charge('ACCEPTED', 'ERROR'),
  'SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.ACCEPTED': charge('ACCEPTED', 'CANCELED'),
  'SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.REJECTED': charge('ACCEPTED', 'CANCELLATION_REJECTED'),
  'SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.PENDING': charge('ACCEPTED', 'CANCELLATION_PENDING'),
};

/** The word for an event: `payin.paid` for `ORDER-PAYIN.PAID`. */
export function wordFor(event: string): string {
  return event.replace(/^ORDER-/u, '').toLowerCase();
}

/** Further triggers by word: each causes an event of `triggers` in another way, with another meaning. */
export const variants: Readonly<Record<string, { event: string; trigger: Trigger; amount: string; about: string }>> = {
  'payout.partially_paid': {
    event: 'ORDER-PAYOUT.ERROR',
    trigger: paidInPart,
    // Above the default limit of one transaction, which holds for an account without its own limit.
    amount: '15000.01',
    about: 'for a batch that is paid in part',
  },
};
