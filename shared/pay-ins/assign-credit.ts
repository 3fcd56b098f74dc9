import type { Bank } from '../bank/bank.ts';
import { forbiddenByState, notFound } from '../core/errors.ts';
import { pick } from '../core/pick.ts';
import type { PayIn } from './model.ts';
import { receivedAssigned } from '../credits/received.ts';
import { removeCharge } from './remove.ts';
import { decidePayIn } from './states.ts';
import { payInUpdate, readPayIn } from './store.ts';
import { payInTransitionNotification } from './transition.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { errorFields, log } from '../platform/log.ts';
import type { CreditWithReturns } from '../credits/model.ts';
import { assignCredit } from '../credits/states.ts';
import { creditUpdate, requireCredit } from '../credits/store.ts';

type Assigned = { readonly found: CreditWithReturns; readonly payIn?: PayIn };

/**
 * Lets a credit pay a pending pay-in of its account, which becomes `PAID` by that payment. No money moves: the entry of
 * the credit has it. Assigned to the same pay-in again, nothing changes. Afterwards the charge is removed at its bank,
 * so that it is not paid twice; a payment that comes all the same is another credit.
 * @throws RequestError 404; 409 for a credit or pay-in that is not open, another amount or account, or a first charge
 */
export async function assign(
  context: TransitionContext & { readonly bank: Pick<Bank, 'charges'> },
  assignment: { readonly creditId: string; readonly orderId: string; readonly assignedBy: string },
): Promise<CreditWithReturns> {
  const { store, companyId, at } = context;
  const { creditId, orderId, assignedBy } = assignment;
  const read = async () => ({
    found: await requireCredit(store, companyId, creditId),
    payIn: await readPayIn(store, companyId, orderId),
  });
  const { found, payIn } = await commitTransition<Awaited<ReturnType<typeof read>>, Assigned>(context, read, (now) => {
    const { credit } = now.found;
    if (credit.status === 'ASSIGNED' && credit.orderId === orderId.toLowerCase())
      return { unchanged: { found: now.found } };
    if (now.payIn === undefined) throw notFound('Pay-in');
    requireNoFirstCharge(now.payIn);
    const assigned = assignCredit(now.found, now.payIn, { at, assignedBy });
    const { endToEndId, receivedAt, payer } = credit;
    const event = { outcome: 'PAID', at: receivedAt, endToEndId, ...pick({ payer }, 'payer') } as const;
    const paid = decidePayIn(now.payIn, event, at).payIn;
    return {
      writes: [
        creditUpdate(companyId, credit, assigned),
        payInUpdate(companyId, now.payIn, paid),
        receivedAssigned(companyId, { endToEndId, creditId, orderId: paid.id }),
      ],
      notifications: [payInTransitionNotification(paid, context)],
      reached: [
        ['CREDIT', assigned.status],
        ['PAY_IN', paid.status],
      ],
      result: { found: { ...now.found, credit: assigned }, payIn: now.payIn },
    };
  });
  if (payIn !== undefined) await removeQuietly(context, payIn);
  return found;
}

/** The payer authorizes a recurrence by paying its first charge: without that payment it would wait forever. */
function requireNoFirstCharge({ subscription }: PayIn): void {
  if (subscription === undefined || subscription.scheduledPayment !== undefined) return;
  throw forbiddenByState('orderId', 'INVALID_VALUE', 'The pay-in is the first charge of a subscription.');
}

/** Removes the charge that is paid now. Where the bank does not respond, the charge ends by its own time. */
async function removeQuietly(
  { bank, companyId, at }: TransitionContext & { readonly bank: Pick<Bank, 'charges'> },
  payIn: PayIn,
): Promise<void> {
  try {
    const { outcome } = await removeCharge(bank, payIn, { companyId, at });
    if (outcome !== 'DONE')
      log('warn', 'Cannot remove the charge of an assigned credit', { companyId, orderId: payIn.id, outcome });
  } catch (error) {
    log('warn', 'Cannot remove the charge of an assigned credit', {
      companyId,
      orderId: payIn.id,
      ...errorFields(error),
    });
  }
}
