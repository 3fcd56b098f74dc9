import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { workLists } from '#shared/bank-events/work-lists.ts';
import type { ListedClaim } from '#shared/bank/ports/reader.ts';
import { centavos } from '#shared/core/money.ts';
import { isUndecided } from '#shared/disputes/model.ts';
import { accountBalances } from '../support/account-balances.ts';
import { account } from '../support/bank-world.ts';
import { connectedItems } from '../support/connected-items.ts';
import { each } from '../support/each.ts';
import { collectLines } from '../support/logged.ts';
import { fc } from '../support/properties.ts';
import type { ClaimsWorld } from './claims-world.ts';
import { claimsWorld } from './claims-world.ts';

/** Claims, returns and readings of both in any order. */

beforeEach(() => {
  collectLines();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const paid = 10_000;

/** Something that happens at the bank, or that the service learns of it. */
type Step =
  | { readonly does: 'CLAIM'; readonly claim: number; readonly status: ListedClaim['status'] }
  | { readonly does: 'RETURN'; readonly number: number; readonly amount: number }
  | { readonly does: 'READ CLAIMS' | 'READ PAYMENTS' }
  | { readonly does: 'CALL BACK'; readonly number: number };

const readings = fc.oneof(
  fc.constantFrom<Step>({ does: 'READ CLAIMS' }, { does: 'READ PAYMENTS' }),
  fc.integer({ min: 1, max: 3 }).map((number): Step => ({ does: 'CALL BACK', number })),
);
/** The statuses that a claim has at the bank, one after the other. */
const lives = fc
  .tuple(fc.boolean(), fc.constantFrom('ACCEPTED', 'REJECTED', 'CANCELED'))
  .map(([isDefended, end]) => ['OPEN', ...(isDefended ? (['DEFENDED'] as const) : []), end] as const);
const amounts = fc.array(fc.integer({ min: 1, max: Math.floor(paid / 3) }), { maxLength: 3 });
/** Whether a part takes what is left of the payment. */
const returnsOf = fc.tuple(amounts, fc.boolean()).map(([parts, isWhole]) => {
  const sum = parts.slice(0, -1).reduce((total, part) => total + part, 0);
  return isWhole && parts.length > 0 ? [...parts.slice(0, -1), paid - sum] : parts;
});
const claimSteps = (claim: number) =>
  lives.map((statuses) => statuses.map((status): Step => ({ does: 'CLAIM', claim, status })));
const returnSteps = returnsOf.map((parts) =>
  parts.map((amount, at): Step => ({ does: 'RETURN', number: at + 1, amount })),
);

/** Mixes sequences, each of which keeps its order. */
const mixed = (sequences: readonly (readonly Step[])[], choices: readonly number[]): readonly Step[] => {
  const left = sequences.map((sequence) => [...sequence]);
  return choices.flatMap((choice) => {
    const open = left.filter(({ length }) => length > 0);
    return open[choice % Math.max(1, open.length)]?.shift() ?? [];
  });
};
const choices = fc.array(fc.nat({ max: 11 }), { minLength: 40, maxLength: 40 });

async function carriedOut(steps: readonly Step[]): Promise<ClaimsWorld & { readonly orderId: string }> {
  const tested = await claimsWorld();
  const orderId = await tested.paid(1, paid);
  const shown = new Set<number>();
  for (const step of steps)
    switch (step.does) {
      case 'CLAIM':
        tested.claims(step.claim, 1, { status: step.status, amount: centavos(4000 * step.claim) });
        break;
      case 'RETURN':
        shown.add(step.number);
        tested.takesBack(step.number, 1, step.amount);
        break;
      case 'READ CLAIMS':
        expect(await tested.readClaims()).toMatchObject({ failed: 0 });
        break;
      case 'READ PAYMENTS':
        expect(await tested.readPayments()).toMatchObject({ failed: 0 });
        break;
      case 'CALL BACK':
        tested.passes(1);
        expect(['MOVED', 'SAME', 'UNKNOWN']).toContain(await tested.callsBack(step.number, 1));
    }
  for (let hour = 0; hour < 3; hour += 1) expect(await tested.readHour()).toMatchObject({ failed: 0 });
  await tested.unchanged(tested.readHour);
  return { ...tested, orderId };
}

/** What went back at the bank is in the entries, once, and nothing else. */
async function expectMoneyOnce(tested: ClaimsWorld & { readonly orderId: string }): Promise<void> {
  const returns = tested.bank.known.received.values().next().value?.returns ?? [];
  const gone = returns.reduce((total, { amount }) => total + amount, 0);
  const taken = tested.calls.entries().filter(([kind]) => kind === 'MED_RETURNED');
  const sum = taken.reduce((total, [, available, blocked]) => total + Number(available) + Number(blocked), 0);
  expect(sum + gone, 'what was taken').toBe(0);
  expect(taken).toHaveLength(returns.length);
  expect(tested.world.items('FOREIGN_RETURN')).toEqual([]);
  const balance = accountBalances(tested.world.items()).find(({ accountId }) => accountId === account);
  const blocked = tested
    .disputes()
    .filter(isUndecided)
    .reduce((total, { blockedAmount }) => total + blockedAmount, 0);
  expect([balance?.available, balance?.blocked]).toEqual([paid - gone - blocked, blocked]);
  expect(tested.disputes().filter(isUndecided).length).toBeLessThanOrEqual(1);
  const { status, refundedAmount } = await tested.credits.payInRecord(tested.orderId);
  expect(status).toBe(gone === paid ? 'REFUNDED' : 'PAID');
  if (gone > 0 && gone < paid) expect(refundedAmount).toEqual({ currency: 'BRL', value: (gone / 100).toFixed(2) });
  expect(await tested.difference()).toBe(0);
  const told = tested.calls.told();
  const counted = (event: string): number => told.filter((one) => one === event).length;
  expect(counted('DISPUTE.OPENED')).toBe(tested.disputes().length);
  for (const end of ['ACCEPTED', 'REJECTED', 'CANCELED'] as const)
    expect(counted(`DISPUTE.${end}`)).toBe(tested.disputes().filter((dispute) => dispute.status === end).length);
}

test('two claims and three returns of a payment take its money exactly once, in whatever order they are read', async () => {
  await fc.assert(
    fc.asyncProperty(
      ...([claimSteps(1), claimSteps(2), returnSteps, fc.array(readings, { maxLength: 12 }), choices] as const),
      async (one, other, returns, learned, order) => {
        await expectMoneyOnce(await carriedOut(mixed([one, other, returns, learned, learned], order)));
      },
    ),
    { numRuns: 150 },
  );
});

test('a claim that was read as OPEN before its returns leaves no money blocked after its end', async () => {
  await fc.assert(
    fc.asyncProperty(
      ...([claimSteps(1), returnSteps, fc.array(readings, { maxLength: 12 }), choices] as const),
      async ([first, ...rest], returns, learned, order) => {
        const end = rest.at(-1);
        const isAccepted = end?.does === 'CLAIM' && end.status === 'ACCEPTED';
        fc.pre(isAccepted ? returns.length > 0 : returns.length === 0);
        const steps = mixed([rest, returns, learned, learned], order);
        const tested = await carriedOut([...(first ? [first] : []), { does: 'READ CLAIMS' }, ...steps]);
        await expectMoneyOnce(tested);
        expect(tested.disputes().filter(isUndecided)).toEqual([]);
        expect(tested.disputes()).toHaveLength(Math.max(1, returns.length));
        expect((await tested.calls.balance())[2]).toBe('0.00');
      },
    ),
    { numRuns: 100 },
  );
});

test('a dispute of an account is blocked in full again when another one of it ends', async () => {
  const tested = await claimsWorld();
  await tested.paid(1, 5000);
  await tested.paid(2, 5000);
  tested.claims(1, 1, { amount: centavos(5000) });
  await tested.readClaims();
  await tested.world.createPayout({
    ...{ companyId: '11111111-1111-4111-8111-111111111111', key: 'out' },
    body: {
      ...{ externalId: 'out', accountId: account, paymentMethod: 'PIX', paymentData: { pixKey: '52998224725' } },
      ...{ amount: { currency: 'BRL', value: '30.00' }, description: 'x' },
    },
  });
  tested.claims(2, 2, { amount: centavos(5000) });
  await tested.readClaims();
  expect(tested.disputes().map(({ blockedAmount }) => blockedAmount)).toEqual([5000, 2000]);
  tested.claims(1, 1, { status: 'REJECTED' });
  await tested.readClaims();
  expect(tested.disputes().map(({ blockedAmount }) => blockedAmount)).toEqual([0, 5000]);
});

test('a claim that two clients of one account list is one dispute, which both move once', async () => {
  const tested = await claimsWorld();
  await tested.paid(1, paid);
  const { id: _first, ...connection } = (await tested.context()).connection;
  const id = 'cccccccc-cccc-4ccc-8ccc-000000000002';
  const second = { ...connection, id, clientId: 'second', callback: { tokenHash: '2'.repeat(64), subject: 'CN=bank' } };
  await tested.world.store.write(connectedItems(second), 'connect');
  const { world, bank } = tested;
  const run = { ...world.dueRun, store: world.store, now: world.deps.now };
  for (const status of each(['OPEN', 'DEFENDED', 'REJECTED'] as const)) {
    tested.claims(1, 1, { status });
    tested.passes(3600);
    expect(await workLists(run, bank.events, 'HOURLY'), status).toMatchObject({ failed: 0 });
  }
  expect(tested.disputes()).toMatchObject([{ status: 'REJECTED', claimId: 'claim-1' }]);
  expect(tested.calls.told()).toEqual(['DISPUTE.OPENED', 'DISPUTE.DEFENDED', 'DISPUTE.REJECTED']);
});
