import * as z from 'zod';
import { routes } from '#functions/routes.ts';
import type { Draws } from '#test/model/bank-books.ts';
import type { Components, Schema } from '#test/support/any-value.ts';
import { near } from '#test/support/any-value.ts';
import { fc } from '#test/support/properties.ts';

/** Bodies of one operation; each is sent many times. */
const poolSize = 30;

/** Bodies near what each contract wants, and far from it, made once for a life: making one for each request is slow. */
export function hostileBodies(draws: Draws): (operationId: string) => unknown {
  const seed = draws.between(0, 2 ** 31);
  const pools = new Map<string, readonly unknown[]>();
  for (const { contract } of routes) {
    if (contract.method === 'GET') continue;
    const { $defs = {}, ...schema } = z.toJSONSchema(contract.body, {
      unrepresentable: 'any',
      io: 'input',
    }) as Schema & {
      $defs?: Components;
    };
    pools.set(contract.operationId, fc.sample(near(schema, $defs), { seed, numRuns: poolSize }));
  }
  return (operationId) => {
    const body = draws.one(pools.get(operationId) ?? [{}]);
    return typeof body === 'string' && draws.chance(0.5) ? JSON.stringify(body) : body;
  };
}
