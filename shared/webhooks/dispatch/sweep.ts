import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { recover, sendOverdue } from '../deliveries/states.ts';
import type { LineDeps } from '../health/dependencies.ts';
import { advanceLine } from '../backlog/advance.ts';
import { resendDeliveries } from '../deliveries/resend-deliveries.ts';
import type { DueCount, DueRun } from '#shared/platform/jobs/work-due.ts';
import { isTimeUp, workDue } from '#shared/platform/jobs/work-due.ts';
import { readDelivery, writeSending } from '../deliveries/store.ts';
import type { DueWork } from '#shared/platform/jobs/due.ts';
import { dueEverywhere } from '#shared/platform/jobs/due.ts';
import { lineNameOf } from '#shared/platform/outbox/backlog-names.ts';
import type { DeadLetters } from './dead-letters.ts';
import { removeStaleLetters } from './dead-letters.ts';

export type SweepDeps = DueRun &
  LineDeps & {
    readonly deadLetters: DeadLetters;
    /** How long a delivery must be overdue, seconds. */
    readonly graceSeconds: number;
  };

type SweepCount = {
  readonly sentAgain: number;
  readonly lettersRemoved: number;
  /** Failures that belong to no piece of due work. */
  readonly failed: number;
  /** Deliveries that partners asked to have sent again. */
  readonly resent: number;
  readonly due: Readonly<Record<'DELIVERY' | 'LINE' | 'DELIVERY_RESEND', DueCount>>;
};

/** Deliveries of one company in one run: the queue is filled at a bounded pace. */
const maxOverdue = 500;
/** Steps of one line in one run: after the first the line goes on by itself, but deliveries are held page by page. */
const maxSteps = 40;
const endOfTime: Instant = '9999-12-31T23:59:59.999Z';
/** Dead letters are read when something was sent again, and this often in any case. */
const lettersEveryMinutes = 10;
/** No further page of them is read with less time left than this: a queue that hangs takes five seconds. */
const lettersEndAtMs = 8000;

/**
 * Sends again the deliveries that no message carries any more, lets lines of waiting deliveries go on that stand still,
 * works off the resends that partners asked for, and removes stale dead letters. Cost follows what is due.
 *
 * With `recovering` every pending delivery of every company is sent again at once: after a start, when all workers are
 * dead and nobody knows what is in the queue.
 */
export async function sweep(deps: SweepDeps, { recovering }: { readonly recovering: boolean }): Promise<SweepCount> {
  const count = { sentAgain: 0, lettersRemoved: 0, resent: 0, failed: 0 };
  const mayGoOn = (): boolean => !isTimeUp(deps);
  const startedAt = deps.now();
  const overdue = recovering
    ? { found: everyDue(deps, 'DELIVERY'), perCompany: Infinity }
    : { until: plusSeconds(startedAt, -deps.graceSeconds), perCompany: maxOverdue };
  const [sent, lines, resends] = await Promise.all([
    workDue(deps, { kind: 'DELIVERY', ...overdue }, async (one) => {
      if (await sendAgain(one, recovering, deps)) count.sentAgain += 1;
    }),
    workDue(deps, { kind: 'LINE', ...(recovering && { found: everyDue(deps, 'LINE') }) }, (one) => goOn(one, deps)),
    workDue(deps, { kind: 'DELIVERY_RESEND' }, async ({ companyId, id }) => {
      const resent = await resendDeliveries({ ...deps, mayGoOn }, companyId, id);
      count.resent += resent;
    }),
  ]);
  const inTurn = Number(startedAt.slice(14, 16)) % lettersEveryMinutes === 0;
  if (count.sentAgain > 0 || inTurn)
    try {
      const isOver = (): boolean => deps.remainingMs() < lettersEndAtMs;
      count.lettersRemoved = await removeStaleLetters(deps.store, deps.deadLetters, isOver);
    } catch (error) {
      count.failed += 1;
      deps.failed({}, error);
    }
  return { ...count, due: { DELIVERY: sent, LINE: lines, DELIVERY_RESEND: resends } };
}

/** Newest first: work moves a delivery to a later place of the index, which has been read by then. */
function everyDue({ store, random, failed }: DueRun, kind: 'DELIVERY' | 'LINE'): AsyncGenerator<DueWork, void, void> {
  const lost = (error: unknown): void => {
    failed({ kind }, error);
  };
  return dueEverywhere(store, kind, endOfTime, { random, lost, order: 'NEWEST_FIRST' });
}

/** The index is read with a delay: the delivery itself says whether it is overdue. */
async function sendAgain({ companyId, id }: DueWork, recovering: boolean, deps: SweepDeps): Promise<boolean> {
  const { store, newId } = deps;
  const present = await readDelivery(store, companyId, id);
  if (present === undefined) return false;
  const at = deps.now();
  const delivery = recovering ? recover(present, at) : sendOverdue(present, at, deps.graceSeconds);
  if (delivery === undefined) return false;
  const { nextAttemptAt = at } = delivery;
  return (await writeSending(store, { delivery, notBefore: nextAttemptAt, at, token: newId() })).ok;
}

async function goOn({ companyId, id }: DueWork, deps: SweepDeps): Promise<void> {
  const name = lineNameOf(id);
  for (let steps = 0; name !== undefined && steps < maxSteps && !isTimeUp(deps); steps += 1)
    if (!(await advanceLine(deps, { companyId, name }))) return;
}
