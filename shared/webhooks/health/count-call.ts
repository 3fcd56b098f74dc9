import { StoreUnavailable } from '#shared/platform/table/store.ts';
import type { CircuitRules, FailedCall } from './circuit.ts';
import { addFailure, endFailures } from './failures.ts';
import type { CompanyHealth, Counted, EndedCall } from './health.ts';
import { beginCounting, circuitKinds, circuitsOf, countingCircuit, circuitOutcomesOf } from './health.ts';
import type { HealthDeps } from './store.ts';
import { changeHealth } from './store.ts';

type CountDeps = HealthDeps & { readonly rules: CircuitRules };
type Kind = (typeof circuitKinds)[number];

/** Tries to count one call, while other workers begin and end counts. */
const tries = 20;

/**
 * Counts a call for its address and its origin. A successful call, at an endpoint without failures, reads and writes
 * nothing.
 * @param known the health that was read before the call
 * @returns the counts, for `afterCall`, and the newest known health
 * @throws StoreUnavailable, CorruptItem
 */
export async function countCall(
  deps: CountDeps,
  known: CompanyHealth,
  call: EndedCall,
): Promise<{ readonly health: CompanyHealth; readonly counted: Counted }> {
  const { reason, ...outcomes } = circuitOutcomesOf(call.result);
  const failed = { at: call.at, earlier: call.delivery.attempts.map(({ at }) => at), reason };
  let health = known;
  const counted: { -readonly [kind in Kind]?: Counted[kind] } = {};
  for (const kind of circuitKinds) {
    if (outcomes[kind] === 'good') {
      const endedCount = await countSuccess(deps, health, kind, call);
      if (endedCount !== undefined) counted[kind] = { endedCount };
    }
    if (outcomes[kind] === 'bad') {
      const after = await countFailure(deps, health, kind, call, failed);
      ({ health } = after);
      if (after.failures !== undefined) counted[kind] = { failures: after.failures };
    }
  }
  return { health, counted };
}

/** Counts a success. Returns the id of the count that has ended, if it has. */
async function countSuccess(
  { store, now }: CountDeps,
  health: CompanyHealth,
  kind: Kind,
  { endpoint }: EndedCall,
): Promise<string | undefined> {
  const circuit = circuitsOf(health, endpoint).find(({ name }) => name.startsWith(`${kind}:`));
  if (circuit === undefined || !('counted' in circuit)) return undefined;
  const { name, counted } = circuit;
  const isCountClosed = await endFailures({ store, now, companyId: health.companyId, name }, counted.id);
  return isCountClosed ? counted.id : undefined;
}

/** Counts a failure in the count of its circuit; the first failure begins the count. */
async function countFailure(deps: CountDeps, known: CompanyHealth, kind: Kind, call: EndedCall, failed: FailedCall) {
  const { store, now, rules } = deps;
  const { companyId } = known;
  let health = known;
  let endedCount: string | undefined;
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const circuit = countingCircuit(health, kind, call, now());
    if (circuit === undefined) return { health };
    const { name, counted } = circuit;
    if (counted !== undefined && counted.id !== endedCount) {
      const failures = await addFailure({ store, now, companyId, name }, counted.id, failed, rules);
      if (failures !== undefined) return { health, failures };
      endedCount = counted.id;
    }
    const over = endedCount;
    health = await changeHealth(deps, health, (current, at) => beginCounting(current, kind, call, at, over));
    // The health keeps a limited number of circuits, and drops this one because the others are worse.
    if (countingCircuit(health, kind, call, now())?.counted === undefined) return { health };
  }
  throw new StoreUnavailable(
    'Cannot count the failure of an endpoint: other calls changed the count during every try.',
  );
}
