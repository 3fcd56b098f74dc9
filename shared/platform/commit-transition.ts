import type { Change } from './commit.ts';
import { commit, untilCommitted } from './commit.ts';
import { nowMs } from './clock.ts';
import { emit } from './metrics.ts';
import type { Clock, Instant } from '../core/brasilia-time.ts';
import type { Ids } from '../core/identifiers.ts';
import type { Store } from './table/store.ts';

/** The writes of one transition, and its result once they are committed. */
export type Transition<Result> = Omit<Change, 'companyId' | 'at' | 'idempotency'> & {
  readonly result: Result;
  /** Statuses that resources reach by it, counted after the commit. */
  readonly reached?: readonly (readonly [resource: string, status: string])[];
};
/** Nothing has to change. */
type Unchanged<Result> = { readonly unchanged: Result };

export type TransitionContext = {
  readonly store: Store;
  readonly ids: Ids;
  /** Time of the company's clock. */
  readonly at: Instant;
  /** The machine's clock. */
  readonly realNow: Clock;
  readonly companyId: string;
  readonly requestId: string;
};
type CommitContext = Pick<TransitionContext, 'store' | 'companyId' | 'realNow'>;

/**
 * Reads, decides and commits one transition: state, ledger entries and notifications in one transaction. After a
 * conflict it reads and decides again. Every change of a status goes this way.
 * @param decide pure of writes: it may run several times
 * @throws what `decide` throws; the account's error when its balance does not take the money; StoreUnavailable when
 * conflicts outlast the retries. Nothing is written then.
 */
export async function commitTransition<Current, Result>(
  { store, companyId, realNow }: CommitContext,
  read: () => Promise<Current>,
  decide: (
    current: Current,
  ) => Transition<Result> | Unchanged<Result> | Promise<Transition<Result> | Unchanged<Result>>,
): Promise<Result> {
  const decided = await untilCommitted(async () => {
    const next = await decide(await read());
    if ('unchanged' in next) return { result: next.unchanged };
    const { result, reached = [], ...change } = next;
    const committed = await commit(store, { companyId, at: realNow(), ...change });
    if (!committed.ok && committed.because === 'BALANCE') throw committed.error;
    if (!committed.ok) return undefined;
    for (const [resource, status] of reached) countStatus(resource, status);
    return { result };
  });
  return decided.result;
}

/** Counts a resource that reached a status. Call it after the commit. */
export function countStatus(resource: string, status: string): void {
  emit(nowMs(), 'status', { resource, status }, [{ name: 'StatusReached', unit: 'Count', value: 1 }]);
}
