import type { Clock, Instant } from '../../../shared/domain/brasilia-time.ts';
import { plusSeconds } from '../../../shared/domain/brasilia-time.ts';
import { recover, sendOverdue } from '../../../shared/domain/delivery-moves.ts';
import { webhookTypes } from '../../../shared/domain/notification.ts';
import { companyIds } from '../../../shared/persistence/company.ts';
import { readDelivery, writeSending } from '../../../shared/persistence/deliveries.ts';
import { COMPANIES_AT_ONCE, dueOf, inBatches } from '../../../shared/persistence/due.ts';
import { continueRelease } from '../../../shared/persistence/held-deliveries.ts';
import type { Store } from '../../../shared/persistence/store.ts';
import type { DeadLetters } from './dead-letters.ts';
import { removeStaleLetters } from './dead-letters.ts';

export type SweepDeps = {
  readonly store: Store;
  readonly now: Clock;
  readonly newId: () => string;
  readonly deadLetters: DeadLetters;
  /** How long overdue a delivery must be, seconds. */
  readonly graceSeconds: number;
  /** Whether the run has to end: what is left is found by the next one. */
  readonly isTimeUp: () => boolean;
  readonly failed: (where: { readonly companyId?: string; readonly deliveryId?: string }, error: unknown) => void;
};

export type SweepCount = { sentAnew: number; released: number; lettersRemoved: number; failed: number };

/** Of one company in one run, so that the backlog of one does not keep the others waiting. */
const maxOverdue = 500;
const maxReleased = 500;
/** Small enough that a page of held deliveries is one read and a run that must end does so soon. */
const releasedAtOnce = 25;
/** Sendings at a time. */
const width = 10;
const endOfTime: Instant = '9999-12-31T23:59:59.999Z';
/** Dead letters are looked through when something was sent anew, and this often in any case. */
const lettersEveryMinutes = 10;

/**
 * What no message carries any more is sent anew, what is held for a type that has an endpoint again is released, and dead
 * letters that stand for nothing are removed. Cost follows companies and what is due.
 *
 * With `recovering` every pending delivery is sent anew at once: after a start at which all workers are known to be dead and
 * the content of the queue is not known.
 */
export async function sweep(deps: SweepDeps, { recovering }: { readonly recovering: boolean }): Promise<SweepCount> {
  const count: SweepCount = { sentAnew: 0, released: 0, lettersRemoved: 0, failed: 0 };
  const startedAt = deps.now();
  await inBatches(companyIds(deps.store), COMPANIES_AT_ONCE, async (companyId) => {
    if (deps.isTimeUp()) return;
    await guarded(deps, count, { companyId }, () => sendAnew(companyId, { recovering, startedAt }, deps, count));
    await guarded(deps, count, { companyId }, () => releaseDue(companyId, startedAt, deps, count));
  });
  const inTurn = Number(startedAt.slice(14, 16)) % lettersEveryMinutes === 0;
  if (count.sentAnew > 0 || inTurn)
    await guarded(deps, count, {}, async () => {
      count.lettersRemoved = await removeStaleLetters(deps.store, deps.deadLetters);
    });
  return count;
}

async function sendAnew(
  companyId: string,
  run: { readonly recovering: boolean; readonly startedAt: Instant },
  deps: SweepDeps,
  count: SweepCount,
): Promise<void> {
  const ids = await overdueIds(companyId, run, deps);
  for (let start = 0; start < ids.length && !deps.isTimeUp(); start += width)
    await Promise.all(
      ids.slice(start, start + width).map((deliveryId) =>
        guarded(deps, count, { companyId, deliveryId }, async () => {
          if (await sendOneAnew(companyId, deliveryId, run.recovering, deps)) count.sentAnew += 1;
        }),
      ),
    );
}

/** All ids before anything is sent: sending moves a delivery to a later place of the very index that is read. */
async function overdueIds(
  companyId: string,
  { recovering, startedAt }: { readonly recovering: boolean; readonly startedAt: Instant },
  { store, graceSeconds }: SweepDeps,
): Promise<readonly string[]> {
  const until = recovering ? endOfTime : plusSeconds(startedAt, -graceSeconds);
  const ids: string[] = [];
  for await (const { id } of dueOf(store, companyId, 'DELIVERY', until)) {
    ids.push(id);
    if (ids.length === maxOverdue && !recovering) break;
  }
  return ids;
}

/** The index is read with a delay: the delivery itself says whether it is overdue. */
async function sendOneAnew(companyId: string, id: string, recovering: boolean, deps: SweepDeps): Promise<boolean> {
  const { store, newId } = deps;
  const present = await readDelivery(store, companyId, id);
  if (present === undefined) return false;
  const at = deps.now();
  const delivery = recovering ? recover(present, at) : sendOverdue(present, at, deps.graceSeconds);
  if (delivery === undefined) return false;
  const { nextAttemptAt = at } = delivery;
  return (await writeSending(store, { delivery, notBefore: nextAttemptAt, at, token: newId() })).ok;
}

async function releaseDue(companyId: string, until: Instant, deps: SweepDeps, count: SweepCount): Promise<void> {
  for await (const { id } of dueOf(deps.store, companyId, 'HELD_RELEASE', until)) {
    const type = webhookTypes.find((known) => known === id);
    if (type === undefined) continue;
    for (let found = 1, sum = 0; found > 0 && sum < maxReleased && !deps.isTimeUp(); sum += found) {
      found = await continueRelease(deps, { companyId, type, limit: releasedAtOnce });
      count.released += found;
    }
  }
}

/** One company's or delivery's trouble must not keep the others waiting. */
async function guarded(
  deps: SweepDeps,
  count: SweepCount,
  where: { readonly companyId?: string; readonly deliveryId?: string },
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    count.failed += 1;
    deps.failed(where, error);
  }
}
