import type { Operation } from '#shared/contract/contract.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { turnBankClock } from '#shared/sandbox/bank-tools.ts';
import { removeClock } from '#shared/sandbox/clock-store.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { clockView } from '#shared/sandbox/clock-contract.ts';
import { ResetClock } from './contract.ts';

/**
 * Resets the company's clock to real time. The clock of a bank on this machine is reset first: if that bank does not
 * respond, nothing has changed.
 */
export const resetClock: Operation<typeof ResetClock, Pick<Dependencies, 'store' | 'ids' | 'realNow'>> = async (
  { caller },
  { store, ids, realNow },
) => {
  await turnBankClock({ store, companyId: caller.companyId }, realNow());
  await removeClock(store, caller.companyId, ids.uuid());
  return { status: 200, body: clockView({ now: realNow(), offsetMs: 0 }) };
};

export const handler = endpoint(ResetClock, resetClock, realTimeDependencies);
