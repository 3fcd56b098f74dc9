import { beforeEach, expect, test } from 'vitest';
import { returnUnmatched, showUnmatched } from '#infra/operator/bank.ts';
import type { CommandOutcome } from '#shared/bank/outcome.ts';
import type { RefundState } from '#shared/bank/ports/refunds.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import { creditUnexpected } from '#shared/credits/book.ts';
import type { World } from '../support/bank-world.ts';
import { account, bankWorld, companyOne } from '../support/bank-world.ts';
import { each } from '../support/each.ts';

/** The operator's list of unexpected money has each credit until all of it has gone back. */

const endToEndIds = [1, 2, 3].map((place) => `E6070119020260115150${place}`.padEnd(32, 'a'));
const [, second = ''] = endToEndIds;
let world: World;
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(0);
  for (const endToEndId of each(endToEndIds))
    await creditUnexpected(context(), { accountId: account, endToEndId, amount: centavos(2500), reason: 'NO_CHARGE' });
});
const context = () => {
  const { store, ids, clock } = world;
  const now = () => clock.now;
  return { ...{ store, ids, now, realNow: now, at: clock.now }, companyId: companyOne, requestId: 'r' };
};
const listed = async (): Promise<readonly string[]> =>
  (await showUnmatched({ store: world.store }, { companyId: companyOne })).map(
    ({ endToEndId, state }) => `${endToEndIds.indexOf(String(endToEndId)) + 1} ${String(state)}`,
  );
const bankSays = (outcome: CommandOutcome<RefundState>): void => {
  world.bank.refunds.submit = () => Promise.resolve(outcome);
  world.bank.refunds.find = () => Promise.resolve(outcome.outcome === 'NOT_NOW' ? { outcome: 'UNKNOWN' } : outcome);
};
/** @returns how many commands stay owed because the bank says nothing */
const later = (): Promise<number> => {
  world.clock.now = plusSeconds(world.clock.now, 3600);
  return world.poll();
};
const all = ['1 OPEN', '2 OPEN', '3 OPEN'];
const open = [
  ['UNKNOWN', { outcome: 'UNKNOWN' }, 1],
  ['NOT_NOW', { outcome: 'NOT_NOW', cause: '429' }, 1],
  ['PENDING', { outcome: 'DONE', state: { status: 'PENDING' } }, 0],
] as const satisfies readonly (readonly [string, CommandOutcome<RefundState>, number])[];

test.each(open)(
  'a credit is listed until its return has settled, when the bank first reports %s',
  async (_what, outcome, owed) => {
    bankSays(outcome);
    expect((await listed()).toSorted()).toEqual(all);
    await returnUnmatched(context(), { companyId: companyOne, endToEndId: second });
    expect((await listed()).toSorted()).toEqual(all);
    for (let hours = 0; hours < 3; hours += 1) {
      expect(await later()).toBe(owed);
      expect((await listed()).toSorted()).toEqual(all);
    }
    bankSays({ outcome: 'DONE', state: { status: 'SETTLED', returnId: 'D'.padEnd(32, '0'), at: world.clock.now } });
    expect([await later(), await later()]).toEqual([0, 0]);
    expect((await listed()).toSorted()).toEqual(['1 OPEN', '3 OPEN']);
  },
);

test.each(open)(
  'a credit stays listed when its return fails after the bank first reported %s',
  async (_what, outcome) => {
    bankSays(outcome);
    await returnUnmatched(context(), { companyId: companyOne, endToEndId: second });
    await later();
    bankSays({ outcome: 'DONE', state: { status: 'FAILED', reason: 'The account is closed.' } });
    expect(await later()).toBe(0);
    expect((await listed()).toSorted()).toEqual(all);
    expect((await world.getBalance({ companyId: companyOne, params: { accountId: account } })).body).toMatchObject({
      available: '75.00',
      reserved: '0.00',
    });
  },
);
