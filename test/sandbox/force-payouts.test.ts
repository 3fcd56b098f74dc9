import { beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../support/bank-world.ts';
import {
  account,
  accountElsewhere,
  bankWorld,
  companyOne,
  otherCompany,
  payInBody,
  payoutBody,
  receiver,
} from '../support/bank-world.ts';
import { isDue } from '../support/due.ts';
import { refused } from '../support/refusals.ts';

let world: World;
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(100_000_00);
});

async function create(more: Record<string, unknown> = {}): Promise<{ id: string; endToEndId?: string }> {
  const response = await world.createPayout({ companyId: companyOne, key: 'k', body: payoutBody(more) });
  expect(response.status).toBe(201);
  return response.body as { id: string; endToEndId?: string };
}

async function balance(): Promise<unknown> {
  return (await world.getBalance({ companyId: companyOne, params: { accountId: account } })).body;
}

describe('the tool on a payout', () => {
  it.each([
    ['PAID', '99990.00'],
    ['ERROR', '100000.00'],
    ['CANCELED', '100000.00'],
  ])('changes its status to %s, with its balance, one ledger entry and one notification', async (status, available) => {
    const { id, endToEndId } = await create({ externalId: 'P-1' });
    world.clock.now = '2026-01-15T16:00:00.000Z';
    const response = await world.force(id, status);
    expect(response).toMatchObject({
      status: 200,
      body: { id, description: expect.stringContaining(`Payout ${id}: status PENDING → ${status}. `) as string },
    });
    expect(await balance()).toMatchObject({ available, reserved: '0.00' });
    expect(world.items('LEDGER_ENTRY')).toHaveLength(3);
    const bodies = world.notifications();
    expect(bodies).toEqual([
      {
        id,
        code: 'P-1',
        event: `ORDER-PAYOUT.${status}`,
        status,
        paidAt: status === 'PAID' ? world.clock.now : null,
        updatedAt: world.clock.now,
        endToEndId,
        controlNumber: null,
        type: 'PAY-OUT',
        message: expect.any(String),
        description: 'Supplier',
        amount: { currency: 'BRL', value: '10.00' },
        ownerBank: expect.objectContaining({ document: '11444777000161' }),
        receiver: expect.objectContaining({ document: receiver.document, pix: { type: 'CPF', key: '52998224725' } }),
      },
    ]);
    expect(world.items('DELIVERY')).toMatchObject([
      { event: `ORDER-PAYOUT.${status}`, target: { type: 'PAYOUT' }, resource: { type: 'PAYOUT', id } },
    ]);
  });

  it('removes the payout from the due work', async () => {
    const { id } = await create();
    expect(isDue(world.items('PAYOUT')[0])).toBe(true);
    await world.force(id, 'PAID');
    expect(isDue(world.items('PAYOUT')[0])).toBe(false);
  });

  it.each(['PAID', 'ERROR', 'CANCELED'])('refuses every change when it is %s', async (status) => {
    const { id } = await create();
    await world.force(id, status);
    const before = world.items();
    for (const next of ['PAID', 'ERROR', 'CANCELED', 'EXPIRED', 'REFUNDED'])
      refused(await world.force(id, next), 409, ['status:TRANSITION_NOT_ALLOWED']);
    expect(world.items()).toEqual(before);
  });

  it.each(['EXPIRED', 'REFUNDED'])('refuses the status %s, which only a pay-in has', async (status) => {
    const { id } = await create();
    refused(await world.force(id, status), 409);
  });

  it('changes its status once when several statuses are set concurrently', async () => {
    const { id } = await create();
    const responses = await Promise.all(['PAID', 'ERROR', 'CANCELED', 'PAID'].map((status) => world.force(id, status)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(3);
    expect(world.items('DELIVERY')).toHaveLength(1);
  });

  it('does not find the payout of another company', async () => {
    const { id } = await create();
    refused(await world.force(id, 'PAID', otherCompany), 404);
    refused(await world.force(`${id.slice(0, -2)}01`, 'PAID'), 404, undefined, 'it has no payments');
  });

  it('does not find a pay-in by the id of a payment', async () => {
    const { id } = (await world.createPayIn({ companyId: companyOne, key: 'i', body: payInBody() })).body as {
      id: string;
    };
    refused(await world.force(`${id.slice(0, -2)}01`, 'PAID'), 404);
  });
});

describe('a payout that is canceled', () => {
  it('is called back from the bank first, under the reference by which the bank knows it', async () => {
    const called: string[] = [];
    world.bank.payouts.cancel.submit = ({ reference }) => {
      called.push(reference);
      return Promise.resolve({ outcome: 'DONE', state: { status: 'CANCELED', returns: [] } });
    };
    const { id } = await create();
    await world.force(id, 'CANCELED');
    expect(called).toEqual([id]);
  });

  it('stays what it is when the bank can no longer stop it or cannot be asked', async () => {
    const { id } = await create();
    world.bank.payouts.cancel.submit = () => Promise.resolve({ outcome: 'REFUSED', reason: 'Too late.' });
    const before = world.items();
    refused(await world.force(id, 'CANCELED'), 409);
    world.bank.payouts.cancel.submit = () => Promise.resolve({ outcome: 'UNKNOWN' });
    const unavailable = await world.force(id, 'CANCELED');
    expect(unavailable.status, unavailable.text).toBe(503);
    expect(unavailable.body, 'the body of a failed tool is an array of strings').toEqual([expect.any(String)]);
    expect(world.items()).toEqual(before);
  });

  it('is not called back when it may not be canceled', async () => {
    const { id } = await create();
    await world.force(id, 'PAID');
    world.bank.payouts.cancel.submit = () => Promise.reject(new Error('asked all the same'));
    refused(await world.force(id, 'CANCELED'), 409);
  });

  it('is not called back by the id of a payment that it does not have', async () => {
    const { id } = await create();
    world.bank.payouts.cancel.submit = () => Promise.reject(new Error('asked all the same'));
    refused(await world.force(`${id.slice(0, -2)}01`, 'CANCELED'), 404);
  });

  it('calls back only the payments of a batch that are meant and open', async () => {
    const { id } = await create({ amount: { currency: 'BRL', value: '60000.00' } });
    const payment = (sequence: number): string => `${id.slice(0, -2)}0${sequence}`;
    const called: string[] = [];
    world.bank.payouts.cancel.submit = ({ reference }) => {
      called.push(reference);
      return Promise.resolve({ outcome: 'DONE', state: { status: 'CANCELED', returns: [] } });
    };
    await world.force(payment(1), 'PAID');
    await world.force(payment(3), 'CANCELED');
    expect(called.splice(0)).toEqual([payment(3)]);
    await world.force(id, 'CANCELED');
    expect(called).toEqual([payment(2), payment(4)]);
  });

  it('is not called back when it is a TED that was never sent', async () => {
    world.clock.now = '2026-01-17T15:00:00.000Z';
    world.bank.payouts.cancel.submit = () => Promise.reject(new Error('asked all the same'));
    const { id } = await create({
      paymentMethod: 'TED',
      paymentData: { bankAccount: accountElsewhere },
      receiver: receiver,
    });
    expect(await world.force(id, 'CANCELED')).toMatchObject({ status: 200 });
  });
});
