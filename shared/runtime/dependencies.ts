import type { Clock } from '../domain/brasilia-time.ts';
import type { Ids } from '../domain/identifiers.ts';
import { connectStore } from '../persistence/connect.ts';
import type { Store } from '../persistence/store.ts';
import { systemClock } from './clock.ts';
import { env } from './env.ts';
import { randomIds } from './ids.ts';

/** Settings of the environment that operations need. */
export type Settings = {
  readonly ispb: string;
  readonly pixHost: string;
  readonly pixCity: string;
  readonly firstChargeExpiresSeconds: number;
  readonly pixTransactionLimitCentavos: number;
  readonly allowLocalTargets: boolean;
};

/** What operations are given: everything that is not a pure function of the request. */
export type Dependencies = {
  readonly store: Store;
  readonly now: Clock;
  readonly ids: Ids;
  readonly settings: Settings;
};

/** The dependencies of an endpoint in this environment. */
export function dependencies(): Dependencies {
  return {
    store: connectStore(env('TABLE_NAME')),
    now: systemClock,
    ids: randomIds,
    settings: {
      ispb: env('SERVICE_ISPB'),
      pixHost: env('PIX_HOST'),
      pixCity: env('PIX_CITY'),
      firstChargeExpiresSeconds: env('FIRST_CHARGE_EXPIRES_SECONDS'),
      pixTransactionLimitCentavos: env('PIX_TRANSACTION_LIMIT_CENTAVOS'),
      allowLocalTargets: env('ALLOW_LOCAL_TARGETS'),
    },
  };
}
