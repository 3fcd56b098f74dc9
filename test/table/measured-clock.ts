import { createPayIn } from '#functions/pay-ins/create/handler.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { dependenciesOf } from '#shared/sandbox/simulated-time.ts';
import type { Answer } from '../support/api.ts';
import { caller } from '../support/api.ts';
import { companyOne, payInBody } from '../support/bank-world.ts';
import { clockWorld } from '../support/clock-world.ts';
import type { Measured } from './measured-operations.ts';

const accountId = 'aaaaaaaa-aaaa-4aaa-8aaa-0000000c10c0';

/** What a simulated clock costs, outside production alone; in this order. */
export async function measuredClock(store: Store): Promise<readonly Measured[]> {
  const world = await clockWorld({ wrap: () => store, seed: 'measured-clock', accountId });
  const ok = async (response: Promise<Answer>): Promise<void> => {
    const { status, text } = await response;
    if (status > 201) throw new Error(`${status} ${text}`);
  };
  const deps = { ...world.deps, bank: world.simulated };
  const create = async (key: string): Promise<void> => {
    const body = payInBody({ accountId, expiresInSeconds: 600 });
    const timed = await dependenciesOf(deps, companyOne);
    await ok(caller(CreatePayIn, createPayIn, timed)({ companyId: companyOne, body, key }));
  };
  const nextMinute = (): Promise<unknown> => {
    world.clock.real = plusSeconds(world.clock.real ?? world.clock.now, 60);
    return world.follow();
  };
  const other = (name: string, run: () => Promise<unknown>): Measured => ({ name, kind: 'other', run });
  return [
    other('(all that is due by then)', () => world.turn({ advanceSeconds: 2 * 365 * 86_400 })),
    other('(the rest of it)', () => world.turn({ advanceSeconds: 0 })),
    { name: 'Get clock', kind: 'read', run: () => ok(world.shown()) },
    other('Turn clock, nothing due', () => world.turn({ advanceSeconds: 60 })),
    other('Create pay-in where clocks are simulated', () => create('a')),
    other('Turn clock over one pay-in that expires', () => world.turn({ advanceSeconds: 3600 })),
    other('A minute of clocks, one company, nothing due', nextMinute),
    other('Give real time back', () => world.reset()),
    other('A minute of clocks, none set', () => world.follow()),
  ];
}
