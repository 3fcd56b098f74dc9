import type { Instant } from '../core/brasilia-time.ts';
import type { Ids } from '../core/identifiers.ts';
import type { Centavos } from '../core/money.ts';
import { centavos } from '../core/money.ts';
import type { Counterpart } from '../core/party.ts';
import { pick } from '../core/pick.ts';
import type { Transition, TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { counterpartyOf } from '../platform/ledger/balance.ts';
import type { LedgerPosting } from '../platform/ledger/ledger.ts';
import type { OutboxEntry } from '../platform/commit.ts';
import type { Write } from '../platform/table/store.ts';
import type { Credit, CreditReason } from './model.ts';
import { creditNotification } from './notification.ts';
import { claimPuts, creditKeys, receivedPut, requireUnclaimed } from './received.ts';
import { creditInsert } from './store.ts';

/** A received payment that no open charge expects. */
type Unexpected = {
  readonly accountId: string;
  readonly endToEndId: string;
  readonly amount: Centavos;
  readonly reason: CreditReason;
  readonly payer?: Counterpart;
  /** The order that it names. */
  readonly orderId?: string;
  /** The connection to the bank that received it; absent for the simulated bank. */
  readonly connection?: string;
};

type Context = {
  readonly companyId: string;
  readonly requestId: string;
  readonly at: Instant;
  readonly ids: Pick<Ids, 'uuid'>;
};

/** Builds the credit of an unexpected payment. */
export function openCredit({ at, ids }: Pick<Context, 'at' | 'ids'>, unexpected: Unexpected): Credit {
  const times = { receivedAt: at, updatedAt: at };
  return { id: ids.uuid(), ...unexpected, status: 'OPEN', ...times, version: 1 };
}

/**
 * Returns what books an unexpected payment: its entry, the credit, the marks that credit it once, and its notification.
 */
export function creditTransition(context: Context, unexpected: Unexpected): Transition<Credit> {
  const credit = openCredit(context, unexpected);
  return { ledger: [creditPosting(context, credit)], ...creditWrites(context, credit), result: credit };
}

/** The entry of a credit: its money is available from the start. */
export function creditPosting({ ids }: Pick<Context, 'ids'>, credit: Credit): LedgerPosting {
  const { id: creditId, accountId, endToEndId, amount, orderId, payer, receivedAt: at } = credit;
  const references = { creditId, endToEndId, ...pick({ orderId }, 'orderId') };
  const other = payer === undefined ? {} : { counterparty: counterpartyOf(payer) };
  const money = { available: amount, reserved: centavos(0), at };
  return { accountId, kind: 'UNMATCHED_CREDIT', ...references, ...other, ...money, entryId: ids.uuid() };
}

/**
 * The writes of a new credit, the marks that credit each of its payments once, and its notification, without the entry.
 */
export function creditWrites(
  context: Context,
  credit: Credit,
  payments: readonly Pick<Credit, 'endToEndId' | 'amount'>[] = [credit],
): {
  readonly writes: readonly Write[];
  readonly notifications: readonly OutboxEntry[];
  readonly reached: [['CREDIT', 'OPEN']];
} {
  const { companyId, requestId, ids } = context;
  const { id: creditId, accountId, receivedAt: at } = credit;
  const shared = { accountId, at, creditId, ...pick(credit, 'orderId', 'connection') };
  const resource = { type: 'CREDIT', id: creditId } as const;
  const marks = payments.flatMap(({ endToEndId, amount }) => {
    const received = { ...shared, endToEndId, amount };
    return [receivedPut(companyId, received), ...claimPuts(companyId, received)];
  });
  return {
    writes: [creditInsert(companyId, credit), ...marks],
    notifications: [{ id: ids.uuid(), requestId, resource, target: { type: 'CREDIT' }, ...creditNotification(credit) }],
    reached: [['CREDIT', 'OPEN']],
  };
}

/**
 * Books a received payment that no open charge expects, once by its end-to-end id.
 * @returns whether this call booked it
 */
export async function creditUnexpected(context: TransitionContext, unexpected: Unexpected): Promise<boolean> {
  const { store, companyId } = context;
  const read = () => store.read(creditKeys(companyId, unexpected.endToEndId));
  return commitTransition<Awaited<ReturnType<typeof read>>, boolean>(context, read, ([received, claim]) => {
    if (received !== undefined) return { unchanged: false };
    requireUnclaimed(companyId, claim);
    return { ...creditTransition(context, unexpected), result: true };
  });
}
