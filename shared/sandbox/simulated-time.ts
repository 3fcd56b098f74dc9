import type { Clock } from '../core/brasilia-time.ts';
import { clockAhead } from './clock.ts';
import { readOffsetMs, simulatedCompanyIds } from './clock-store.ts';
import type { DueWork } from '../platform/jobs/due.ts';
import { isCompanyTimeKind } from '../platform/jobs/due-kinds.ts';
import type { Store } from '../platform/table/store.ts';
import type * as production from '../platform/no-sandbox.ts';

/** The dependencies of an endpoint that uses the company's time beside the machine's. */
type Timed = { readonly store: Store; readonly now: Clock; readonly realNow: Clock };

/** Reads the company's clock where its time is used, and nothing elsewhere. */
export const dependenciesOf: typeof production.dependenciesOf = async (shared, companyId) => {
  if (!hasTime(shared)) return shared;
  const offsetMs = await readOffsetMs(shared.store, companyId);
  return { ...shared, now: clockAhead(shared.realNow, offsetMs) };
};

/** Deliveries are due in real time for every company. */
export const dueInRealTime: typeof production.dueInRealTime = (store, kind, found) =>
  isCompanyTimeKind(kind) ? withoutSimulated(store, found) : found;

function hasTime<D>(shared: D): shared is D & Timed {
  return typeof shared === 'object' && shared !== null && 'now' in shared && 'realNow' in shared;
}

/** The list is read with the first piece of work: a minute without due work costs what it costs in production. */
async function* withoutSimulated(store: Store, found: AsyncIterable<DueWork>): AsyncGenerator<DueWork, void, void> {
  let simulated: ReadonlySet<string> | undefined;
  for await (const work of found) {
    simulated ??= await simulatedCompanyIds(store);
    if (!simulated.has(work.companyId)) yield work;
  }
}
