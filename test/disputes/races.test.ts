import { beforeEach, describe, expect, it } from 'vitest';
import { brl } from '#shared/contract/examples.ts';
import { forbiddenByState, RequestError } from '#shared/core/errors.ts';
import { availableOf, whileMoneyMoves } from '#shared/disputes/block.ts';
import { companyOne, payoutBody } from '../support/bank-world.ts';
import { each } from '../support/each.ts';
import { refused } from '../support/refusals.ts';
import { disputesWorld } from './disputes-world.ts';

let tested: ReturnType<typeof disputesWorld>;
beforeEach(async () => {
  tested = disputesWorld();
  await tested.world.openAccount(0);
});

describe('requests at the same time', () => {
  it('one of six requests opens a dispute of one payment, and the others are 409', async () => {
    const orderId = await tested.paid('10.00');
    const responses = await Promise.all(Array.from({ length: 6 }, () => tested.open(orderId)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
    for (const lost of responses.filter(({ status }) => status === 409))
      refused(lost, 409, ['id:TRANSITION_NOT_ALLOWED']);
    expect(tested.calls.told()).toEqual(['DISPUTE.OPENED']);
    expect(await tested.calls.balance()).toEqual(['0.00', '0.00', '10.00']);
    tested.consistent();
  });

  it('two requests open disputes of two payments, and no money is blocked twice', async () => {
    const orders = [await tested.paid('10.00'), await tested.paid('10.00')];
    await tested.spent('12.00');
    const responses = await Promise.all(orders.map((orderId) => tested.open(orderId)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(await tested.calls.balance()).toEqual(['0.00', '0.00', '8.00']);
    tested.passes(60);
    await tested.runs();
    expect(await tested.calls.balance()).toEqual(['0.00', '0.00', '8.00']);
  });

  it('a dispute that opens while a refund is asked for claims what the refund leaves', async () => {
    const orderId = await tested.paid('10.00');
    tested.rival('DISPUTE', () => tested.refunded(orderId, '4.00'));
    const id = await tested.calls.opened(orderId);
    expect(await tested.calls.record(id)).toMatchObject({ amount: brl('6.00'), blockedAmount: brl('6.00') });
    expect(await tested.calls.balance()).toEqual(['0.00', '4.00', '6.00']);
  });

  it('a claim of all is refused when a refund came in between', async () => {
    const orderId = await tested.paid('10.00');
    tested.rival('DISPUTE', () => tested.refunded(orderId, '4.00'));
    refused(await tested.open(orderId, '10.00'), 409, ['amount:LIMIT_EXCEEDED']);
    expect(tested.world.items('DISPUTE')).toEqual([]);
    expect(await tested.calls.balance()).toEqual(['6.00', '4.00', '0.00']);
  });

  it('a refund is refused when a dispute opened while it was asked for', async () => {
    const orderId = await tested.paid('10.00');
    tested.rival('REFUND', () => tested.calls.opened(orderId, '1.00'));
    refused(await tested.refund(orderId, '2.00'), 409, ['id:TRANSITION_NOT_ALLOWED']);
    expect(await tested.calls.balance()).toEqual(['9.00', '0.00', '1.00']);
    tested.consistent();
  });

  it('a return and an assignment of a credit are refused when a dispute opened meanwhile', async () => {
    const creditId = await tested.credits.received('25.00');
    const orderId = await tested.credits.payIn({ amount: brl('25.00') });
    tested.rival('CREDIT', () => tested.openOfCredit(creditId, '1.00'));
    refused(await tested.credits.assign(creditId, orderId), 409, ['id:TRANSITION_NOT_ALLOWED']);
    const other = await tested.credits.received('5.00');
    tested.rival('CREDIT', () => tested.openOfCredit(other, '1.00'));
    refused(await tested.credits.giveBack(other, 'k'), 409, ['id:TRANSITION_NOT_ALLOWED']);
    expect(await tested.calls.balance()).toEqual(['28.00', '0.00', '2.00']);
  });

  it('a dispute that opens while its money is spent blocks what is left', async () => {
    for (const shards of each([1, 3])) {
      tested = disputesWorld();
      await tested.world.openAccount(0);
      const orderId = await tested.paid('10.00');
      if (shards > 1) await tested.world.setShards(shards);
      tested.rival('DISPUTE', () => tested.spent('7.00'));
      const id = await tested.calls.opened(orderId);
      expect(await tested.blockedOf([id])).toEqual(['3.00']);
      expect(await tested.calls.balance()).toEqual(['0.00', '0.00', '3.00']);
      expect(tested.calls.told()).toEqual(['DISPUTE.OPENED']);
      tested.consistent();
    }
  });

  it('a job that blocks while the money is spent blocks what is left', async () => {
    const orderId = await tested.paid('10.00');
    await tested.spent('10.00');
    const id = await tested.calls.opened(orderId);
    await tested.credits.received('8.00');
    tested.passes(60);
    tested.rival('DISPUTE', () => tested.spent('5.00'));
    await tested.runs();
    expect(await tested.blockedOf([id])).toEqual(['3.00']);
    expect(await tested.calls.balance()).toEqual(['0.00', '0.00', '3.00']);
    tested.consistent();
  });

  it('a payout cannot spend what a dispute blocked meanwhile', async () => {
    const orderId = await tested.paid('10.00');
    tested.rival('PAYOUT', () => tested.calls.opened(orderId));
    const body = payoutBody({ amount: brl('10.00') });
    const response = await tested.world.createPayout({ companyId: companyOne, key: 'p', body });
    expect(refused(response, 409)).toMatchObject({ details: [{ issue: 'INSUFFICIENT_BALANCE' }] });
    expect(await tested.calls.balance()).toEqual(['0.00', '0.00', '10.00']);
  });

  it('one of four decisions of a dispute counts, and its money moves once', async () => {
    const id = await tested.calls.opened(await tested.paid('10.00'));
    tested.passes(60);
    const answers = await Promise.all(
      ['ACCEPTED', 'REJECTED', 'CANCELED', 'ACCEPTED'].map((status) => tested.calls.ask({ id, status })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    expect(tested.calls.entries()).toHaveLength(2);
    expect(tested.calls.told()).toHaveLength(2);
    tested.consistent();
  });

  it('a decision while a job blocks more takes what was blocked then', async () => {
    const orderId = await tested.paid('10.00');
    await tested.spent('6.00');
    const id = await tested.calls.opened(orderId);
    await tested.credits.received('6.00');
    tested.passes(60);
    tested.rival('DISPUTE', () => tested.runs());
    await tested.calls.moved(id, 'ACCEPTED');
    expect(tested.calls.entries()).toEqual([
      ...[
        ['MED_BLOCKED', -400, 400],
        ['MED_BLOCKED', -600, 600],
        ['MED_RETURNED', 0, -1000],
      ],
    ]);
    expect(await tested.calls.balance()).toEqual(['0.00', '0.00', '0.00']);
    tested.consistent();
  });

  it('a job blocks no money when its dispute was decided meanwhile', async () => {
    const orderId = await tested.paid('10.00');
    await tested.spent('10.00');
    const id = await tested.calls.opened(orderId);
    await tested.credits.received('6.00');
    tested.passes(60);
    tested.rival('DISPUTE', () => tested.calls.moved(id, 'CANCELED'));
    await tested.runs();
    expect(await tested.calls.balance()).toEqual(['6.00', '0.00', '0.00']);
    tested.consistent();
  });
});

describe('a process that dies', () => {
  it('a process that dies before a dispute is written leaves no record of it', async () => {
    const orderId = await tested.paid('10.00');
    const before = tested.world.items();
    tested.diesBefore(1);
    expect((await tested.open(orderId)).status).toBeGreaterThanOrEqual(500);
    expect(tested.world.items()).toEqual(before);
    tested.livesAgain();
    expect((await tested.open(orderId)).status).toBe(200);
  });

  it('between a release and the block for others leaves it to the job', async () => {
    const orders = [await tested.paid('10.00'), await tested.paid('10.00')];
    await tested.spent('10.00');
    const ids: string[] = [];
    for (const orderId of orders) {
      tested.passes(1);
      ids.push(await tested.calls.opened(orderId));
    }
    await tested.runs();
    tested.passes(1);
    tested.diesBefore(2);
    await tested.calls.ask({ id: ids[0], status: 'REJECTED' });
    expect(await tested.blockedOf(ids)).toEqual(['0.00', '0.00']);
    expect(await tested.calls.balance()).toEqual(['10.00', '0.00', '0.00']);
    tested.livesAgain();
    tested.passes(60);
    await tested.runs();
    expect(await tested.blockedOf(ids)).toEqual(['0.00', '10.00']);
    tested.consistent();
  });

  it('between the blocks of a job loses none and blocks none twice', async () => {
    const orders = [await tested.paid('10.00'), await tested.paid('10.00'), await tested.paid('10.00')];
    await tested.spent('30.00');
    const ids: string[] = [];
    for (const orderId of orders) {
      tested.passes(1);
      ids.push(await tested.calls.opened(orderId));
    }
    await tested.credits.received('30.00');
    for (const writes of each([1, 2, 3])) {
      tested.passes(60);
      tested.diesBefore(writes);
      expect((await tested.world.runDisputeJobs()).failed).toBe(1);
      tested.livesAgain();
      tested.consistent();
    }
    tested.passes(60);
    await tested.runs();
    expect(await tested.blockedOf(ids)).toEqual(['10.00', '10.00', '10.00']);
    expect(tested.calls.entries()).toHaveLength(3);
    tested.consistent();
  });
});

describe('a block whose money is spent meanwhile', () => {
  const tried = (errors: (isLast: boolean) => Error | undefined) => {
    const tries: boolean[] = [];
    const result = whileMoneyMoves((isLast) => {
      tries.push(isLast);
      const error = errors(isLast);
      return error === undefined ? Promise.resolve('blocked') : Promise.reject(error);
    });
    return { result, tries };
  };
  const spent = forbiddenByState('amount', 'INSUFFICIENT_BALANCE', 'Spent.');

  it('is tried five times, the last one without the money', async () => {
    const { result, tries } = tried((isLast) => (isLast ? undefined : spent));
    expect(await result).toBe('blocked');
    expect(tries).toEqual([false, false, false, false, true]);
  });

  it('fails when the last try does', async () => {
    const { result, tries } = tried(() => spent);
    await expect(result).rejects.toBe(spent);
    expect(tries).toHaveLength(5);
  });

  it('is tried again when money is one of the faults, and never after another error', async () => {
    const also = forbiddenByState('id', 'TRANSITION_NOT_ALLOWED', 'Ended.');
    const both = new RequestError(also.kind, also.message, [...also.details, ...spent.details]);
    expect(await tried((isLast) => (isLast ? undefined : both)).result).toBe('blocked');
    for (const error of each([also, new Error('The table is away.')])) {
      const { result, tries } = tried(() => error);
      await expect(result).rejects.toBe(error);
      expect(tries).toEqual([false]);
    }
  });

  it('has nothing of an account that is not there', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect(await availableOf({ store: tested.world.store, companyId: companyOne }, unknown)).toBe(0);
  });
});
