import type { Clock } from '../core/brasilia-time.ts';
import type { Ids } from '../core/identifiers.ts';
import type { KeyRules } from '../pix-keys/model.ts';
import type { ScheduleWindow } from '../scheduled-payments/window.ts';
import { connectStore } from './table/dynamo-store.ts';
import type { Store } from './table/store.ts';
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
  readonly schedule: ScheduleWindow;
  readonly keyRules: KeyRules;
};

/** What operations need beside the request. */
export type Dependencies = {
  readonly store: Store;
  /** The company's time: everything about its dates and hours follows it. */
  readonly now: Clock;
  /** The machine's time: keys, deliveries, signatures and waits follow it. */
  readonly realNow: Clock;
  readonly ids: Ids;
  readonly settings: Settings;
};

export type RealTimeDependencies = Omit<Dependencies, 'now'>;

/** When charges may be created and reach the bank in this environment. */
function scheduleWindow(): ScheduleWindow {
  const releaseDaysBefore = env('SCHEDULE_RELEASE_DAYS_BEFORE');
  const minDaysAhead = env('SCHEDULE_MIN_DAYS_AHEAD');
  return releaseDaysBefore === undefined ? { minDaysAhead } : { minDaysAhead, releaseDaysBefore };
}

/** How PIX keys are confirmed in this environment. */
function keyRules(): KeyRules {
  return {
    codeValidSeconds: env('KEY_CODE_VALID_SECONDS'),
    triesPerCode: env('KEY_CODE_TRIES'),
    resendsPerValidation: env('KEY_CODE_RESENDS'),
    codesPerDay: env('KEY_CODES_PER_DAY'),
    codesPerAddressAndDay: env('KEY_CODES_PER_ADDRESS_AND_DAY'),
    phonesAbroad: env('KEY_PHONES_ABROAD'),
    keysPerAccount: { INDIVIDUAL: env('KEYS_PER_INDIVIDUAL'), ORGANIZATION: env('KEYS_PER_ORGANIZATION') },
  };
}

/**
 * The dependencies of an endpoint whose answers follow the company's time. Outside production that is the time of the
 * company's clock, which costs one more read for each request.
 */
export function dependencies(): Dependencies {
  return { ...realTimeDependencies(), now: systemClock };
}

/** The dependencies of an endpoint that does not use the company's time, and so does not read its clock. */
export function realTimeDependencies(): RealTimeDependencies {
  return {
    store: connectStore(env('TABLE_NAME')),
    realNow: systemClock,
    ids: randomIds,
    settings: {
      ispb: env('SERVICE_ISPB'),
      pixHost: env('PIX_HOST'),
      pixCity: env('PIX_CITY'),
      firstChargeExpiresSeconds: env('FIRST_CHARGE_EXPIRES_SECONDS'),
      pixTransactionLimitCentavos: env('PIX_TRANSACTION_LIMIT_CENTAVOS'),
      allowLocalTargets: env('ALLOW_LOCAL_TARGETS'),
      schedule: scheduleWindow(),
      keyRules: keyRules(),
    },
  };
}
