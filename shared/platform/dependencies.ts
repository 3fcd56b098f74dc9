import type { Clock } from '../core/brasilia-time.ts';
import type { Ids } from '../core/identifiers.ts';
import { connectStore } from './table/dynamo-store.ts';
import type { Store } from './table/store.ts';
import { systemClock } from './clock.ts';
import { env } from './env.ts';
import { randomIds } from './ids.ts';
import type { Settings as EnvironmentSettings } from './settings.ts';
import { settings } from './settings.ts';

export type Settings = EnvironmentSettings['orders'] & {
  readonly allowLocalTargets: boolean;
  readonly keyRules: EnvironmentSettings['keys']['rules'];
};

export type Dependencies = {
  readonly store: Store;
  /** The company's time: its dates and hours follow it. */
  readonly now: Clock;
  /** The machine's time: idempotency keys, deliveries, signatures and waits follow it. */
  readonly realNow: Clock;
  readonly ids: Ids;
  readonly settings: Settings;
};

/** Dependencies of an operation that only reads the table. */
export type Reading = Pick<Dependencies, 'store'>;

export type RealTimeDependencies = Omit<Dependencies, 'now'>;

/**
 * Dependencies of endpoints that follow the company's time. Outside production `now` is replaced by the company's
 * clock, at the cost of one more read per request.
 */
export function dependencies(): Dependencies {
  return { ...realTimeDependencies(), now: systemClock };
}

/** Dependencies of endpoints that do not use the company's time, and so do not read its clock. */
export function realTimeDependencies(): RealTimeDependencies {
  const { orders, deliveries, keys } = settings();
  return {
    store: connectStore(env('TABLE_NAME')),
    realNow: systemClock,
    ids: randomIds,
    settings: { ...orders, allowLocalTargets: deliveries.allowLocalTargets, keyRules: keys.rules },
  };
}
