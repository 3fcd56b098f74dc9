import type { Clock, Instant } from '../core/brasilia-time.ts';
import type { Ids } from '../core/identifiers.ts';
import type { Actor } from '../core/transition.ts';
import type { PayIn } from './model.ts';
import type { BalanceEffect, PayInFacts } from './states.ts';
import { decidePayIn } from './states.ts';
import { payInNotification } from './notification.ts';
import type { CommitResult, OutboxEntry } from '../platform/commit.ts';
import { commit } from '../platform/commit.ts';
import type { LedgerMove } from '../platform/ledger/ledger.ts';
import { payInUpdate } from './store.ts';
import type { Store } from '../platform/table/store.ts';
import { countStatus } from '../platform/count-status.ts';

export type MoveContext = {
  readonly store: Store;
  readonly ids: Ids;
  /** By the company's clock. */
  readonly at: Instant;
  /** The machine's clock. */
  readonly realNow: Clock;
  readonly companyId: string;
  readonly requestId: string;
};

/**
 * Moves a pay-in: its new state, the account's money with the ledger entry, and the notification, all in one
 * transaction. A bank's callback, the simulation tool, the expiry and a partner's cancellation run through here.
 * @throws Refusal when section 3 does not allow the move.
 */
export async function movePayIn(
  context: MoveContext,
  before: PayIn,
  facts: PayInFacts,
  by: Actor = 'bank',
): Promise<{ committed: CommitResult; payIn: PayIn; notifications: readonly OutboxEntry[] }> {
  const { store, at, realNow, companyId } = context;
  const { payIn, balance } = decidePayIn(before, facts, at, by);
  const notifications = [payInMoveNotification(payIn, context)];
  const committed = await commit(store, {
    companyId,
    at: realNow(),
    ledger: balance ? [ledgerMoveOf(payIn, balance, context)] : [],
    writes: [payInUpdate(companyId, before, payIn)],
    notifications,
  });
  if (committed.ok) countStatus('PAY_IN', payIn.status);
  return { committed, payIn, notifications };
}

/** The entry that explains what a move of an order did to its account. */
export function ledgerMoveOf(
  { id: orderId, accountId }: PayIn,
  { kind, available, reserved }: BalanceEffect,
  { ids, at }: Pick<MoveContext, 'ids' | 'at'>,
): LedgerMove {
  return { accountId, kind, orderId, available, reserved, at, entryId: ids.uuid() };
}

/** What the partner is told of a pay-in that came to its status. */
export function payInMoveNotification(
  payIn: PayIn,
  { ids, requestId }: Pick<MoveContext, 'ids' | 'requestId'>,
): OutboxEntry {
  const { id, status } = payIn;
  if (status === 'PENDING' || status === 'REFUNDED')
    throw new Error(`A pay-in does not become ${status} without more.`);
  const body = payInNotification({ ...payIn, status });
  return {
    id: ids.uuid(),
    requestId,
    resource: { type: 'PAY_IN', id },
    target: { type: 'PAYIN' },
    ...body,
  };
}
