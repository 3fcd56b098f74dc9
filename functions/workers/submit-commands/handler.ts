import type { Ids } from '#shared/core/identifiers.ts';
import type { CommandKind } from '#shared/jobs/submit-command.ts';
import { submitCommand } from '#shared/jobs/submit-command.ts';
import type { DueCount, DueRun } from '#shared/platform/jobs/work-due.ts';
import { workDue } from '#shared/platform/jobs/work-due.ts';
import type { Bank } from '#shared/bank/bank.ts';
import { receivingBankOf } from '#shared/bank-wiring/bank-ports.ts';
import { dueWorker } from '#shared/platform/jobs/due-worker.ts';
import { env } from '#shared/platform/env.ts';
import { randomIds } from '#shared/platform/ids.ts';

type CommandDeps = DueRun & { readonly ids: Ids; readonly bank: Pick<Bank, 'refunds' | 'recurrences'> };

type CommandCount = { readonly submitted: number; readonly due: Record<CommandKind, DueCount> };

/**
 * Finishes the commands to the bank that are due: those whose function died, and those that the bank did not answer.
 * For each the bank is asked first what became of it. What moved meanwhile has left the index or needs nothing.
 */
export async function submitCommands(deps: CommandDeps): Promise<CommandCount> {
  const { store, bank, ids, now } = deps;
  let submitted = 0;
  const finish = (kind: CommandKind): Promise<DueCount> =>
    workDue(deps, { kind }, async ({ companyId, id }) => {
      const context = { store, bank, ids, at: now(), realNow: now, companyId, requestId: ids.uuid() };
      const result = await submitCommand[kind](context, id);
      if (result === 'ACCEPTED' || result === 'REFUSED') submitted += 1;
    });
  const [refunds, cancellations] = await Promise.all([finish('REFUND_SUBMISSION'), finish('RECURRENCE_CANCELLATION')]);
  return { submitted, due: { REFUND_SUBMISSION: refunds, RECURRENCE_CANCELLATION: cancellations } };
}

/** Runs every minute. */
export const handler = dueWorker('submit-commands', async (run) => {
  const bank = receivingBankOf(run.store, { pixHost: env('PIX_HOST'), ispb: env('SERVICE_ISPB') });
  const { submitted, due } = await submitCommands({ ...run, bank, ids: randomIds });
  return { counts: { CommandsSubmitted: submitted }, due };
});
