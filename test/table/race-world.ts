import { plusMilliseconds } from '#shared/core/brasilia-time.ts';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import { randomIds } from '#shared/platform/ids.ts';
import type { World } from '../support/bank-world.ts';
import { bankWorld } from '../support/bank-world.ts';
import type { TestEngine } from '../support/engine.ts';
import { repeated } from '../support/repeated.ts';

/** What a race needs on an engine: a company of its own, so that all races of a file share one table. */
export type RaceWorld = { readonly world: World; readonly companyId: string; readonly accountId: string };

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
