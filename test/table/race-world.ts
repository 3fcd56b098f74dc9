import { plusMilliseconds } from '#shared/core/brasilia-time.ts';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import { randomIds } from '#shared/platform/ids.ts';
import type { World } from '../support/bank-world.ts';
import type { Answer } from '../support/api.ts';
import { bankWorld } from '../support/bank-world.ts';
import type { TestEngine } from '../support/engine.ts';

/** What a race needs on an engine: a company of its own, so that all races of a file share one table. */
export type RaceWorld = { readonly world: World; readonly companyId: string; readonly accountId: string };

type Call<Arguments extends readonly unknown[]> = (...given: Arguments) => Promise<Answer>;

/**
 * Calls again after a 503, as a partner does: nothing was written, or the key of the request finds what was. How long
 * conflicts last is a matter of the machine.
 */
function repeated<Arguments extends readonly unknown[]>(call: Call<Arguments>): Call<Arguments> {
  return async (...given) => {
    for (let calls = 1; ; calls += 1) {
      const response = await call(...given);
      if (response.status !== 503 || calls === 20) return response;
    }
  };
}

/** A new company, whose time goes by as the test runs; the account has an id, and is opened by the test. */
export function raceWorld({ client, tableName }: TestEngine): RaceWorld {
  const [companyId, accountId] = [randomIds.uuid(), randomIds.uuid()];
  const store = dynamoStore({ client, tableName });
  const world = bankWorld({ wrap: () => store, seed: companyId });
  let [set, setMs] = [world.clock.now, performance.now()];
  Object.defineProperty(world.clock, 'now', {
    get: () => plusMilliseconds(set, performance.now() - setMs),
    set: (now: string) => ([set, setMs] = [now, performance.now()]),
  });
  const { createPayout, createPayIn, refundPayIn, force } = world;
  const patient = {
    ...{ createPayout: repeated(createPayout), createPayIn: repeated(createPayIn) },
    ...{ refundPayIn: repeated(refundPayIn), force: repeated(force) },
  };
  return { world: Object.assign(world, patient), companyId, accountId };
}
