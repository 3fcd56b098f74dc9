import type { Ids } from '#shared/core/identifiers.ts';
import { expirePayIn } from '#shared/pay-ins/expire.ts';
import type { DueCount, DueRun } from '#shared/platform/jobs/work-due.ts';
import { workDue } from '#shared/platform/jobs/work-due.ts';
import { dueWorker } from '#shared/platform/jobs/due-worker.ts';
import { randomIds } from '#shared/platform/ids.ts';

type ExpiryDeps = DueRun & { readonly ids: Ids };

/** Lets every pay-in expire whose time has passed; one that fails is tried again next minute. */
export async function expirePayIns(deps: ExpiryDeps): Promise<{ expired: number; due: DueCount }> {
  const { store, ids, now } = deps;
  let expired = 0;
  const due = await workDue(deps, { kind: 'PAY_IN_EXPIRY' }, async ({ companyId, id }) => {
    const context = { store, ids, now, realNow: now, companyId, requestId: ids.uuid() };
    if (await expirePayIn(context, id)) expired += 1;
  });
  return { expired, due };
}

/** Runs every minute. */
export const handler = dueWorker('expire-pay-ins', async (run) => {
  const { expired, due } = await expirePayIns({ ...run, ids: randomIds });
  return { counts: { PayInsExpired: expired }, due: { PAY_IN_EXPIRY: due } };
});
