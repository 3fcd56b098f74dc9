import type { Clock } from '../core/brasilia-time.ts';
import { clockAhead } from './clock.ts';
import { parseOffsetMs, simulatedCompanyIds } from './clock-store.ts';
import { narrowed } from './narrowed.ts';
import { parseProfile } from './profile-store.ts';
import { isCompanyTimeKind } from '../platform/jobs/due-kinds.ts';
import { keys } from '../platform/table/keys.ts';
import type { Store } from '../platform/table/store.ts';
import type * as production from '../platform/no-sandbox.ts';

type Timed = Parameters<typeof narrowed>[0] & {
  readonly store: Store;
  readonly now: Clock;
  readonly realNow: Clock;
};

/** Reads the company's clock and bank profile together, only for endpoints that use its time. */
export const dependenciesOf: typeof production.dependenciesOf = async (shared, companyId) => {
  if (!hasTime(shared)) return shared;
  const [clock, profile] = await shared.store.read([keys.companyClock(companyId), keys.bankProfile(companyId)]);
  const now = clockAhead(shared.realNow, parseOffsetMs(clock));
  return { ...shared, now, ...narrowed(shared, parseProfile(profile)) };
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
