import { transitionNotAllowed } from '../core/errors.ts';
import { pick } from '../core/pick.ts';
import { triggersFrom } from '../core/transition.ts';
import type { PaymentNow } from '../disputes/decide.ts';
import { requireUndisputed } from '../disputes/states.ts';
import type { Store } from '../platform/table/store.ts';
import { returnableAmount } from './model.ts';
import { creditAfterDispute, creditTransitions, disputedCredit } from './states.ts';
import { creditUpdate, requireCredit } from './store.ts';

/** Reads the payment of a credit for a dispute. @throws RequestError 404; 409 of one that pays a pay-in */
export async function readCreditedPayment(store: Store, companyId: string, creditId: string): Promise<PaymentNow> {
  const found = await requireCredit(store, companyId, creditId);
  const { credit } = found;
  const { id, accountId, endToEndId, status } = credit;
  const payment = { accountId, creditId: id, endToEndId, ...pick(credit, 'payer', 'connection') };
  return {
    payment: { ...payment, left: returnableAmount(found) },
    inDispute: (disputeId) => {
      requireUndisputed(credit);
      // Its money is the pay-in's: the payment of that is claimed.
      if (status === 'ASSIGNED')
        throw transitionNotAllowed(status, 'A dispute', triggersFrom(creditTransitions, status));
      return [creditUpdate(companyId, credit, disputedCredit(credit, disputeId))];
    },
    afterDispute: (returned, at) => {
      const after = creditAfterDispute(found, returned, at);
      return {
        writes: [creditUpdate(companyId, credit, after)],
        reached: after.status === status ? [] : [['CREDIT', after.status]],
      };
    },
  };
}
