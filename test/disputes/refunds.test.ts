import { beforeEach, describe, expect, it } from 'vitest';
import { brl } from '#shared/contract/examples.ts';
import { applyRefundState } from '#shared/refunds/apply-state.ts';
import { parseRefund } from '#shared/refunds/store.ts';
import { account, companyOne, payoutBody } from '../support/bank-world.ts';
import { each } from '../support/each.ts';
import { refused } from '../support/refusals.ts';
import { disputesWorld } from './disputes-world.ts';

let tested: ReturnType<typeof disputesWorld>;
let orderId: string;
beforeEach(async () => {
  tested = disputesWorld();
  await tested.world.openAccount(0);
  orderId = await tested.paid('100.00');
});
const payIn = () => tested.credits.payInRecord(orderId);
const told = (): readonly unknown[] => tested.credits.told();
/** The bank refuses the refunds that are pending. */
const fails = async (): Promise<void> => {
  tested.passes(60);
  const pending = tested.world
    .items('REFUND')
    .map(parseRefund)
    .filter(({ status }) => status === 'PENDING');
  for (const { id } of each(pending)) {
    const state = { status: 'FAILED', code: 'AC06', reason: 'Blocked.' } as const;
    await applyRefundState(tested.credits.context(), { id, orderId }, state);
  }
};
const statuses = async (): Promise<readonly string[]> => {
  const { body } = await tested.world.listRefunds({ companyId: companyOne, params: { id: orderId } });
  return (body as { data: { status: string }[] }).data.map(({ status }) => status);
};

describe('a claim to a payment of which refunds are pending', () => {
  it('is at most what the refunds leave', async () => {
    await tested.refunded(orderId, '40.00');
    refused(await tested.open(orderId, '60.01'), 409, ['amount:LIMIT_EXCEEDED']);
    const id = await tested.calls.opened(orderId);
    expect(await tested.calls.record(id)).toMatchObject({ amount: brl('60.00') });
    expect(await tested.calls.balance()).toEqual(['0.00', '40.00', '60.00']);
  });

  it('a claim is refused when refunds leave no money, and is accepted when they failed', async () => {
    await tested.refunded(orderId);
    refused(await tested.open(orderId), 409, ['amount:LIMIT_EXCEEDED']);
    await fails();
    expect(await statuses()).toEqual(['FAILED']);
    const id = await tested.calls.opened(orderId);
    expect(await tested.calls.record(id)).toMatchObject({ amount: brl('100.00'), blockedAmount: brl('100.00') });
  });

  it('lets them settle while it is open, and both together refund the pay-in', async () => {
    const refundId = await tested.refunded(orderId, '40.00');
    const id = await tested.calls.opened(orderId);
    tested.passes(60);
    expect((await tested.world.force(refundId, 'REFUNDED')).status).toBe(200);
    expect(await payIn()).toMatchObject({ status: 'PAID', refundedAmount: brl('40.00') });
    refused(await tested.refund(orderId, '0.01'), 409, ['id:TRANSITION_NOT_ALLOWED']);
    tested.passes(60);
    await tested.calls.moved(id, 'ACCEPTED');
    expect(await payIn()).toMatchObject({
      ...{ status: 'REFUNDED', refundedAmount: brl('100.00'), refundedAt: tested.world.clock.now },
    });
    expect(
      told().filter((event) => event === 'ORDER-PAYIN.REFUNDED'),
      'of the refund alone',
    ).toHaveLength(1);
    expect(await tested.calls.balance()).toEqual(['0.00', '0.00', '0.00']);
    tested.consistent();
  });

  it('lets them settle after it was accepted, and the last makes the pay-in REFUNDED', async () => {
    const refundId = await tested.refunded(orderId, '40.00');
    const id = await tested.calls.opened(orderId);
    tested.passes(60);
    await tested.calls.moved(id, 'ACCEPTED');
    expect(await payIn()).toMatchObject({ status: 'PAID', refundedAmount: brl('60.00') });
    tested.passes(60);
    expect((await tested.world.force(refundId, 'REFUNDED')).status).toBe(200);
    expect(await payIn()).toMatchObject({ status: 'REFUNDED', refundedAmount: brl('100.00') });
    expect(tested.world.notifications().at(-1)).toMatchObject({
      ...{ event: 'ORDER-PAYIN.REFUNDED', amount: brl('40.00'), refundedAmount: brl('100.00') },
      orderStatus: 'REFUNDED',
    });
    tested.consistent();
  });

  it('lets them fail while it is open, and lacks money no more when their money is back', async () => {
    await tested.refunded(orderId, '40.00');
    await tested.spent('60.00');
    const id = await tested.calls.opened(orderId);
    expect(await tested.blockedOf([id])).toEqual(['0.00']);
    await fails();
    expect(await statuses()).toEqual(['FAILED']);
    refused(await tested.refund(orderId, '40.00'), 409, ['id:TRANSITION_NOT_ALLOWED']);
    tested.passes(60);
    await tested.runs();
    expect(await tested.blockedOf([id])).toEqual(['40.00']);
    expect(await tested.calls.balance()).toEqual(['0.00', '0.00', '40.00']);
    expect(await payIn()).toMatchObject({ status: 'PAID' });
    tested.consistent();
  });

  it('lets them fail after it was accepted, and the pay-in stays PAID with what the dispute returned', async () => {
    await tested.refunded(orderId, '40.00');
    const id = await tested.calls.opened(orderId);
    tested.passes(60);
    await tested.calls.moved(id, 'ACCEPTED');
    await fails();
    expect(await payIn()).toMatchObject({ status: 'PAID', refundedAmount: brl('60.00') });
    refused(await tested.refund(orderId, '40.01'), 409, ['amount:LIMIT_EXCEEDED']);
    expect((await tested.refund(orderId)).body).toMatchObject({ amount: brl('40.00') });
    tested.consistent();
  });

  it('the notification of a failed refund has what the dispute returned', async () => {
    await tested.refunded(orderId, '40.00');
    const id = await tested.calls.opened(orderId, '10.00');
    tested.passes(60);
    await tested.calls.moved(id, 'ACCEPTED');
    await fails();
    expect(tested.world.notifications().at(-1)).toMatchObject({
      ...{ event: 'ORDER-PAYIN.REFUND_FAILED', refundedAmount: brl('10.00'), orderStatus: 'PAID' },
    });
  });
});

describe('a pay-in in a dispute', () => {
  it('refuses every refund, by the tool also, as long as the bank has not decided', async () => {
    const id = await tested.calls.opened(orderId, '1.00');
    const refusesAll = async (): Promise<void> => {
      const before = tested.world.items();
      for (const value of each([undefined, '0.01', '99.00']))
        refused(await tested.refund(orderId, value), 409, ['id:TRANSITION_NOT_ALLOWED']);
      refused(await tested.world.force(orderId, 'REFUNDED'), 409, ['id:TRANSITION_NOT_ALLOWED']);
      expect(tested.world.items()).toEqual(before);
    };
    await refusesAll();
    expect((await tested.calls.defend(id, 'k')).status).toBe(201);
    await refusesAll();
  });

  it('is in one dispute at a time, also when more is left', async () => {
    await tested.calls.opened(orderId, '1.00');
    refused(await tested.open(orderId, '1.00'), 409, ['id:TRANSITION_NOT_ALLOWED']);
    expect(tested.world.items('DISPUTE')).toHaveLength(1);
  });

  it.each(['REJECTED', 'CANCELED'])('is as it was before when the dispute is %s', async (status) => {
    const before = await payIn();
    const id = await tested.calls.opened(orderId);
    expect(await payIn()).toEqual(before);
    tested.passes(60);
    await tested.calls.moved(id, status);
    expect(await payIn()).toEqual(before);
    expect((await tested.refund(orderId)).body).toMatchObject({ amount: brl('100.00') });
  });

  it('is moved by its own id, and refuses a status when it is in no dispute', async () => {
    const opened = await tested.calls.opened(orderId);
    tested.passes(60);
    const response = await tested.calls.ask({ orderId, status: 'ACCEPTED', amount: brl('5.00') });
    expect(response.body).toMatchObject({ id: opened });
    refused(await tested.calls.ask({ orderId, status: 'REJECTED' }), 409, ['status:TRANSITION_NOT_ALLOWED']);
    refused(await tested.calls.ask({ id: opened, status: 'REJECTED' }), 409, ['status:TRANSITION_NOT_ALLOWED']);
  });
});

describe('disputes of one pay-in, one after the other,', () => {
  it('return it in parts, and each can claim only what the ones before left', async () => {
    const back: string[] = [];
    for (const [claimed, returned, sum] of each([
      ['30.00', '30.00', '30.00'],
      ['70.00', '20.00', '50.00'],
      ['10.00', undefined, '50.00'],
      ['50.00', '49.99', '99.99'],
    ] as const)) {
      const id = await tested.calls.opened(orderId, claimed);
      tested.passes(60);
      await tested.calls.moved(id, returned === undefined ? 'REJECTED' : 'ACCEPTED', returned);
      tested.passes(60);
      back.push((await tested.calls.record(id)).returnedAmount.value);
      expect(await payIn()).toMatchObject({ status: 'PAID', refundedAmount: brl(sum) });
      tested.consistent();
    }
    expect(back).toEqual(['30.00', '20.00', '0.00', '49.99']);
    refused(await tested.open(orderId, '0.02'), 409, ['amount:LIMIT_EXCEEDED']);
    const last = await tested.calls.opened(orderId);
    tested.passes(60);
    await tested.calls.moved(last, 'ACCEPTED');
    expect(await payIn()).toMatchObject({ status: 'REFUNDED', refundedAmount: brl('100.00') });
    expect(told()).not.toContain('ORDER-PAYIN.REFUNDED');
    refused(await tested.open(orderId), 409, ['amount:LIMIT_EXCEEDED']);
    refused(await tested.refund(orderId), 409, ['status:TRANSITION_NOT_ALLOWED']);
    expect(await tested.calls.balance()).toEqual(['0.00', '0.00', '0.00']);
  });

  it('and refunds in between sum up to what was paid', async () => {
    const first = await tested.calls.opened(orderId, '20.00');
    tested.passes(60);
    await tested.calls.moved(first, 'ACCEPTED');
    const refundId = await tested.refunded(orderId, '30.00');
    tested.passes(60);
    await tested.world.force(refundId, 'REFUNDED');
    expect(tested.world.notifications().at(-1)).toMatchObject({
      ...{ event: 'ORDER-PAYIN.REFUNDED', amount: brl('30.00'), refundedAmount: brl('50.00'), orderStatus: 'PAID' },
    });
    const second = await tested.calls.opened(orderId);
    expect(await tested.calls.record(second)).toMatchObject({ amount: brl('50.00') });
    tested.passes(60);
    await tested.calls.moved(second, 'ACCEPTED', '40.00');
    tested.passes(60);
    expect((await tested.world.force(orderId, 'REFUNDED')).status).toBe(200);
    expect(await payIn()).toMatchObject({ status: 'REFUNDED', refundedAmount: brl('100.00') });
    expect(await tested.calls.balance()).toEqual(['0.00', '0.00', '0.00']);
    tested.consistent();
  });
});

describe('a payment that cannot be disputed', () => {
  it('is that of a pay-in that is not paid, or of no pay-in at all', async () => {
    const pending = await tested.credits.payIn();
    refused(await tested.open(pending), 409, ['status:TRANSITION_NOT_ALLOWED']);
    await tested.world.force(pending, 'CANCELED');
    refused(await tested.open(pending), 409, ['status:TRANSITION_NOT_ALLOWED']);
    refused(await tested.open('99999999-9999-4999-8999-999999999900'), 404);
    refused(await tested.calls.ask({ creditId: '99999999-9999-4999-8999-999999999900', status: 'OPEN' }), 404);
  });

  it('is that of a pay-in that an own account paid', async () => {
    const other = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
    await tested.world.openAccount(5000, { id: other });
    const own = await tested.credits.payIn();
    const { qrcodeData } = await tested.credits.payInRecord(own);
    const body = payoutBody({ accountId: other, paymentData: { qrcodeData }, amount: brl('25.00') });
    const payout = await tested.world.createPayout({ companyId: companyOne, key: 'own', body });
    expect(payout.status, payout.text).toBe(201);
    await tested.world.force((payout.body as { id: string }).id, 'PAID');
    expect(await tested.credits.payInRecord(own)).toMatchObject({ status: 'PAID' });
    const before = tested.world.items();
    refused(await tested.open(own), 409, ['orderId:INVALID_VALUE']);
    expect(tested.world.items()).toEqual(before);
  });

  it('is that of an assigned credit, but that of its pay-in can be', async () => {
    const creditId = await tested.credits.received('25.00');
    const wanted = await tested.credits.payIn({ amount: brl('25.00') });
    expect((await tested.credits.assign(creditId, wanted)).status).toBe(200);
    refused(await tested.calls.ask({ creditId, status: 'OPEN' }), 409, ['status:TRANSITION_NOT_ALLOWED']);
    const id = await tested.calls.opened(wanted);
    const { endToEndId } = await tested.credits.record(creditId);
    expect(await tested.calls.record(id)).toMatchObject({ orderId: wanted, endToEndId, amount: brl('25.00') });
    tested.passes(60);
    await tested.calls.moved(id, 'ACCEPTED');
    expect(await tested.credits.payInRecord(wanted)).toMatchObject({ status: 'REFUNDED' });
    expect(await tested.credits.record(creditId)).toMatchObject({ status: 'ASSIGNED' });
    tested.consistent();
  });
});

describe('a credit in a dispute', () => {
  let creditId: string;
  beforeEach(async () => {
    creditId = await tested.credits.received('25.00');
    tested.passes(60);
  });

  it('refuses returns and assignments until the bank has decided, and then returns the rest', async () => {
    const id = await tested.openOfCredit(creditId, '10.00');
    const wanted = await tested.credits.payIn({ amount: brl('25.00') });
    refused(await tested.credits.giveBack(creditId, 'a', '1.00'), 409, ['id:TRANSITION_NOT_ALLOWED']);
    refused(await tested.credits.assign(creditId, wanted), 409, ['id:TRANSITION_NOT_ALLOWED']);
    tested.passes(60);
    await tested.calls.moved(id, 'ACCEPTED');
    expect(await tested.credits.record(creditId)).toMatchObject({ status: 'OPEN', returnedAmount: brl('10.00') });
    refused(await tested.credits.assign(creditId, wanted), 409, ['id:TRANSITION_NOT_ALLOWED']);
    refused(await tested.credits.giveBack(creditId, 'b', '15.01'), 409, ['amount:LIMIT_EXCEEDED']);
    const returnId = await tested.credits.returned(creditId);
    tested.passes(60);
    expect((await tested.world.force(returnId, 'REFUNDED')).status).toBe(200);
    expect(await tested.credits.record(creditId)).toMatchObject({ status: 'RETURNED', returnedAmount: brl('25.00') });
    expect(await tested.calls.balance()).toEqual(['100.00', '0.00', '0.00']);
    tested.consistent();
  });

  it('lets a return that was pending settle or fail', async () => {
    for (const [status, amount] of each([
      ['REFUNDED', '5.00'],
      ['ERROR', '0.00'],
    ] as const)) {
      const one = await tested.credits.received('25.00');
      const returnId = await tested.credits.returned(one, '5.00');
      const id = await tested.openOfCredit(one);
      expect(await tested.calls.record(id)).toMatchObject({ amount: brl('20.00'), creditId: one });
      tested.passes(60);
      expect((await tested.world.force(returnId, status)).status).toBe(200);
      tested.passes(60);
      await tested.calls.moved(id, 'ACCEPTED');
      const record = await tested.credits.record(one);
      expect(record.returnedAmount).toEqual(brl(amount === '5.00' ? '25.00' : '20.00'));
      expect(record.status).toBe(amount === '5.00' ? 'RETURNED' : 'OPEN');
      tested.consistent();
    }
  });

  it('can be assigned when the claim was rejected', async () => {
    const id = await tested.openOfCredit(creditId);
    tested.passes(60);
    await tested.calls.moved(id, 'REJECTED');
    const wanted = await tested.credits.payIn({ amount: brl('25.00') });
    expect((await tested.credits.assign(creditId, wanted)).status).toBe(200);
    expect(await tested.credits.payInRecord(wanted)).toMatchObject({ status: 'PAID' });
  });

  it('has its own entries, which name the credit', async () => {
    const id = await tested.openOfCredit(creditId);
    const query = { type: 'MED_BLOCKED' };
    const page = await tested.world.listEntries({ companyId: companyOne, params: { accountId: account }, query });
    const { endToEndId } = await tested.credits.record(creditId);
    expect((page.body as { data: object[] }).data).toMatchObject([{ disputeId: id, creditId, endToEndId }]);
  });
});
