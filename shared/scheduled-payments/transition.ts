import type { Clock, Instant } from '../core/brasilia-time.ts';
import type { Ids } from '../core/identifiers.ts';
import { centavos } from '../core/money.ts';
import type { Actor } from '../core/transition.ts';
import type { PayIn } from '../pay-ins/model.ts';
import type { ScheduledCharge } from './model.ts';
import type { ScheduledPaymentFacts, ScheduledPaymentMove, ToldPayment } from './states.ts';
import { decideScheduledPayment } from './states.ts';
import { settledPayIn } from './settled-pay-in.ts';
import { payInNotification } from '../pay-ins/notification.ts';
import { scheduledPaymentNotification } from './notification.ts';
import type { Change, CommitResult, OutboxEntry } from '../platform/commit.ts';
import { commit } from '../platform/commit.ts';
import { uniqueInsert } from '../platform/external-ids.ts';
import { payInInsert } from '../pay-ins/store.ts';
import { cycleEndWrite } from './cycle-store.ts';
import { scheduledPaymentUpdate } from './store.ts';
import type { Store } from '../platform/table/store.ts';
import { countStatus } from '../platform/count-status.ts';

export type ChargeContext = {
  readonly store: Store;
  readonly ids: Ids;
  /** The machine's clock. */
  readonly realNow: Clock;
  readonly companyId: string;
  readonly requestId: string;
};

/**
 * Moves a scheduled payment: its new state, what it means for the cycle, its events, and if it is `COMPLETED` the
 * settled pay-in with its money, ledger entry and notification, all in one transaction. The simulation tool, a bank's
 * facts and the service's own moves run through here.
 * @throws Refusal when section 3 does not allow the move.
 */
export async function moveScheduledPayment(
  context: ChargeContext,
  charge: ScheduledCharge,
  facts: ScheduledPaymentFacts,
  by: Actor = 'bank',
): Promise<{
  readonly committed: CommitResult;
  readonly moved: ScheduledPaymentMove;
  readonly notifications: readonly OutboxEntry[];
}> {
  const { store, ids, realNow, companyId } = context;
  const { at } = facts;
  const made = { orderId: ids.orderId(), cancellationId: ids.uuid() };
  const moved = decideScheduledPayment(charge, facts, made, by);
  const settled =
    moved.payment.status === 'COMPLETED' ? settledPayIn(charge, { ...made, externalId: ids.uuid() }, at) : undefined;
  const written = changeOfMove(context, charge, moved, at);
  const settlement = settled && settlementOf(context, settled);
  const notifications = [...written.notifications, ...(settlement?.notifications ?? [])];
  const committed = await commit(store, {
    companyId,
    at: realNow(),
    ledger: settlement?.ledger ?? [],
    writes: [...written.writes, ...(settlement?.writes ?? [])],
    notifications,
  });
  if (committed.ok) {
    if (moved.payment.status !== charge.payment.status) countStatus('SCHEDULED_PAYMENT', moved.payment.status);
    if (settled) countStatus('PAY_IN', settled.status);
  }
  return { committed, moved, notifications };
}

/** What every move of a payment writes and tells. */
export function changeOfMove(
  context: ChargeContext,
  charge: ScheduledCharge,
  { payment, told, cycle }: ScheduledPaymentMove,
  at: Instant,
): Required<Pick<Change, 'writes' | 'notifications'>> {
  const { companyId } = context;
  return {
    writes: [
      scheduledPaymentUpdate(companyId, charge.payment, payment),
      ...(cycle === undefined ? [] : [cycleEndWrite(companyId, charge.terms, cycle)]),
    ],
    notifications: chargeNotifications(context, charge, told, at),
  };
}

/** The events of a payment, to the subscription's `webhookUrl`. */
export function chargeNotifications(
  { ids, requestId }: ChargeContext,
  { terms: { webhookUrl } }: ScheduledCharge,
  told: readonly ToldPayment[],
  at: Instant,
): readonly OutboxEntry[] {
  return told.map((one) => ({
    id: ids.uuid(),
    resource: { type: 'SCHEDULED_PAYMENT', id: one.payment.id },
    target: { endpoint: webhookUrl },
    requestId,
    ...scheduledPaymentNotification(one, at),
  }));
}

/** The order, the names that it takes, the money and its notification. */
function settlementOf(
  { ids, companyId, requestId }: ChargeContext,
  payIn: PayIn,
): Required<Pick<Change, 'ledger' | 'writes' | 'notifications'>> {
  const { id, externalId, accountId, amount, createdAt: at } = payIn;
  const nothing = centavos(0);
  const notification = payInNotification({ ...payIn, status: 'PAID' });
  return {
    ledger: [{ accountId, kind: 'PAY_IN', orderId: id, available: amount, reserved: nothing, at, entryId: ids.uuid() }],
    writes: [
      payInInsert(companyId, payIn),
      uniqueInsert(companyId, { kind: 'PAY_IN', externalId, resourceId: id, listed: payIn }),
    ],
    notifications: [
      {
        id: ids.uuid(),
        resource: { type: 'PAY_IN', id },
        target: { type: 'PAYIN' },
        requestId,
        ...notification,
      },
    ],
  };
}
