import type { Clock } from '../core/brasilia-time.ts';
import { untilCommitted } from '../platform/commit.ts';
import { readPayIn } from './store.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { movePayIn } from './transition.ts';

/**
 * Lets a pay-in expire whose time has passed (section 3, by the service). False for one that is not `PENDING` any more:
 * the index is read with a delay.
 */
export async function expirePayIn(
  context: Omit<TransitionContext, 'at'> & { readonly now: Clock },
  id: string,
): Promise<boolean> {
  const { store, companyId, now } = context;
  return untilCommitted(async () => {
    const payIn = await readPayIn(store, companyId, id);
    const at = now();
    if (payIn?.status !== 'PENDING' || payIn.expireDateTime > at) return false;
    const { committed } = await movePayIn({ ...context, at }, payIn, { outcome: 'EXPIRED' }, 'service');
    return committed.ok || undefined;
  });
}
