import { beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../../support/bank-world.ts';
import { ACCOUNT, bankWorld, COMPANY, payoutBody } from '../../support/bank-world.ts';

describe('a payout', () => {
  let world: World;
  beforeEach(async () => {
    world = bankWorld();
    await world.openAccount(10_000_00);
  });

  it('is created pending, with its amount reserved', async () => {
    const answer = await world.createPayout({ companyId: COMPANY, key: 'k1', body: payoutBody({ externalId: 'P-1' }) });
    expect(answer).toMatchObject({
      status: 201,
      body: { externalId: 'P-1', status: 'PENDING', amount: '10.00', currency: 'BRL', description: 'Supplier' },
    });
    const balance = await world.getBalance({ companyId: COMPANY, params: { accountId: ACCOUNT } });
    expect(balance.body).toMatchObject({ available: '9990.00', reserved: '10.00' });
  });
});
