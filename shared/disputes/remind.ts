import type { TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { keys } from '../platform/table/keys.ts';
import { isReminderDue, readDispute, reminderTaken } from './store.ts';
import { notificationOf } from './transition.ts';

/** Reminds the partner, once at each time, that a dispute waits for a defence. @returns whether it did */
export async function remindOf(context: TransitionContext, id: string): Promise<boolean> {
  const { store, companyId, at } = context;
  const read = async () =>
    (await isReminderDue(store, companyId, id, at)) ? readDispute(store, companyId, id) : undefined;
  return commitTransition<Awaited<ReturnType<typeof read>>, boolean>(context, read, (found) => {
    if (found?.dispute.status !== 'OPEN') return { unchanged: false };
    const { version } = found.dispute;
    return {
      writes: [
        reminderTaken(companyId, found.dispute, at),
        { check: keys.dispute(companyId, id), when: { equals: { version } } },
      ],
      // After an outage a defence may be too late: there is nothing to remind of.
      notifications: at < found.dispute.dueAt ? [notificationOf(context, found, 'DISPUTE.DUE_SOON', at)] : [],
      result: true,
    };
  });
}
