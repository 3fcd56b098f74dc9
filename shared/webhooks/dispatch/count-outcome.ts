import { countFailure, countSuccess, openCircuit } from '../health/circuit.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import type { CallResult } from '../deliveries/states.ts';
import type { EndpointLine } from '../health/admission.ts';
import { endSlowCall } from '../health/concurrency-limit.ts';
import type { CountedFailure, Line } from '#shared/platform/outbox/backlog.ts';
import { newLine } from '#shared/platform/outbox/backlog.ts';
import { advanceLine } from '../backlog/advance.ts';
import { writeCircuit } from '../health/write-circuit.ts';
import { appendFailure, readLine, writeLine } from '../health/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import type { DeliverDeps } from './deliver-deps.ts';

const tries = 8;
/** Together with the ten seconds of a call that hangs, eight pauses stay within the function's fifteen. */
const longestPauseMs = 400;

type CalledEndpoint = { readonly delivery: Delivery; readonly line: EndpointLine; readonly result: CallResult };

/**
 * Counts for or against the endpoint how a call of it ended, and ends its entry as a slow call; for a call that
 * succeeded quickly nothing is written unless something was counted before. Of many workers that fail at once the first
 * writes the line and the others append to it, so that each failure counts.
 */
export async function countOutcome(called: CalledEndpoint, deps: DeliverDeps): Promise<void> {
  const { delivery, line } = called;
  try {
    const { before, next } = await writeCount(called, deps);
    if (next?.open !== undefined) deps.onLine({ kind: 'circuit-opened', line: next });
    if (next === undefined) return;
    const isClosed = before?.open !== undefined && next.open === undefined;
    if (isClosed) deps.onLine({ kind: 'circuit-closed', line: next });
    // A delivery that has the turn lets the next one out itself. Any other success that closes the circuit does it
    // here, and so does a slow call when no delivery has the turn: one may have joined the line while the last one
    // left.
    const isSlot = before?.slow !== next.slow && next.releasedAt !== undefined && next.turn === undefined;
    if ((isClosed || isSlot) && delivery.turn?.line !== line.name)
      await advanceLine(deps, { companyId: delivery.companyId, name: line.name });
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    log('warn', 'outcome not counted for the endpoint', { companyId: delivery.companyId, ...errorFields(error) });
  }
}

type Change = { readonly before?: Line | undefined; readonly next?: Line };

/** The line before and after, if it had to be written. */
async function writeCount(called: CalledEndpoint, deps: DeliverDeps): Promise<Change> {
  const { delivery, line, result } = called;
  const { store } = deps;
  const failure = { at: deps.now(), deliveryId: delivery.id, timedOut: result.error === 'TIMEOUT' };
  let before = line.line;
  let isCounted = false;
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const next = isCounted ? before && conclude(before, called, deps) : decideCount(before, called, failure, deps);
    if (next === undefined) return {};
    const opensOrCloses = (before?.open === undefined) !== (next.open === undefined);
    const isInTheWay = attempt > 1 && !isCounted && !opensOrCloses;
    if (isInTheWay && before?.failures !== undefined && result.outcome === 'FAILED') {
      const appended = await appendFailure(store, before, failure);
      isCounted = appended.ok;
      before = appended.ok ? await readLine(store, delivery.companyId, line.name) : appended.present;
      continue;
    }
    const outcome = await (opensOrCloses ? writeCircuit(deps, next) : writeLine(store, next, deps.now()));
    if (outcome.ok) return { before, next };
    before = outcome.present;
    await deps.sleep(deps.random() * Math.min(longestPauseMs, 50 * 2 ** attempt));
  }
  log('info', 'line of the endpoint not brought up to date: too many at once', {
    companyId: delivery.companyId,
    isCounted,
  });
  return {};
}

function decideCount(
  present: Line | undefined,
  { delivery, line, result }: CalledEndpoint,
  failure: CountedFailure,
  { now, rules }: DeliverDeps,
): Line | undefined {
  const { companyId, id, endpoint } = delivery;
  const ended = present && endSlowCall(present, id);
  const known = ended === undefined ? present : { ...ended, version: ended.version - 1 };
  const next =
    result.outcome === 'DELIVERED'
      ? known && countSuccess(known, now())
      : countFailure(known ?? newLine(companyId, line.name, endpoint), failure, rules);
  return next ?? ended;
}

/** What is left to do once the failure is counted: the last of many opens the circuit. */
function conclude(present: Line, { delivery }: CalledEndpoint, { now, rules }: DeliverDeps): Line | undefined {
  return openCircuit(present, now(), rules) ?? endSlowCall(present, delivery.id);
}
