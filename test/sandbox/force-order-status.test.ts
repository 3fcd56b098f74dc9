import { beforeEach, describe, expect, test } from 'vitest';
import { account, companyOne, holder, otherCompany, payInBody, receiver } from '../support/bank-world.ts';
import type { SubscriptionWorld } from '../support/subscription-world.ts';
import { subscriptionWorld } from '../support/subscription-world.ts';
import { each } from '../support/each.ts';
import { refused } from '../support/refusals.ts';

const later = '2026-01-15T16:00:00.000Z';
let world: SubscriptionWorld;
let id: string;
beforeEach(async () => {
  world = subscriptionWorld();
  await world.openAccount(0);
  const response = await world.createPayIn({ companyId: companyOne, key: 'k', body: payInBody({ externalId: 'I-1' }) });
  ({ id } = response.body as { id: string });
  world.clock.now = later;
});

const balance = async () => {
  const { available, reserved } = (await world.getBalance({ companyId: companyOne, params: { accountId: account } }))
    .body as { available: string; reserved: string };
  return [available, reserved];
};
/** What the tool says; test/webhooks/delivery-preview.test.ts has what comes after the change. */
const changed = (): unknown => expect.stringContaining(`Pay-in ${id}: status PENDING → PAID. `);
const record = async () => (await world.getPayIn({ companyId: companyOne, params: { id } })).body;
const entries = () =>
  world.items('LEDGER_ENTRY').map(({ kind, available, reserved, orderId }) => ({ kind, available, reserved, orderId }));

describe('the tool on a pay-in', () => {
  test('takes the id in capitals too, and answers with the one that everything else has', async () => {
    const description = changed();
    expect(await world.force(id.toUpperCase(), 'PAID')).toMatchObject({ status: 200, body: { id, description } });
  });

  test('credits the account with one entry when it sets PAID, and its notification names payer and account', async () => {
    const response = await world.force(id, 'PAID');
    expect(response).toMatchObject({ status: 200, body: { id, description: changed() } });
    expect(await record()).toMatchObject({
      status: 'PAID',
      paidAt: later,
      endToEndId: expect.stringMatching(/^E[0-9A-Z]{8}202601151600[0-9A-Za-z]{11}$/u) as string,
    });
    expect(await balance()).toEqual(['25.00', '0.00']);
    expect(entries()).toEqual([{ kind: 'PAY_IN', available: 2500, reserved: 0, orderId: id }]);
    const [notification] = world.notified();
    expect(notification?.target).toEqual({ type: 'PAYIN' });
    expect(notification?.data).toEqual({
      id,
      code: 'I-1',
      event: 'ORDER-PAYIN.PAID',
      status: 'PAID',
      paidAt: later,
      updatedAt: later,
      endToEndId: ((await record()) as { endToEndId: string }).endToEndId,
      controlNumber: null,
      type: 'PAY-IN',
      message: expect.any(String) as string,
      customerMessage: expect.any(String) as string,
      description: 'Order 42',
      amount: { currency: 'BRL', value: '25.00' },
      ownerBank: {
        name: holder.name,
        document: holder.document.number,
        bank: expect.objectContaining({ ispb: '99999004', account: '1234567' }) as object,
      },
      payer: {
        ...receiver,
        bank: expect.objectContaining({ ispb: expect.stringMatching(/^(?!99999004)/u) as string }) as object,
      },
    });
  });

  test.each([
    ['CANCELED', 'canceledAt'],
    ['EXPIRED', 'expiredAt'],
    ['ERROR', 'errorMessage'],
  ])('moves no money when it sets %s, fills in %s, and sends one notification', async (status, field) => {
    expect((await world.force(id, status)).status).toBe(200);
    expect(await record()).toMatchObject({ status, [field]: expect.any(String) as string });
    expect(await balance()).toEqual(['0.00', '0.00']);
    expect(world.notified()).toMatchObject([
      { event: `ORDER-PAYIN.${status}`, data: { status, paidAt: null, endToEndId: null } },
    ]);
  });

  test('credits an account that was closed meanwhile', async () => {
    await world.setAccountStatus('ACTIVE', 'CLOSED');
    expect((await world.force(id, 'PAID')).status).toBe(200);
    expect(await balance()).toEqual(['25.00', '0.00']);
  });

  test.each([
    ['the same status again', ['PAID'], 'PAID'],
    ['a refund of an unpaid pay-in', [], 'REFUNDED'],
    ['a change of a final status', ['EXPIRED'], 'PAID'],
    ['a second refund', ['PAID', 'REFUNDED'], 'REFUNDED'],
  ])('refuses %s with 409 and writes no item', async (_name, before, wanted) => {
    for (const move of before) expect((await world.force(id, move)).status).toBe(200);
    const items = structuredClone(world.items());
    const response = await world.force(id, wanted);
    refused(response, 409, ['status:TRANSITION_NOT_ALLOWED']);
    expect(world.items()).toEqual(items);
  });

  test.each(['PENDING', 'paid', ''])('refuses the status "%s" with 400', async (status) => {
    refused(await world.force(id, status), 400);
  });

  test('finds neither foreign nor unknown ids, nor a payment of a batch in a pay-in: 404', async () => {
    const items = structuredClone(world.items());
    const child = `${id.slice(0, -2)}01`;
    for (const [other, company] of [
      [id, otherCompany],
      [child, companyOne],
      [id.replace(/^./u, '0'), companyOne],
    ] as const)
      refused(await world.force(other, 'PAID', company), 404, undefined, other);
    const formless = await world.force('x', 'PAID');
    refused(formless, 400, ['id:INVALID_FORMAT']);
    expect(world.items()).toEqual(items);
  });

  test('called 20 times at once with different values moves once', async () => {
    const wanted = Array.from({ length: 20 }, (_, index) => ['PAID', 'CANCELED', 'EXPIRED', 'ERROR'][index % 4] ?? '');
    const responses = await Promise.all(wanted.map((status) => world.force(id, status)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    expect(world.notified()).toHaveLength(1);
  });
});

describe('a refund', () => {
  beforeEach(async () => {
    await world.force(id, 'PAID');
  });

  test('debits the account and sends ORDER-PAYIN.REFUNDED when it is forced without a request of the partner', async () => {
    world.clock.now = '2026-01-16T15:00:00.000Z';
    expect((await world.force(id, 'REFUNDED')).status).toBe(200);
    expect(await record()).toMatchObject({ status: 'REFUNDED', paidAt: later, refundedAt: world.clock.now });
    expect(await balance()).toEqual(['0.00', '0.00']);
    expect(entries().at(-1)).toEqual({ kind: 'REFUND', available: -2500, reserved: 0, orderId: id });
    const notification = world.notified().at(-1);
    expect(notification).toMatchObject({
      event: 'ORDER-PAYIN.REFUNDED',
      target: { type: 'PAYIN_REFUND' },
      resource: { type: 'PAY_IN', id },
    });
    expect(notification?.data).toEqual({
      id,
      code: 'I-1',
      event: 'ORDER-PAYIN.REFUNDED',
      status: 'REFUNDED',
      type: 'REFUND',
      refundId: expect.stringMatching(/^[0-9a-f]{32}$/u) as string,
      paidAt: later,
      refundedAt: world.clock.now,
      updatedAt: world.clock.now,
      endToEndId: expect.stringMatching(/^D99999004202601161500[0-9A-Za-z]{11}$/u) as string,
      message: '',
    });
  });

  test('settles the reserved amount under the id of its request when the partner requested it', async () => {
    const asked = await world.refundPayIn({ companyId: companyOne, key: 'r', params: { id }, body: {} });
    const { refundId } = asked.body as { refundId: string };
    expect(await balance()).toEqual(['0.00', '25.00']);
    expect((await world.force(id, 'REFUNDED')).status).toBe(200);
    expect(await balance()).toEqual(['0.00', '0.00']);
    expect(world.notified().at(-1)?.data).toMatchObject({ refundId });
    expect(world.items('REFUND')).toMatchObject([{ id: refundId, status: 'SETTLED' }]);
  });

  test('is 409 INSUFFICIENT_BALANCE when the account cannot pay it, and the pay-in stays PAID', async () => {
    const payout = {
      externalId: 'P-1',
      accountId: account,
      paymentMethod: 'PIX',
      paymentData: { pixKey: '52998224725' },
      amount: { currency: 'BRL', value: '0.01' },
      description: 'x',
    };
    expect((await world.createPayout({ companyId: companyOne, key: 'p', body: payout })).status).toBe(201);
    const response = await world.force(id, 'REFUNDED');
    refused(response, 409, ['amount:INSUFFICIENT_BALANCE']);
    expect(await record()).toMatchObject({ status: 'PAID' });
  });

  test('takes the money once when it is forced 20 times concurrently, and the other 19 calls are 409', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => world.force(id, 'REFUNDED')));
    const others = responses.filter(({ status }) => status !== 200);
    expect(others).toHaveLength(19);
    for (const response of each(others)) refused(response, 409, ['status:TRANSITION_NOT_ALLOWED']);
    expect(await balance()).toEqual(['0.00', '0.00']);
    expect(world.items('REFUND')).toHaveLength(1);
  });
});
