import { beforeEach, describe, expect, test } from 'vitest';
import { brl } from '#shared/contract/examples.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { e2e } from '../bank-events/bank-events-world.ts';
import { testClient } from '../support/api.ts';
import { account, companyOne, noon, otherCompany, payoutBody, receiver } from '../support/bank-world.ts';
import { creditCalls, creditOf, payer } from '../support/credits.ts';
import { refused } from '../support/refusals.ts';
import type { SubscriptionWorld } from '../support/subscription-world.ts';
import { compositeBody, subscriptionWorld } from '../support/subscription-world.ts';

/** A credit that a partner assigns to a pay-in: the money is there already, and pays it. */

const nobody = '99999999-9999-4999-8999-999999999900';
const receivedAt = noon;
let world: SubscriptionWorld;
let calls: ReturnType<typeof creditCalls>;
let id: string;
let orderId: string;
/** References of the charges that the bank was told to remove. */
let removed: string[];
beforeEach(async () => {
  world = subscriptionWorld();
  calls = creditCalls(world);
  await world.openAccount(0);
  id = await calls.received('25.00', { payer: { name: payer.name, document: payer.document } });
  world.clock.now = plusSeconds(noon, 60);
  orderId = await calls.payIn();
  world.clock.now = plusSeconds(noon, 120);
  removed = [];
  const { submit } = world.bank.charges.remove;
  world.bank.charges.remove.submit = (order, context) => {
    removed.push(order.reference);
    return submit(order, context);
  };
});

/** The pay-in as it is stored: a partner reads its payer in the notification alone. */
const stored = () => world.items('PAY_IN').find((item) => item['id'] === orderId);

/** Asserts that an assignment is refused and changes nothing. */
async function refusedAssignment(creditId: string, to: string, fault: string): Promise<void> {
  const before = world.items();
  refused(await calls.assign(creditId, to), 409, [fault]);
  expect(world.items()).toEqual(before);
  expect(removed).toEqual([]);
}

describe('a credit that is assigned to a pay-in', () => {
  test('is ASSIGNED and names the pay-in', async () => {
    const before = await calls.record(id);
    const response = await calls.assign(id, orderId);
    expect(response.status, response.text).toBe(200);
    expect(response.body).toEqual({
      ...before,
      ...{ status: 'ASSIGNED', orderId, assignedBy: testClient, updatedAt: world.clock.now },
    });
    expect(await calls.record(id)).toEqual(response.body);
  });

  test('pays it with its own payment, payer and time, and moves no money', async () => {
    const { endToEndId, payer: actual } = await calls.record(id);
    const entries = calls.entries();
    await calls.assign(id, orderId);
    const paid = { status: 'PAID', endToEndId, paidAt: receivedAt };
    expect(await calls.payInRecord(orderId)).toMatchObject({ ...paid, amount: brl('25.00') });
    expect(stored()).toMatchObject({ ...paid, updatedAt: world.clock.now, payer: actual });
    expect(actual).toMatchObject({ name: payer.name, document: payer.document });
    expect(calls.entries()).toEqual(entries);
    expect(await calls.balance()).toEqual(['25.00', '0.00']);
  });

  test('an assignment is notified as the payment of the pay-in, once', async () => {
    const { endToEndId } = await calls.record(id);
    await calls.assign(id, orderId);
    expect(calls.told()).toEqual(['CREDIT.RECEIVED', 'ORDER-PAYIN.PAID']);
    expect(world.notified().at(-1)).toMatchObject({
      ...{ resource: { type: 'PAY_IN', id: orderId }, target: { type: 'PAYIN' } },
      data: { id: orderId, status: 'PAID', endToEndId, paidAt: receivedAt, payer: { name: payer.name } },
    });
  });

  test('an assignment to the same pay-in again changes no record, and notifies no one', async () => {
    const first = await calls.assign(id, orderId);
    const before = world.items();
    for (const again of [orderId, orderId.toUpperCase()])
      expect(await calls.assign(id, again)).toMatchObject({ status: 200, text: first.text });
    expect(world.items()).toEqual(before);
    expect(removed).toHaveLength(1);
  });

  test('is taken by its id in capitals', async () => {
    expect((await calls.assign(id.toUpperCase(), orderId.toUpperCase())).status).toBe(200);
    expect(await calls.record(id)).toMatchObject({ status: 'ASSIGNED', orderId });
  });

  test('keeps the payer whom the pay-in expects when the bank named none', async () => {
    const unnamed = await calls.booked(e2e(5), 2500);
    await calls.assign(unnamed, orderId);
    expect(stored()).toMatchObject({ status: 'PAID', endToEndId: e2e(5), payer: receiver });
  });

  test('gives up the order that its payment named', async () => {
    const paid = await calls.payIn();
    await world.force(paid, 'PAID');
    await calls.hear(paid, { endToEndId: e2e(5), amount: 2500 });
    const { credit } = await creditOf(world.store, companyOne, e2e(5));
    await calls.assign(credit.id, orderId);
    expect(await calls.record(credit.id)).toMatchObject({ reason: 'SECOND_PAYMENT', orderId });
  });
});

describe('the charge of a pay-in that a credit pays', () => {
  test('is removed at the bank, after the pay-in is paid', async () => {
    await calls.assign(id, orderId);
    expect(removed).toEqual([orderId.replaceAll('-', '')]);
  });

  test.each([
    ['does not respond', () => Promise.resolve({ outcome: 'UNKNOWN' } as const)],
    ['fails', () => Promise.reject(new Error('The bank failed.'))],
  ])('leaves the pay-in paid when the bank %s', async (_how, submit) => {
    world.bank.charges.remove.submit = submit;
    expect((await calls.assign(id, orderId)).status).toBe(200);
    expect(await calls.payInRecord(orderId)).toMatchObject({ status: 'PAID' });
  });

  test('does not pay again when the bank reports the same payment of it', async () => {
    const { endToEndId } = await calls.record(id);
    await calls.assign(id, orderId);
    const before = world.items();
    await calls.hear(orderId, { endToEndId, amount: 2500 });
    expect(world.items()).toEqual(before);
  });

  test('does not pay again when it is paid all the same: that is another credit', async () => {
    await calls.assign(id, orderId);
    const paid = await calls.payInRecord(orderId);
    for (let times = 0; times < 2; times += 1) await calls.hear(orderId, { endToEndId: e2e(5), amount: 2500 });
    expect(await calls.payInRecord(orderId)).toEqual(paid);
    expect((await creditOf(world.store, companyOne, e2e(5))).credit).toMatchObject({
      reason: 'SECOND_PAYMENT',
      orderId,
    });
    expect(await calls.balance()).toEqual(['50.00', '0.00']);
    expect(calls.told()).toEqual(['CREDIT.RECEIVED', 'ORDER-PAYIN.PAID', 'CREDIT.RECEIVED']);
  });

  test('does not expire the pay-in when its time is over', async () => {
    await calls.assign(id, orderId);
    world.clock.now = plusSeconds(noon, 400 * 86_400);
    expect(await world.expirePayIns()).toEqual({ expired: 0, failed: 0 });
    expect(await calls.payInRecord(orderId)).toMatchObject({ status: 'PAID' });
  });
});

test('a refund of a pay-in that a credit paid goes back by the payment of the credit', async () => {
  const { endToEndId } = await calls.record(id);
  await calls.assign(id, orderId);
  const orders: object[] = [];
  const { submit } = world.bank.refunds;
  world.bank.refunds.submit = (order, context) => {
    orders.push(order);
    return submit(order, context);
  };
  const body = { amount: brl('10.00') };
  const response = await world.refundPayIn({ companyId: companyOne, key: 'r', params: { id: orderId }, body });
  expect(response.status, response.text).toBe(201);
  expect(orders).toMatchObject([{ endToEndId, amount: 1000 }]);
  await world.force((response.body as { readonly refundId: string }).refundId, 'REFUNDED');
  await world.force(orderId, 'REFUNDED');
  expect(await calls.payInRecord(orderId)).toMatchObject({ status: 'REFUNDED' });
  expect(await calls.record(id), 'the credit is the pay-in’s for good').toMatchObject({
    status: 'ASSIGNED',
    returns: [],
  });
  expect(await calls.balance()).toEqual(['0.00', '0.00']);
});

describe('an assignment', () => {
  test('an assignment of an assigned credit to another pay-in is refused', async () => {
    await calls.assign(id, orderId);
    removed = [];
    await refusedAssignment(id, await calls.payIn(), 'status:TRANSITION_NOT_ALLOWED');
  });

  test.each(['24.99', '25.01'])('to a pay-in of %s is refused for a credit of 25.00', async (value) => {
    await refusedAssignment(id, await calls.payIn({ amount: brl(value) }), 'orderId:INVALID_VALUE');
  });

  test('to a pay-in of another account is refused', async () => {
    const other = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
    await world.openAccount(0, { id: other });
    await refusedAssignment(id, await calls.payIn({ accountId: other }), 'orderId:INVALID_VALUE');
  });

  test('an assignment of money that another bank received is refused: a refund of the pay-in could not give it back', async () => {
    const elsewhere = await calls.booked(e2e(5), 2500, { connection: 'cccccccc-cccc-4ccc-8ccc-000000000001' });
    await refusedAssignment(elsewhere, orderId, 'orderId:INVALID_VALUE');
  });

  test.each(['PAID', 'CANCELED', 'EXPIRED', 'ERROR'])('to a pay-in that is %s is refused', async (status) => {
    await world.force(orderId, status);
    await refusedAssignment(id, orderId, 'orderId:INVALID_VALUE');
  });

  test('to a pay-in that was refunded is refused', async () => {
    await world.force(orderId, 'PAID');
    await world.force(orderId, 'REFUNDED');
    await refusedAssignment(id, orderId, 'orderId:INVALID_VALUE');
  });

  test('to the first charge of a subscription is refused', async () => {
    const { initialCharge } = await world.created(compositeBody({ initialCharge: { amount: brl('25.00') } }));
    await refusedAssignment(id, initialCharge!.orderId, 'orderId:INVALID_VALUE');
    expect(await calls.payInRecord(initialCharge!.orderId)).toMatchObject({ status: 'PENDING' });
  });

  test.each([undefined, '1.00'])('an assignment of a credit whose return of %s has begun is refused', async (value) => {
    await calls.returned(id, value);
    await refusedAssignment(id, orderId, 'id:TRANSITION_NOT_ALLOWED');
  });

  test('an assignment of a credit of which a part has gone back is refused', async () => {
    await world.force(await calls.returned(id, '1.00'), 'REFUNDED');
    await refusedAssignment(id, orderId, 'id:TRANSITION_NOT_ALLOWED');
  });

  test('an assignment of a credit that has gone back is refused', async () => {
    await world.force(await calls.returned(id), 'REFUNDED');
    await refusedAssignment(id, orderId, 'status:TRANSITION_NOT_ALLOWED');
  });

  test('an assignment of a credit whose return failed is made', async () => {
    world.bank.refunds.submit = () => Promise.resolve({ outcome: 'REFUSED', reason: 'No.' });
    await calls.returned(id);
    expect((await calls.assign(id, orderId)).status).toBe(200);
  });

  test('an assignment is 404 for an unknown pay-in or credit, a payout, and what another company has', async () => {
    const payout = await world.createPayout({ companyId: companyOne, key: 'p', body: payoutBody() });
    const foreign = 'dddddddd-dddd-4ddd-8ddd-dddddddddddd';
    await world.openAccount(0, { id: foreign, companyId: otherCompany });
    const body = { accountId: foreign, amount: brl('25.00') };
    const other = (await world.receiveCredit({ companyId: otherCompany, body })).body as { readonly id: string };
    const before = world.items();
    refused(await calls.assign(id, nobody), 404);
    refused(await calls.assign(nobody, orderId), 404);
    refused(await calls.assign(id, (payout.body as { readonly id: string }).id), 404);
    refused(await calls.assign(other.id, orderId), 404);
    refused(await calls.assign(other.id, orderId, otherCompany), 404);
    expect(world.items()).toEqual(before);
  });

  test('is 400 without the id of an order', async () => {
    refused(await world.assignCredit({ companyId: companyOne, params: { id }, body: {} }), 400, ['orderId:REQUIRED']);
  });
});

describe('of two requests at once', () => {
  const statusesOf = (responses: readonly { readonly status: number }[]) =>
    responses.map(({ status }) => status).toSorted();
  const paidOf = () => world.items('PAY_IN').filter(({ status }) => status === 'PAID');

  test('one wins that assigns a credit to one of two pay-ins', async () => {
    const second = await calls.payIn();
    expect(statusesOf(await Promise.all([calls.assign(id, orderId), calls.assign(id, second)]))).toEqual([200, 409]);
    expect(paidOf()).toMatchObject([{ id: (await calls.record(id)).orderId }]);
    expect(calls.told()).toEqual(['CREDIT.RECEIVED', 'ORDER-PAYIN.PAID']);
    expect(removed).toHaveLength(1);
  });

  test('one wins that assigns one of two credits to a pay-in', async () => {
    const second = await calls.received();
    expect(statusesOf(await Promise.all([calls.assign(id, orderId), calls.assign(second, orderId)]))).toEqual([
      200, 409,
    ]);
    const states = [await calls.record(id), await calls.record(second)].map(({ status }) => status);
    expect(states.toSorted()).toEqual(['ASSIGNED', 'OPEN']);
    expect(paidOf()).toHaveLength(1);
  });

  test.each([
    ['an assignment first', () => Promise.all([calls.assign(id, orderId), calls.giveBack(id, 'r')])],
    ['a return first', () => Promise.all([calls.giveBack(id, 'r'), calls.assign(id, orderId)])],
  ])('one wins that assigns a credit or returns it, %s', async (_order, both) => {
    const statuses = statusesOf(await both());
    const { status, returns } = await calls.record(id);
    const isAssigned = status === 'ASSIGNED';
    expect(statuses).toEqual([isAssigned ? 200 : 201, 409]);
    expect(returns).toHaveLength(isAssigned ? 0 : 1);
    expect(paidOf()).toHaveLength(isAssigned ? 1 : 0);
    expect(await calls.balance()).toEqual(isAssigned ? ['25.00', '0.00'] : ['0.00', '25.00']);
  });

  test('the same twice is one assignment', async () => {
    expect(statusesOf(await Promise.all([calls.assign(id, orderId), calls.assign(id, orderId)]))).toEqual([200, 200]);
    expect(calls.told()).toEqual(['CREDIT.RECEIVED', 'ORDER-PAYIN.PAID']);
  });

  test('an assignment and the bank’s own payment pay the pay-in once, and no money is lost', async () => {
    const [response] = await Promise.all([
      calls.assign(id, orderId),
      calls.hear(orderId, { endToEndId: e2e(5), amount: 2500 }),
    ]);
    expect([200, 409]).toContain(response.status);
    expect(paidOf()).toHaveLength(1);
    expect(await calls.balance(account)).toEqual(['50.00', '0.00']);
    expect(calls.told().filter((event) => event === 'ORDER-PAYIN.PAID')).toHaveLength(1);
  });
});
