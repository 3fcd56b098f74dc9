import { forbiddenByState, transitionNotAllowed } from '../core/errors.ts';
import { pick } from '../core/pick.ts';
import { triggersFrom } from '../core/transition.ts';
import type { PaymentNow } from '../disputes/decide.ts';
import { requireUndisputed } from '../disputes/states.ts';
import { payInTransitions } from '../pay-ins/states.ts';
import { payInUpdate } from '../pay-ins/store.ts';
import type { Store } from '../platform/table/store.ts';
import { refundableAmount } from './model.ts';
import { disputedPayIn, payInAfterDispute } from './states.ts';
import { requirePayInWithRefunds } from './store.ts';

/** Reads the payment of a pay-in for a dispute. @throws RequestError 404; 409 unless it was paid, from outside */
export async function readPaidPayIn(store: Store, companyId: string, orderId: string): Promise<PaymentNow> {
  const order = await requirePayInWithRefunds(store, companyId, orderId);
  const { payIn } = order;
  const { id, accountId, status, endToEndId, payer, payerAccountId } = payIn;
  if (endToEndId === undefined) throw transitionNotAllowed(status, 'A dispute', triggersFrom(payInTransitions, status));
  return {
    payment: { accountId, orderId: id, endToEndId, payer, ...pick(payIn, 'connection'), left: refundableAmount(order) },
    inDispute: (disputeId) => {
      requireUndisputed(payIn);
      if (payerAccountId !== undefined)
        throw forbiddenByState('orderId', 'INVALID_VALUE', 'Another account of yours paid the pay-in.');
      return [payInUpdate(companyId, payIn, disputedPayIn(payIn, disputeId))];
    },
    afterDispute: (returned, at) => {
      const after = payInAfterDispute(order, returned, at);
      return {
        writes: [payInUpdate(companyId, payIn, after)],
        reached: after.status === status ? [] : [['PAY_IN', after.status]],
      };
    },
  };
}
