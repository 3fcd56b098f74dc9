import type { Clock } from '../core/brasilia-time.ts';
import { clockAhead } from './clock.ts';
import { readOffsetMs, simulatedCompanyIds } from './clock-store.ts';
import { isCompanyTimeKind } from '../platform/jobs/due-kinds.ts';
import type { Store } from '../platform/table/store.ts';
import type * as production from '../platform/no-sandbox.ts';

type Timed = { readonly store: Store; readonly now: Clock; readonly realNow: Clock };

/** Reads the company's clock only for endpoints that use its time. */
export const dependenciesOf: typeof production.dependenciesOf = async (shared, companyId) => {
  if (!hasTime(shared)) return shared;
  const offsetMs = await readOffsetMs(shared.store, companyId);
  return { ...shared, now: clockAhead(shared.realNow, offsetMs) };
};

/**
 * Leaves out jobs of companies with a simulated clock. Kinds such as deliveries follow real time for all companies. The
 * companies with a simulated clock are read only when there is a job: a minute without jobs costs no read.
 */
export const dueInRealTime: typeof production.dueInRealTime = async function* (store, found) {
  let simulated: ReadonlySet<string> | undefined;
  for await (const work of found) {
    if (isCompanyTimeKind(work.kind)) {
      simulated ??= await simulatedCompanyIds(store);
      if (simulated.has(work.companyId)) continue;
    }
    yield work;
  }
};

function hasTime<D>(shared: D): shared is D & Timed {
  return typeof shared === 'object' && shared !== null && 'now' in shared && 'realNow' in shared;
}
