import type { Bank } from '../bank/bank.ts';
import { nextPoll } from '../bank/polling.ts';
import type { RecurrenceContext } from './apply-state.ts';
import { applyRecurrenceState } from './apply-state.ts';
import { authorizationPollDelete, authorizationPollPut, readSubscription } from './store.ts';

/**
 * Polls the bank whether the payer authorized the recurrence of a subscription. The time of the next poll is written
 * before this one, until the subscription no longer waits. False when the bank does not give the state.
 */
export async function pollAuthorization(
  context: RecurrenceContext & { readonly bank: Pick<Bank, 'recurrences'> },
  subscriptionId: string,
): Promise<boolean> {
  const { store, bank, companyId, at, ids, realNow } = context;
  const end = async (): Promise<true> => {
    await store.write([authorizationPollDelete(companyId, subscriptionId)], ids.uuid());
    return true;
  };
  const current = await readSubscription(store, companyId, subscriptionId, 'LATEST');
  if (current?.subscription.status !== 'PENDING_AUTHORIZATION') return end();
  const { createdAt, providerId: recurrenceId, connection } = current.subscription;
  const next = nextPoll('RECURRENCE_POLL', createdAt, realNow());
  await store.writeOne(authorizationPollPut(companyId, subscriptionId, next, 'present'));
  const found = await bank.recurrences.read({ recurrenceId }, { companyId, connection, at });
  if (found.outcome !== 'DONE') return false;
  const status = await applyRecurrenceState(context, subscriptionId, found.state);
  return status === undefined || status === 'PENDING_AUTHORIZATION' ? true : end();
}
