import type { Operation } from '#shared/contract/contract.ts';
import { companyTime } from '#shared/sandbox/clock.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { readOffsetMs } from '#shared/sandbox/clock-store.ts';
import type { Dependencies } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { clockView } from '#shared/sandbox/clock-contract.ts';
import { GetClock } from './contract.ts';

export const getClock: Operation<typeof GetClock, Pick<Dependencies, 'store' | 'realNow'>> = async (
  { caller },
  { store, realNow },
) => {
  const offsetMs = await readOffsetMs(store, caller.companyId);
  return { status: 200, body: clockView({ now: companyTime(realNow(), offsetMs), offsetMs }) };
};

export const handler = endpoint(GetClock, getClock, realTimeDependencies);
