import { beforeEach, describe, expect, it } from 'vitest';
import { brl } from '#shared/contract/examples.ts';
import { plusMilliseconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { CreditReturnNotification } from '#shared/webhooks/notification.ts';
import { testClient } from '../support/api.ts';
import type { World } from '../support/bank-world.ts';
import { account, bankWorld, companyOne, noon, payoutBody } from '../support/bank-world.ts';
import type { ReturnBody } from '../support/credits.ts';
import { creditCalls } from '../support/credits.ts';
import { each } from '../support/each.ts';
import { refused } from '../support/refusals.ts';

let world: World;
let calls: ReturnType<typeof creditCalls>;
let id: string;
beforeEach(async () => {
  world = bankWorld();
  calls = creditCalls(world);
  await world.openAccount(0);
  id = await calls.received();
  world.clock.now = plusSeconds(noon, 60);
});
const ask = (key: string, value?: unknown) => calls.giveBack(id, key, value);
const settle = (returnId: string) => world.force(returnId, 'REFUNDED');
const lastTold = () => CreditReturnNotification.parse(world.notifications().at(-1));
const entryOf = async () => {
  const { returns: _left, ...entry } = await calls.record(id);
  return entry;
};
const referencesOf = () =>
  world
    .items('LEDGER_ENTRY')
    .slice(1)
    .map(({ kind, creditId, refundId }) => [kind, creditId, refundId]);

describe('a return of a whole credit', () => {
  it('reserves the amount at once, and the credit stays open without returnedAmount', async () => {
    const response = await ask('r');
    expect(response.status, response.text).toBe(201);
    expect(response.body).toEqual({
      returnId: expect.stringMatching(/^[0-9a-f]{32}$/u) as string,
      ...{ creditId: id, amount: brl('25.00'), status: 'PENDING', createdAt: world.clock.now },
    });
    expect(await calls.balance()).toEqual(['0.00', '25.00']);
    const record = await calls.record(id);
    expect(record).toMatchObject({ status: 'OPEN', returns: [response.body] });
    expect(record).not.toHaveProperty('returnedAmount');
    expect(calls.told()).toEqual(['CREDIT.RECEIVED']);
  });

  it('a return makes the credit RETURNED when it settles, and is notified as CREDIT.RETURNED with credit and return', async () => {
    const returnId = await calls.returned(id);
    const createdAt = world.clock.now;
    world.clock.now = plusSeconds(createdAt, 5);
    expect((await settle(returnId)).status).toBe(200);
    const record = await calls.record(id);
    const returned = {
      ...{ returnId, creditId: id, amount: brl('25.00'), status: 'SETTLED', createdAt, createdBy: testClient },
      endToEndId: expect.stringMatching(/^D/u) as string,
    };
    expect(record).toMatchObject({ status: 'RETURNED', returnedAmount: brl('25.00'), updatedAt: world.clock.now });
    expect(record.returns).toEqual([returned]);
    expect(world.notifications().slice(1)).toEqual([
      { event: 'CREDIT.RETURNED', occurredAt: world.clock.now, data: { credit: await entryOf(), return: returned } },
    ]);
    expect(lastTold()).toEqual(world.notifications().at(-1));
    expect(await calls.balance()).toEqual(['0.00', '0.00']);
  });

  it('has entries that name the credit and the return', async () => {
    const returnId = await calls.returned(id);
    await settle(returnId);
    expect(referencesOf()).toEqual([
      ['REFUND_RESERVED', id, returnId],
      ['REFUND_SETTLED', id, returnId],
    ]);
    expect(world.items('LEDGER_ENTRY').at(-1)).toMatchObject({ endToEndId: expect.stringMatching(/^D/u) as string });
  });

  it('is refused for a credit that is RETURNED or ASSIGNED', async () => {
    await settle(await calls.returned(id));
    refused(await ask('again'), 409, ['status:TRANSITION_NOT_ALLOWED']);
    const assigned = await calls.received();
    await calls.assign(assigned, await calls.payIn());
    refused(await calls.giveBack(assigned, 'of the assigned'), 409, ['status:TRANSITION_NOT_ALLOWED']);
  });

  it('can be requested on the ninetieth day, and not later', async () => {
    const last = plusSeconds(noon, 90 * 86_400);
    world.clock.now = plusMilliseconds(last, 1);
    const before = world.items();
    refused(await ask('late'), 409, ['id:EXPIRED']);
    expect(world.items()).toEqual(before);
    world.clock.now = last;
    expect((await ask('in time')).status).toBe(201);
  });
});

describe('a return of a part of a credit', () => {
  it('takes an amount in any form, reserves it alone, and leaves the credit open when it settles', async () => {
    const { returnId } = (await ask('r', 10.5)).body as ReturnBody;
    expect(await calls.balance()).toEqual(['14.50', '10.50']);
    await settle(returnId);
    expect(await calls.record(id)).toMatchObject({ status: 'OPEN', returnedAmount: brl('10.50') });
    expect(await calls.balance()).toEqual(['14.50', '0.00']);
    expect(lastTold()).toMatchObject({
      event: 'CREDIT.RETURNED',
      data: { credit: { status: 'OPEN', returnedAmount: brl('10.50') }, return: { amount: brl('10.50') } },
    });
  });

  it('is of the rest when no amount is given, after which the credit is RETURNED', async () => {
    await settle(await calls.returned(id, '10.00'));
    const rest = await calls.returned(id);
    expect(await calls.balance()).toEqual(['0.00', '15.00']);
    await settle(rest);
    expect(await calls.record(id)).toMatchObject({ status: 'RETURNED', returnedAmount: brl('25.00') });
  });

  it('is open beside others, which are shown newest first and end in any order', async () => {
    const made: string[] = [];
    for (const value of ['5.00', '6.00', '7.00']) {
      world.clock.now = plusSeconds(world.clock.now, 1);
      made.push(await calls.returned(id, value));
    }
    expect(await calls.balance()).toEqual(['7.00', '18.00']);
    await settle(made[1]!);
    await settle(made[0]!);
    expect((await calls.record(id)).returns.map(({ returnId, status }) => [returnId, status])).toEqual([
      [made[2], 'PENDING'],
      [made[1], 'SETTLED'],
      [made[0], 'SETTLED'],
    ]);
    expect(await calls.record(id)).toMatchObject({ status: 'OPEN', returnedAmount: brl('11.00') });
    expect(await calls.balance()).toEqual(['7.00', '7.00']);
  });

  it('a return of more than is left is refused, and changes no record', async () => {
    await calls.returned(id, '20.00');
    const before = world.items();
    refused(await ask('too much', '5.01'), 409, ['amount:LIMIT_EXCEEDED']);
    expect(world.items()).toEqual(before);
    expect((await ask('the rest', '5.00')).status).toBe(201);
    refused(await ask('nothing left'), 409, ['amount:LIMIT_EXCEEDED']);
  });

  it.each([0, '0.00', '-1.00', '1.001', '25.00 '])('is 400 when its amount is %j', async (value) => {
    refused(await ask('r', value), 400, ['amount.value:INVALID_FORMAT']);
  });

  it('gets the last centavo once when two, or many, ask for it at the same time', async () => {
    await calls.received('100.00');
    await calls.returned(id, '24.99');
    for (const count of [2, 10]) {
      const responses = await Promise.all(
        Array.from({ length: count }, (_, place) => ask(`${count}-${place}`, '0.01')),
      );
      const statuses = responses.map(({ status }) => status).toSorted();
      const others = Array.from({ length: count - 1 }, () => 409);
      expect(statuses).toEqual(count === 2 ? [201, ...others] : [...others, 409]);
    }
    expect(await calls.balance()).toEqual(['100.00', '25.00']);
  });
});

describe('a return that the bank refuses', () => {
  beforeEach(() => {
    world.bank.refunds.submit = () => Promise.resolve({ outcome: 'REFUSED', code: 'AC06', reason: 'Blocked.' });
  });

  it('a return that fails makes its money available again, and is notified as CREDIT.RETURN_FAILED', async () => {
    const first = await ask('r', '10.00');
    expect(first, 'the response shows a pending return').toMatchObject({ status: 201, body: { status: 'PENDING' } });
    const { returnId } = first.body as ReturnBody;
    expect(await calls.balance()).toEqual(['25.00', '0.00']);
    expect(referencesOf()).toEqual([
      ['REFUND_RESERVED', id, returnId],
      ['REFUND_RETURNED', id, returnId],
    ]);
    const [failed] = (await calls.record(id)).returns;
    expect(failed).toMatchObject({ returnId, status: 'FAILED', errorMessage: 'AC06: Blocked.' });
    expect(failed).not.toHaveProperty('endToEndId');
    const data = { credit: await entryOf(), return: failed };
    const told = { event: 'CREDIT.RETURN_FAILED', occurredAt: (await entryOf()).updatedAt, data };
    expect(world.notifications().slice(1)).toEqual([told]);
    expect(lastTold()).toEqual(told);
    expect(await entryOf()).not.toHaveProperty('returnedAmount');
  });

  it('may be requested again, and settles like any other', async () => {
    await calls.returned(id);
    world.bank.refunds.submit = world.simulated.refunds.submit;
    await settle(await calls.returned(id));
    expect(await calls.record(id)).toMatchObject({ status: 'RETURNED', returnedAmount: brl('25.00') });
    expect(calls.told()).toEqual(['CREDIT.RECEIVED', 'CREDIT.RETURN_FAILED', 'CREDIT.RETURNED']);
  });

  it('is repeated with its first response, and asks the bank no second time', async () => {
    const first = await ask('r');
    const again = await ask('r');
    expect(again).toMatchObject({ status: 201, text: first.text, headers: { 'idempotent-replayed': 'true' } });
    expect(world.items('CREDIT_RETURN')).toHaveLength(1);
  });
});

describe('a return that its account does not allow', () => {
  it('a return is refused, and changes no record, when the account is INACTIVE', async () => {
    await world.setAccountStatus('ACTIVE', 'INACTIVE');
    const before = world.items();
    refused(await ask('r'), 409, ['accountId:INVALID_VALUE']);
    expect(world.items()).toEqual(before);
  });

  it('a return is refused, and changes no record, when the account has less than the amount', async () => {
    await world.createPayout({ companyId: companyOne, key: 'p', body: payoutBody() });
    const before = world.items();
    refused(await ask('all'), 409, ['amount:INSUFFICIENT_BALANCE']);
    expect(world.items()).toEqual(before);
    expect((await ask('what is there', '15.00')).status).toBe(201);
  });

  it('settles although the account was deactivated meanwhile', async () => {
    const returnId = await calls.returned(id);
    await world.setAccountStatus('ACTIVE', 'INACTIVE');
    expect((await settle(returnId)).status).toBe(200);
    expect(await calls.record(id)).toMatchObject({ status: 'RETURNED' });
  });
});

describe('a request of a return with a key that was used', () => {
  it('gets the first response again, byte for byte, also after all went back and ten years later', async () => {
    const first = await ask('r', '25.00');
    const again = async (): Promise<void> => {
      const response = await ask('r', '25.00');
      expect(response).toMatchObject({ status: 201, text: first.text, headers: { 'idempotent-replayed': 'true' } });
    };
    await again();
    await settle((first.body as ReturnBody).returnId);
    await again();
    await world.setAccountStatus('ACTIVE', 'CLOSED');
    world.clock.now = '2036-01-15T15:00:00.000Z';
    await again();
    expect(world.items('CREDIT_RETURN')).toHaveLength(1);
  });

  it('is 422 for another amount, for no amount, and for another credit', async () => {
    const other = await calls.received();
    await ask('r', '5.00');
    for (const response of each([await ask('r', '5.01'), await ask('r'), await calls.giveBack(other, 'r', '5.00')]))
      refused(response, 422, ['idempotency-key:IDEMPOTENCY_KEY_REUSED']);
    expect((await ask('r', 5)).headers).toMatchObject({ 'idempotent-replayed': 'true' });
  });

  it('makes one return when 20 come at once', async () => {
    await calls.received();
    const responses = await Promise.all(Array.from({ length: 20 }, () => ask('r')));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(await calls.balance()).toEqual(['25.00', '25.00']);
  });

  it('needs the header', async () => {
    refused(await world.returnCredit({ companyId: companyOne, params: { id }, body: {} }), 400, [
      'idempotency-key:REQUIRED',
    ]);
  });
});

it('a credit of an account is returned from that account alone', async () => {
  const other = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
  await world.openAccount(0, { id: other });
  await settle(await calls.returned(await calls.received('3.00', { accountId: other })));
  expect([await calls.balance(account), await calls.balance(other)]).toEqual([
    ['25.00', '0.00'],
    ['0.00', '0.00'],
  ]);
});
