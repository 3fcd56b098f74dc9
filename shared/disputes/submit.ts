import type { Bank } from '../bank/bank.ts';
import { submitOnce } from '../bank/bank.ts';
import { repeating } from '../bank/repeat.ts';
import type { SubmittedCommand } from '../bank/submit-in-time.ts';
import { pick } from '../core/pick.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import type { Defence, Dispute } from './model.ts';
import { isPending } from './model.ts';
import type { DefenceOutcome } from './states.ts';
import { answeredDefence } from './states.ts';
import { defencePut, defenceTaken, readOpenDefence, requireDispute } from './store.ts';
import { statusTransition } from './transition.ts';

type DefenceContext = TransitionContext & {
  readonly bank: Pick<Bank, 'defences' | 'capabilities'>;
  readonly remainingMs?: () => number;
};

/** Submits the defence of a due job: a lookup comes first. */
export async function submitDueDefence(context: DefenceContext, jobId: string): Promise<SubmittedCommand> {
  const open = await readOpenDefence(context.store, context.companyId, jobId);
  return open === undefined ? 'NOTHING_TO_DO' : submitDefence(context, open, { again: true });
}

/**
 * Gives a defence to the bank that has the claim, and applies the response. With `again` the bank may have it already:
 * a lookup comes first, and of two concurrent runs only one continues. It stays due until the bank has taken or refused
 * it.
 */
export async function submitDefence(
  context: DefenceContext,
  { dispute, defence }: { readonly dispute: Dispute; readonly defence: Defence },
  { again }: { readonly again: boolean },
): Promise<SubmittedCommand> {
  const { store, bank, companyId, at, realNow, remainingMs = () => Infinity } = context;
  const { connection, claimId, claimedAt } = dispute;
  if (claimId === undefined || claimedAt === undefined) throw new Error('A defence names no claim of its bank.');
  // Written before the bank call: after a crash the next lookup comes later than the bank's reads lag.
  if (again && !(await store.writeOne(defenceTaken(companyId, defence, realNow()))).ok) return 'NOTHING_TO_DO';
  const { id: reference } = defence;
  const repeated = again && (await repeating(context, 'defence', { reference, connection }));
  const options = { again: repeated, whenUnknown: 'ASK', remainingMs } as const;
  const order = { reference, claimId, claimedAt, ...pick(defence, 'text', 'documents') };
  const response = await submitOnce(bank.defences, order, { companyId, connection, at }, options);
  switch (response.outcome) {
    case 'DONE':
      await applyDefence(context, defence, response.state);
      return 'ENDED';
    case 'REFUSED':
      await applyDefence(context, defence, { status: 'REFUSED', ...pick(response, 'code', 'reason') });
      return 'REFUSED';
    case 'UNKNOWN':
    case 'NOT_NOW':
      return 'UNKNOWN';
  }
}

/** Applies the bank's response to a defence, once: the dispute is `DEFENDED`, or open for another defence. */
async function applyDefence(
  context: TransitionContext,
  { disputeId, id }: Pick<Defence, 'disputeId' | 'id'>,
  outcome: DefenceOutcome,
): Promise<void> {
  const { store, companyId, at } = context;
  const read = () => requireDispute(store, companyId, disputeId);
  await commitTransition<Awaited<ReturnType<typeof read>>, Dispute>(context, read, (found) => {
    const before = found.defences.find((candidate) => candidate.id === id);
    if (before === undefined || !isPending(before)) return { unchanged: found.dispute };
    const { dispute, defence } = answeredDefence(found.dispute, before, outcome, at);
    const writes = [defencePut(companyId, defence)];
    if (dispute === found.dispute) return { writes, result: dispute };
    const defences = found.defences.map((other) => (other === before ? defence : other));
    return statusTransition(context, { dispute: found.dispute, defences }, { dispute }, writes);
  });
}
