import { beforeEach, describe, expect, it } from 'vitest';
import type { World } from '#test/support/bank-world.ts';
import { account, bankWorld, companyOne, otherCompany, payoutBody } from '#test/support/bank-world.ts';
import { refused } from '#test/support/refusals.ts';

let world: World;
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(100_000_00);
});

const big = { amount: { currency: 'BRL', value: '40000.00' } };

describe('a payout request with a key that was used', () => {
  it('gets the first response again, byte for byte, and pays once', async () => {
    const body = payoutBody(big);
    const first = await world.createPayout({ companyId: companyOne, key: 'k', body });
    const second = await world.createPayout({ companyId: companyOne, key: 'k', body });
    expect(second).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' } });
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(second.text).toBe(first.text);
    expect(world.items('PAYOUT')).toHaveLength(1);
    expect(world.items('PAYOUT_PAYMENT')).toHaveLength(3);
    expect(world.items('LEDGER_ENTRY')).toHaveLength(2);
  });

  it('gets the first response whatever happened since: transitions, an empty or closed account, years', async () => {
    const body = payoutBody(big);
    const first = await world.createPayout({ companyId: companyOne, key: 'k', body });
    const { id } = first.body as { id: string };
    const again = async (when: string): Promise<void> => {
      const response = await world.createPayout({ companyId: companyOne, key: 'k', body });
      expect(response.text, when).toBe(first.text);
      expect(response.status, when).toBe(201);
    };
    await world.force(`${id.slice(0, -2)}02`, 'ERROR');
    await again('after the move of one payment');
    await world.force(id, 'PAID');
    await again('after the last move');
    await world.createPayout({
      companyId: companyOne,
      key: 'rest',
      body: payoutBody({ amount: { currency: 'BRL', value: '75000.00' } }),
    });
    await again('without money');
    await world.setAccountStatus('ACTIVE', 'INACTIVE');
    await again('with the account inactive');
    world.clock.now = '2036-01-15T15:00:00.000Z';
    await again('ten years later');
  });

  it('gets the first response for a TED that was still waiting for its window', async () => {
    world.clock.now = '2026-01-17T15:00:00.000Z';
    const ted = {
      paymentMethod: 'TED',
      receiver: { name: 'Maria', document: { type: 'CPF', number: '52998224725' } },
      paymentData: {
        bankAccount: { ispb: '60701190', accountType: 'CHECKING_ACCOUNT', branchNumber: '1', accountNumber: '2' },
      },
    };
    const body = payoutBody(ted);
    const first = await world.createPayout({ companyId: companyOne, key: 'k', body });
    world.clock.now = '2026-01-19T09:31:00.000Z';
    await world.submitPayouts();
    const again = await world.createPayout({ companyId: companyOne, key: 'k', body });
    expect(again.text).toBe(first.text);
  });

  it('is the same request however its amount is written', async () => {
    const body = payoutBody({ amount: { currency: 'BRL', value: '10' } });
    const first = await world.createPayout({ companyId: companyOne, key: 'k', body });
    for (const value of ['10.0', '10.00', 10]) {
      const again = await world.createPayout({
        companyId: companyOne,
        key: 'k',
        body: { ...body, amount: { currency: 'BRL', value } },
      });
      expect(again.text).toBe(first.text);
    }
    const raw = JSON.stringify(body).replace('"10"', '10.00');
    expect((await world.createPayout({ companyId: companyOne, key: 'k', body: raw })).text).toBe(first.text);
  });

  it('is refused with 422 when anything in it differs', async () => {
    const body = payoutBody();
    await world.createPayout({ companyId: companyOne, key: 'k', body });
    for (const more of [
      { description: 'Other' },
      { externalId: 'other' },
      { amount: { currency: 'BRL', value: '10.01' } },
    ]) {
      const response = await world.createPayout({ companyId: companyOne, key: 'k', body: { ...body, ...more } });
      refused(response, 422, ['idempotency-key:IDEMPOTENCY_KEY_REUSED']);
    }
    expect(world.items('PAYOUT')).toHaveLength(1);
  });

  it('is a new request when the key was used by another company', async () => {
    const accountId = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
    await world.openAccount(100_00, { id: accountId, companyId: otherCompany });
    await world.createPayout({ companyId: companyOne, key: 'k', body: payoutBody() });
    const otherCompanyResponse = await world.createPayout({
      companyId: otherCompany,
      key: 'k',
      body: payoutBody({ accountId }),
    });
    expect(otherCompanyResponse.status).toBe(201);
    expect(otherCompanyResponse.headers).not.toHaveProperty('idempotent-replayed');
  });

  it('may succeed when its first try was refused', async () => {
    const body = payoutBody({ amount: { currency: 'BRL', value: '100000.01' } });
    refused(await world.createPayout({ companyId: companyOne, key: 'k', body }), 409);
    const smaller = { ...body, amount: { currency: 'BRL', value: '1.00' } };
    expect(await world.createPayout({ companyId: companyOne, key: 'k', body: smaller })).toMatchObject({ status: 201 });
  });
});

describe('20 equal concurrent requests of a payout', () => {
  it.each([
    ['a small payout', {}],
    ['a batch', big],
    ['a payout of the whole balance', { amount: { currency: 'BRL', value: '100000.00' } }],
  ])('create one payout when the request is %s', async (_name, more) => {
    const body = payoutBody(more);
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => world.createPayout({ companyId: companyOne, key: 'k', body })),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(19);
    expect(world.items('PAYOUT')).toHaveLength(1);
    const balance = await world.getBalance({ companyId: companyOne, params: { accountId: account } });
    expect(balance.body).toMatchObject({ reserved: (body['amount'] as { value: string }).value });
  });
});

describe('20 different concurrent requests', () => {
  it('spend no more than the balance of the account', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        world.createPayout({
          companyId: companyOne,
          key: `k-${index}`,
          body: payoutBody({ amount: { currency: 'BRL', value: '9000.00' } }),
        }),
      ),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(11);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(9);
    const balance = await world.getBalance({ companyId: companyOne, params: { accountId: account } });
    expect(balance.body).toMatchObject({ available: '1000.00', reserved: '99000.00' });
  });

  it('with one external id create one payout', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        world.createPayout({ companyId: companyOne, key: `k-${index}`, body: payoutBody({ externalId: 'one' }) }),
      ),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(world.items('PAYOUT')).toHaveLength(1);
  });
});
