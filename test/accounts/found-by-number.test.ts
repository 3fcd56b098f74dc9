import { expect, test } from 'vitest';
import { findAccountAt } from '#shared/accounts/store.ts';
import { account, bankWorld, companyOne } from '../support/bank-world.ts';
import { fc } from '../support/properties.ts';

/** Ways to write the same number: leading zeros, and dots and hyphens between its characters. */
const written = (bare: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom('', '0', '00'),
      fc.array(fc.constantFrom('', '', '.', '-'), { minLength: bare.length - 1, maxLength: bare.length - 1 }),
    )
    .map(
      ([zeros, marks]) =>
        zeros +
        Array.from(bare)
          .map((character, at) => `${marks[at - 1] ?? ''}${character}`)
          .join(''),
    );

test('an account is found by its bank, branch and number, however the account and the request write them', async () => {
  const way = fc.record({ branch: written('123'), account: written('45678X') });
  await fc.assert(
    fc.asyncProperty(way, way, fc.boolean(), async (own, asked, isSmall) => {
      const world = bankWorld();
      const account = await world.openAccount(0, {
        bankAccountData: {
          ...{ ispb: '99999004', branchNumber: own.branch, accountNumber: own.account },
          ...{ accountType: 'PAYMENT_ACCOUNT', createdAt: '2026-01-01T00:00:00.000Z' },
        },
      });
      const of = { ...asked, ...(isSmall && { account: asked.account.toLowerCase() }) };
      expect((await findAccountAt(world.store, companyOne, { ispb: '99999004', ...of }))?.id).toBe(account.id);
      expect(await findAccountAt(world.store, companyOne, { ispb: '60701190', ...of })).toBeUndefined();
    }),
    { numRuns: 40 },
  );
});

test('an open account is found behind any number of closed ones with the same holder and number', async () => {
  const world = bankWorld();
  const bank = { ispb: '99999004', branch: '0001', account: '1234567' };
  for (let count = 10; count < 40; count += 1) {
    const id = `${account.slice(0, -2)}${count}`;
    await world.openAccount(0, { id, createdAt: `2025-01-01T00:00:${count}.000Z` });
    await world.setAccountStatus('ACTIVE', 'CLOSED', id);
  }
  expect(await findAccountAt(world.store, companyOne, bank)).toBeUndefined();
  await world.openAccount(0, { createdAt: '2026-01-01T00:00:00.000Z' });
  expect((await findAccountAt(world.store, companyOne, bank))?.id).toBe(account);
});
