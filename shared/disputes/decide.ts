import type { Instant } from '../core/brasilia-time.ts';
import { forbiddenByState } from '../core/errors.ts';
import type { Centavos } from '../core/money.ts';
import { centavos, formatAmount } from '../core/money.ts';
import type { OutboxEntry } from '../platform/commit.ts';
import type { Transition, TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import type { Write } from '../platform/table/store.ts';
import { availableOf, blockForDisputes, whileMoneyMoves } from './block.ts';
import type { Dispute } from './model.ts';
import { isUndecided } from './model.ts';
import type { Claim, DisputedPayment, DisputeEvent } from './states.ts';
import { decideDispute, openDispute } from './states.ts';
import { readShort, requireDispute } from './store.ts';
import { openingTransition, statusTransition } from './transition.ts';

/** A received payment as it is now, and what a dispute changes of the pay-in or credit that has it. */
export type PaymentNow = {
  readonly payment: DisputedPayment;
  /** The writes when a dispute opens. @throws RequestError 409 for a payment that is in a dispute, or was not made */
  readonly inDispute: (disputeId: string) => readonly Write[];
  /** The writes when its dispute ends. @param returned what went back by it */
  readonly afterDispute: (returned: Centavos, at: Instant) => Pick<Transition<unknown>, 'writes' | 'reached'>;
};

/** Reads the payment of a dispute. @throws RequestError 404 */
type ReadPayment = (of: Pick<Dispute, 'orderId' | 'creditId'>) => Promise<PaymentNow>;

/** How a change of a dispute reads its payment, and what else it writes. */
export type Means = { readonly readPayment: ReadPayment; readonly also?: (disputeId: string) => readonly Write[] };
const noWrites: NonNullable<Means['also']> = () => [];

/** A dispute after a change, and the notifications of it. */
export type ChangedDispute = { readonly dispute: Dispute; readonly notifications: readonly OutboxEntry[] };

/**
 * Opens a dispute of a received payment, and blocks what the account has of it; older disputes that lack money come
 * first.
 * @throws RequestError 404; 409 for a payment that is in a dispute or of which less is left than is claimed
 */
export async function openDisputeOf(
  context: TransitionContext,
  of: Pick<Dispute, 'orderId' | 'creditId'>,
  claim: Claim,
  { readPayment, also = noWrites }: Means,
): Promise<ChangedDispute> {
  const { store, companyId, ids, at } = context;
  const read = async () => {
    const now = await readPayment(of);
    const { accountId } = now.payment;
    const { disputeId: older } = await readShort(store, companyId, accountId);
    return { now, money: older === undefined ? await availableOf(context, accountId) : centavos(0) };
  };
  type Found = Awaited<ReturnType<typeof read>>;
  return whileMoneyMoves((isLast) =>
    commitTransition<Found, ChangedDispute>(context, read, ({ now, money }) => {
      const available = isLast ? centavos(0) : money;
      const decision = openDispute(now.payment, claim, { id: ids.uuid(), at, available });
      const { id } = decision.dispute;
      return described(openingTransition(context, decision, [...now.inDispute(id), ...also(id)]));
    }),
  );
}

/**
 * Applies what the bank says of a dispute. Money that it releases goes to other disputes of the account that lack some.
 * @throws RequestError 404; 409 by the table of disputes, or when more goes back than was claimed
 */
export async function decideDisputeOf(
  context: TransitionContext,
  id: string,
  event: DisputeEvent,
  { readPayment, also = noWrites }: Means,
): Promise<ChangedDispute> {
  const { store, companyId, at } = context;
  const read = async () => {
    const found = await requireDispute(store, companyId, id);
    return { found, now: await readPayment(found.dispute) };
  };
  type Found = Awaited<ReturnType<typeof read>>;
  const changed = await commitTransition<Found, ChangedDispute>(context, read, ({ found, now }) => {
    const decision = decideDispute(found.dispute, event, at);
    const { status, returnedAmount, updatedAt } = decision.dispute;
    if (status === 'DEFENDED') return described(statusTransition(context, found, decision, also(id)));
    if (returnedAmount > now.payment.left)
      throw forbiddenByState('amount', 'LIMIT_EXCEEDED', `Of the payment ${formatAmount(now.payment.left)} is left.`);
    const { writes, reached = [] } = now.afterDispute(returnedAmount, updatedAt);
    const transition = statusTransition(context, found, decision, [...writes, ...also(id)]);
    return described({ ...transition, reached: [...(transition.reached ?? []), ...reached] });
  });
  if (!isUndecided(changed.dispute)) await blockForDisputes(context, changed.dispute.accountId);
  return changed;
}

function described({ result: dispute, ...transition }: Transition<Dispute>): Transition<ChangedDispute> {
  return { ...transition, result: { dispute, notifications: transition.notifications ?? [] } };
}
