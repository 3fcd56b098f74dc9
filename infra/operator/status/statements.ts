import { readProgress } from '#shared/accounts/chain/items.ts';
import { endOf } from '#shared/accounts/chain/minutes.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { secondsBetween } from '#shared/core/brasilia-time.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { Problem } from './problem.ts';

/** The end of the last minute whose entries are chained and signed; null before the first. */
export type Statements = { readonly provedTo: Instant | null };

/** Seconds between an entry and its proof above which something is wrong: the alarm of the worker rings then, too. */
const lateAfterSeconds = 900;

/** Looks at how far the entries of statements have their proofs. */
export async function provedStatements(
  store: Store,
  now: Instant,
): Promise<{ readonly statements: Statements; readonly problems: readonly Problem[] }> {
  const progress = await readProgress(store);
  const provedTo = progress === undefined ? null : endOf(progress.closed);
  const isLate = provedTo !== null && secondsBetween(provedTo, now) > lateAfterSeconds;
  const problem = `statements have proofs of entries up to ${provedTo}`;
  return { statements: { provedTo }, problems: isLate ? [{ problem, next: 'docs/runbook.md#worker-errors' }] : [] };
}
