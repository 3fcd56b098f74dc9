import type { Clock, Instant } from '../core/brasilia-time.ts';
import { centavos } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import type { Actor } from '../core/transition.ts';
import type { Change } from '../platform/commit.ts';
import type { Transition, TransitionContext } from '../platform/commit-transition.ts';
import type { PayIn } from '../pay-ins/model.ts';
import { receivedBy } from '../credits/received.ts';
import { ownPayInInserts } from '../pay-ins/store.ts';
import { postingOf, payInTransitionNotification } from '../pay-ins/transition.ts';
import type { ScheduledCharge } from './model.ts';
import { chargeReference } from './model.ts';
import { chargeNotifications } from './notification.ts';
import type { ChargeEvent, ScheduledPaymentDecision } from './states.ts';
import { decideScheduledPayment } from './states.ts';
import { cycleEndWrite, scheduledPaymentUpdate } from './store.ts';

export type ChargeContext = Omit<TransitionContext, 'at'> & { readonly now: Clock };
type Origin = Pick<TransitionContext, 'ids' | 'companyId' | 'requestId'>;

/** Facts of a late bank event: when it was received, and whether the Pix that paid the payment was credited before. */
type Received = { readonly at: Instant; readonly isCredited: boolean };

/** The transition of a payment, with cycle and events; `COMPLETED` adds the settled pay-in. @throws RequestError */
export function scheduledPaymentTransition(
  context: Origin,
  charge: ScheduledCharge,
  event: ChargeEvent,
  actor: Actor = 'bank',
  received: Received = { at: event.at, isCredited: false },
): Transition<ScheduledCharge> {
  const { ids } = context;
  const { at } = event;
  const created = { orderId: ids.orderId(), cancellationId: ids.uuid() };
  const decision = decideScheduledPayment(charge, event, created, actor);
  const { payment } = decision;
  const settled =
    payment.status === 'COMPLETED'
      ? settledPayIn(charge, { ...created, externalId: ids.uuid(), at: received.at }, at)
      : undefined;
  const change = decisionChange(context, charge, decision, at);
  const settlement = settled && settlementOf(context, settled, received.isCredited);
  return {
    ledger: settlement?.ledger ?? [],
    writes: [...change.writes, ...(settlement?.writes ?? [])],
    notifications: [...change.notifications, ...(settlement?.notifications ?? [])],
    reached: [
      ...(payment.status === charge.payment.status ? [] : [['SCHEDULED_PAYMENT', payment.status] as const]),
      ...(settled ? [['PAY_IN', settled.status] as const] : []),
    ],
    result: { payment, terms: charge.terms },
  };
}

export function decisionChange(
  context: Origin,
  charge: ScheduledCharge,
  { payment, events, cycle }: ScheduledPaymentDecision,
  at: Instant,
): Required<Pick<Change, 'writes' | 'notifications'>> {
  const { companyId } = context;
  return {
    writes: [
      scheduledPaymentUpdate(companyId, charge.payment, payment),
      ...(cycle === undefined ? [] : [cycleEndWrite(companyId, charge.terms, cycle)]),
    ],
    notifications: chargeNotifications(events, charge.terms, { ...context, at }),
  };
}

/** Returns the pay-in of a settled payment: `PAID`, no QR code (BCB, Manual de Padrões, 3.3.2), an own code (6.3). */
function settledPayIn(
  { payment, terms }: ScheduledCharge,
  created: { readonly orderId: string; readonly externalId: string; readonly at: Instant },
  paidAt: Instant,
): PayIn {
  const { id, externalId, amount, description } = payment;
  return {
    id: created.orderId,
    externalId: created.externalId,
    accountId: terms.accountId,
    status: 'PAID',
    qrcodeData: '',
    expireDateTime: created.at,
    amount,
    description: description ?? 'Charge of a subscription',
    conciliationId: chargeReference(payment),
    ...pick(payment, 'endToEndId'),
    createdAt: created.at,
    updatedAt: created.at,
    paidAt,
    payer: terms.payer,
    ownerBank: terms.ownerBank,
    subscription: { ...terms.subscription, scheduledPayment: { id, externalId } },
    ...pick(terms, 'connection'),
    version: 1,
  };
}

function settlementOf(
  origin: Origin,
  payIn: PayIn,
  isCredited: boolean,
): Required<Pick<Change, 'ledger' | 'writes' | 'notifications'>> {
  const effect = { kind: 'PAY_IN', available: payIn.amount, reserved: centavos(0) } as const;
  const paid = pick(payIn, 'endToEndId');
  return {
    ledger: isCredited ? [] : [postingOf(payIn, effect, { ids: origin.ids, at: payIn.createdAt }, paid)],
    writes: [...ownPayInInserts(origin.companyId, payIn), ...(isCredited ? [] : receivedBy(origin.companyId, payIn))],
    notifications: [payInTransitionNotification(payIn, origin)],
  };
}
