import { GetClock } from '#functions/order-tools/get-clock/contract.ts';
import { getClock } from '#functions/order-tools/get-clock/handler.ts';
import { ResetClock } from '#functions/order-tools/reset-clock/contract.ts';
import { resetClock } from '#functions/order-tools/reset-clock/handler.ts';
import { SetClock } from '#functions/order-tools/set-clock/contract.ts';
import { setClock } from '#functions/order-tools/set-clock/handler.ts';
import { runCompanyJobs } from '#functions/workers/run-company-jobs/handler.ts';
import type { ClockJob } from '#shared/sandbox/clock.ts';
import { companyTime } from '#shared/sandbox/clock.ts';
import { readOffsetMs } from '#shared/sandbox/clock-store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { JobBank } from '#shared/jobs/jobs.ts';
import type { Answer } from './api.ts';
import { caller } from './api.ts';
import { companyOne } from './bank-world.ts';
import { paymentWorld } from './payment-world.ts';

export type ClockWorld = Awaited<ReturnType<typeof clockWorld>>;
export type Turned = {
  readonly now: string;
  readonly offsetSeconds: number;
  readonly jobsRun: number;
  readonly remaining: number;
  readonly jobs: readonly ClockJob[];
};

/**
 * The service around a company whose clock is turned: `world.clock.now` is its time, `world.clock.real` the machine's.
 */
export async function clockWorld(...options: Parameters<typeof paymentWorld>) {
  const world = await paymentWorld(...options);
  const { clock } = world;
  clock.real = clock.now;
  const realNow = (): string => clock.real ?? clock.now;
  /** Replace a call to see what the jobs do with another bank. */
  const bank: { -readonly [Port in keyof JobBank]: JobBank[Port] } = { ...world.bank };
  const depsOn = (store: Store) => ({ ...world.deps, store, realNow, bank });
  const set = (store: Store = world.store) => caller(SetClock, setClock, depsOn(store));
  const get = caller(GetClock, getClock, depsOn(world.store));
  const reset = caller(ResetClock, resetClock, depsOn(world.store));
  /** What the company's requests see from now on. */
  const look = async (): Promise<void> => {
    clock.now = companyTime(realNow(), await readOffsetMs(world.store, companyOne));
  };
  return {
    ...world,
    jobBank: bank,
    put: (body: unknown, companyId = companyOne): Promise<Answer> => set()({ companyId, body }),
    /** With an idempotency key. */
    putOnce: (key: string, body: unknown): Promise<Answer> => set()({ companyId: companyOne, body, key }),
    /** An advance on a table that may fail. */
    putOn: (store: Store, body: unknown, key?: string): Promise<Answer> =>
      set(store)({ companyId: companyOne, body, ...(key !== undefined && { key }) }),
    /** Turns the clock, which must be accepted. */
    turn: async (body: unknown): Promise<Turned> => {
      const response = await set()({ companyId: companyOne, body });
      if (response.status !== 200) throw new Error(`${response.status} ${response.text}`);
      await look();
      return response.body as Turned;
    },
    look,
    shown: (companyId = companyOne) => get({ companyId }),
    reset: async (companyId = companyOne): Promise<Answer> => {
      const response = await reset({ companyId });
      await look();
      return response;
    },
    follow: () => runCompanyJobs({ ...depsOn(world.store), ...world.dueRun, now: realNow }),
  };
}
