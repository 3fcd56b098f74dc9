import type { Clock } from '../core/brasilia-time.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import type { PayIn } from './model.ts';
import { readPayIn } from './store.ts';
import { payInTransition } from './transition.ts';

/** Expires a pay-in whose time has passed (section 3, by the service). False when it is not `PENDING` any more. */
export async function expirePayIn(
  context: Omit<TransitionContext, 'at'> & { readonly now: Clock },
  id: string,
): Promise<boolean> {
  const { store, companyId, now } = context;
  const read = () => readPayIn(store, companyId, id);
  return commitTransition<PayIn | undefined, boolean>(context, read, (payIn) => {
    const at = now();
    if (payIn?.status !== 'PENDING' || payIn.expireDateTime > at) return { unchanged: false };
    return { ...payInTransition({ ...context, at }, payIn, { outcome: 'EXPIRED' }, 'service'), result: true };
  });
}
