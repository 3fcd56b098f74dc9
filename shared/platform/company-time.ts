import type { DueWork } from './jobs/due.ts';
import type { DueKind } from './jobs/due-kinds.ts';
import type { Store } from './table/store.ts';

/**
 * What a build can do about simulated clocks. `#company-time` is one of two files, chosen when a function is bundled
 * (the condition `simulation` of package.json's `imports`): production holds `real-time.ts`, which reads nothing; every
 * other environment `simulated-time.ts`. No variable and no switch decides it while a function runs.
 */
export type CompanyTime = {
  /** The dependencies of one request: `now`, where they have it, becomes the clock of the company that calls. */
  readonly dependenciesOf: <D>(shared: D, companyId: string) => D | Promise<D>;
  /** Due work without that of companies whose time is simulated: theirs is due by their clock. */
  readonly dueInRealTime: (store: Store, kind: DueKind, found: AsyncIterable<DueWork>) => AsyncIterable<DueWork>;
};
