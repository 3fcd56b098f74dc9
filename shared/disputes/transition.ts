import { centavos } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import type { OutboxEntry } from '../platform/commit.ts';
import type { Transition, TransitionContext } from '../platform/commit-transition.ts';
import { counterpartyOf } from '../platform/ledger/balance.ts';
import type { LedgerPosting } from '../platform/ledger/ledger.ts';
import type { Write } from '../platform/table/store.ts';
import type { Dispute, DisputeWithDefences } from './model.ts';
import type { DisputeEvent as NotifiedEvent } from './notification-contract.ts';
import { disputeNotification } from './notification.ts';
import type { DisputeEffect } from './states.ts';
import { disputeInserts, disputeUpdates } from './store.ts';

type Context = Pick<TransitionContext, 'companyId' | 'requestId' | 'ids' | 'at' | 'realNow'>;
type Decision = { readonly dispute: Dispute; readonly balance?: DisputeEffect };

/**
 * Returns what opens a dispute: its items, what it blocks, and `DISPUTE.OPENED`.
 * @param payment writes to its payment
 */
export function openingTransition(
  context: Context,
  { dispute, balance }: Decision,
  payment: readonly Write[],
): Transition<Dispute> {
  return {
    ledger: balance === undefined ? [] : [postingOf(context, dispute, balance)],
    writes: [...disputeInserts(context.companyId, dispute, context.realNow()), ...payment],
    notifications: [notificationOf(context, { dispute, defences: [] }, 'DISPUTE.OPENED')],
    reached: [['DISPUTE', 'OPEN']],
    result: dispute,
  };
}

/** Returns what a decided change of a status causes. @param payment writes to its payment */
export function statusTransition(
  context: Context,
  { dispute: before, defences }: DisputeWithDefences,
  { dispute, balance }: Decision,
  payment: readonly Write[],
): Transition<Dispute> {
  const { status } = dispute;
  if (status === 'OPEN') throw new Error('A dispute is opened once.');
  return {
    ledger: balance === undefined ? [] : [postingOf(context, dispute, balance)],
    writes: [...disputeUpdates(context.companyId, before, dispute, context.realNow()), ...payment],
    notifications: [notificationOf(context, { dispute, defences }, `DISPUTE.${status}`)],
    reached: [['DISPUTE', status]],
    result: dispute,
  };
}

/** Returns what blocks more money for a dispute. The partner reads it in the statement: it is no change of a status. */
export function blockTransition(
  context: Context,
  before: Dispute,
  { dispute, balance }: Required<Decision>,
): Transition<Dispute> {
  return {
    ledger: [postingOf(context, dispute, balance)],
    writes: disputeUpdates(context.companyId, before, dispute, context.realNow()),
    result: dispute,
  };
}

function postingOf({ ids, at }: Context, dispute: Dispute, { kind, available, blocked }: DisputeEffect): LedgerPosting {
  const { id: disputeId, accountId, payer } = dispute;
  const references = { disputeId, ...pick(dispute, 'orderId', 'creditId', 'endToEndId') };
  const other = payer === undefined ? {} : { counterparty: counterpartyOf(payer) };
  const money = { available, reserved: centavos(0), blocked };
  return { accountId, kind, ...references, ...other, ...money, at, entryId: ids.uuid() };
}

/** @param occurredAt absent: when the dispute changed last */
export function notificationOf(
  { ids, requestId }: Pick<Context, 'ids' | 'requestId'>,
  found: DisputeWithDefences,
  event: NotifiedEvent,
  occurredAt = found.dispute.updatedAt,
): OutboxEntry {
  const resource = { type: 'DISPUTE', id: found.dispute.id } as const;
  const body = disputeNotification(found, event, occurredAt);
  return { id: ids.uuid(), requestId, resource, target: { type: 'DISPUTE' }, ...body };
}
