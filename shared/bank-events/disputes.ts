import { notFound } from '../core/errors.ts';
import { readCreditedPayment } from '../credits/disputed.ts';
import type { ChangedDispute, ReadPayment } from '../disputes/decide.ts';
import { decideDisputeOf, openDisputeOf } from '../disputes/decide.ts';
import type { Dispute } from '../disputes/model.ts';
import type { Claim, DisputeEvent } from '../disputes/states.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { readPaidPayIn } from '../refunds/disputed.ts';

/** Opens a dispute of the payment of a pay-in or credit. @throws RequestError 404; 409 as `openDisputeOf` */
export function openDispute(
  context: TransitionContext,
  of: Pick<Dispute, 'orderId' | 'creditId'>,
  claim: Claim,
): Promise<ChangedDispute> {
  return openDisputeOf(context, of, claim, readerOf(context));
}

/** Applies what the bank says of a dispute. @throws RequestError 404; 409 as `decideDisputeOf` */
export function decideDispute(context: TransitionContext, id: string, event: DisputeEvent): Promise<ChangedDispute> {
  return decideDisputeOf(context, id, event, readerOf(context));
}

function readerOf({ store, companyId }: TransitionContext): ReadPayment {
  return ({ orderId, creditId }) => {
    if (orderId !== undefined) return readPaidPayIn(store, companyId, orderId);
    if (creditId !== undefined) return readCreditedPayment(store, companyId, creditId);
    throw notFound('Payment');
  };
}
