import { beforeEach, describe, expect, it } from 'vitest';
import { brl } from '#shared/contract/examples.ts';
import { formatAmount } from '#shared/core/money.ts';
import { blockForDisputes } from '#shared/disputes/block.ts';
import { account, companyOne } from '../support/bank-world.ts';
import { each } from '../support/each.ts';
import { fc } from '../support/properties.ts';
import { refused } from '../support/refusals.ts';
import { disputesWorld } from './disputes-world.ts';

let tested: ReturnType<typeof disputesWorld>;
beforeEach(async () => {
  tested = disputesWorld();
  await tested.world.openAccount(0);
});
const one = '1.00';

describe('the disputes of an account without money', () => {
  it('are served oldest first, twenty in a minute, when money for all comes', async () => {
    const { calls, credits, passes, runs } = tested;
    const orders: string[] = [];
    for (let place = 0; place < 23; place += 1) orders.push(await tested.paid(one));
    await tested.spent('23.00');
    const ids: string[] = [];
    for (const orderId of orders) {
      passes(1);
      ids.push(await calls.opened(orderId));
    }
    await credits.received('22.50');
    passes(60);
    await runs();
    const blocked = (count: number, rest: readonly string[]) => [...Array.from({ length: count }, () => one), ...rest];
    expect(await tested.blockedOf(ids)).toEqual(blocked(20, ['0.00', '0.00', '0.00']));
    await runs();
    expect((await tested.blockedOf(ids)).slice(20), 'the next run is a minute later').toEqual(['0.00', '0.00', '0.00']);
    passes(60);
    await runs();
    expect(await tested.blockedOf(ids)).toEqual(blocked(22, ['0.50']));
    tested.consistent();
    await credits.received('2.00');
    passes(60);
    await runs();
    passes(60);
    await runs();
    expect(await calls.balance()).toEqual(['1.50', '0.00', '23.00']);
    expect(tested.world.items('MED_BLOCK')).toEqual([]);
    tested.consistent();
  });

  it('are counted when a run leaves them with all that they claim, and not before', async () => {
    const run = () => blockForDisputes(tested.credits.context(), account);
    const orderId = await tested.paid('10.00');
    await tested.spent('10.00');
    expect(await run(), 'without a dispute').toBe(0);
    await tested.calls.opened(orderId);
    expect(await run(), 'without money').toBe(0);
    await tested.credits.received('4.00');
    expect(await run(), 'with a part').toBe(0);
    await tested.credits.received('7.00');
    expect(await run(), 'with all').toBe(1);
    expect(await tested.calls.balance()).toEqual(['1.00', '0.00', '10.00']);
  });

  it('leave nothing to one that opens before the job of a minute gave the older one what came', async () => {
    const { calls } = tested;
    const first = await tested.paid('10.00');
    await tested.spent('10.00');
    const ids = [await calls.opened(first), await calls.opened(await tested.paid('5.00'))];
    expect(await tested.blockedOf(ids)).toEqual(['0.00', '0.00']);
    await tested.runs();
    expect(await tested.blockedOf(ids)).toEqual(['5.00', '0.00']);
    tested.consistent();
  });

  it('get what one of them releases at once, the oldest first, and each move is one entry', async () => {
    const { calls, passes } = tested;
    const orders = [await tested.paid('10.00'), await tested.paid('4.00'), await tested.paid('4.00')];
    await tested.spent('8.00');
    const ids: string[] = [];
    for (const orderId of orders) {
      passes(1);
      ids.push(await calls.opened(orderId));
    }
    const [first = '', second = '', third = ''] = ids;
    expect(await tested.blockedOf(ids)).toEqual(['10.00', '0.00', '0.00']);
    passes(1);
    await calls.moved(first, 'ACCEPTED', '5.00');
    expect(await tested.blockedOf(ids)).toEqual(['0.00', '4.00', '1.00']);
    tested.consistent();
    passes(1);
    await calls.moved(second, 'REJECTED');
    expect(await tested.blockedOf(ids)).toEqual(['0.00', '0.00', '4.00']);
    expect(await calls.balance()).toEqual(['1.00', '0.00', '4.00']);
    expect(calls.entries()).toEqual([
      ...[
        ['MED_BLOCKED', -1000, 1000],
        ['MED_RETURNED', 500, -1000],
        ['MED_BLOCKED', -400, 400],
      ],
      ...[
        ['MED_BLOCKED', -100, 100],
        ['MED_RELEASED', 400, -400],
        ['MED_BLOCKED', -300, 300],
      ],
    ]);
    expect(third).not.toBe('');
    tested.consistent();
  });

  it('leave the account of another untouched', async () => {
    const other = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
    await tested.world.openAccount(5000, { id: other });
    await tested.paid(one);
    const id = await tested.calls.opened(await tested.paid('2.00'));
    await tested.calls.moved(id, 'REJECTED');
    expect(await tested.calls.balance(other)).toEqual(['50.00', '0.00', '0.00']);
  });

  it('a dispute notifies no one when more money is blocked, which the record and the statement show', async () => {
    const { calls, credits, passes, world } = tested;
    const orderId = await tested.paid('10.00');
    await tested.spent('10.00');
    const id = await calls.opened(orderId);
    await credits.received('3.00');
    const before = world.notifications();
    passes(60);
    await tested.runs();
    expect(world.notifications()).toEqual(before);
    const record = await calls.record(id);
    expect(record).toMatchObject({ status: 'OPEN', blockedAmount: brl('3.00'), updatedAt: world.clock.now });
    expect(record.statusHistory).toHaveLength(1);
    const page = await world.listEntries({
      ...{ companyId: companyOne, params: { accountId: account }, query: { type: 'MED_BLOCKED' } },
    });
    expect((page.body as { data: object[] }).data).toMatchObject([
      {
        ...{ type: 'MED_BLOCKED', available: '-3.00', reserved: '0.00', blocked: '3.00' },
        ...{ disputeId: id, orderId, endToEndId: record.endToEndId, counterparty: { name: 'Maria Silva' } },
      },
    ]);
  });

  it('are looked at a minute after the last time, and not before', async () => {
    const { calls, credits, passes } = tested;
    const orderId = await tested.paid('10.00');
    await tested.spent('10.00');
    const id = await calls.opened(orderId);
    await tested.runs();
    await credits.received('10.00');
    passes(59);
    await tested.runs();
    expect(await tested.blockedOf([id])).toEqual(['0.00']);
    passes(1);
    await tested.runs();
    expect(await tested.blockedOf([id])).toEqual(['10.00']);
  });

  it.each(['INACTIVE', 'CLOSED'] as const)('block, release and return when the account is %s', async (status) => {
    const { calls, passes, world } = tested;
    const [first, second] = [await tested.paid('10.00'), await tested.paid('5.00')];
    if (status === 'CLOSED') await tested.spent('15.00');
    await world.setAccountStatus('ACTIVE', status);
    const ids = [await calls.opened(first), await calls.opened(second)];
    expect(await tested.blockedOf(ids)).toEqual(status === 'CLOSED' ? ['0.00', '0.00'] : ['10.00', '5.00']);
    passes(60);
    await calls.moved(ids[1]!, 'CANCELED');
    expect((await calls.defend(ids[0]!, 'k')).status).toBe(201);
    await calls.moved(ids[0]!, 'ACCEPTED');
    expect(await calls.balance()).toEqual([status === 'CLOSED' ? '-10.00' : '5.00', '0.00', '0.00']);
    tested.consistent();
  });
});

describe('a dispute of an account whose balance has several shards', () => {
  it('blocks what all shards have, and its money is again for every payment once it is released', async () => {
    const { calls, passes, world } = tested;
    const orderId = await tested.paid('100.00');
    await world.setShards(4);
    const id = await calls.opened(orderId);
    expect(await calls.balance()).toEqual(['0.00', '0.00', '100.00']);
    expect(refused(await tested.spend('0.01'), 409)).toMatchObject({ details: [{ issue: 'INSUFFICIENT_BALANCE' }] });
    tested.consistent();
    passes(60);
    await calls.moved(id, 'REJECTED');
    expect((await tested.spend('100.00')).status).toBe(201);
    expect(await calls.balance()).toEqual(['0.00', '100.00', '0.00']);
    tested.consistent();
  });

  it('a dispute that takes the balance below zero leaves no shard from which more can be spent', async () => {
    const { calls, credits, passes, world } = tested;
    const orderId = await tested.paid('100.00');
    await world.setShards(3);
    await tested.spent('70.00');
    const id = await calls.opened(orderId);
    expect(await tested.blockedOf([id])).toEqual(['30.00']);
    passes(60);
    await calls.moved(id, 'ACCEPTED');
    expect(await calls.balance()).toEqual(['-70.00', '0.00', '0.00']);
    for (const value of each(['80.00', '20.00'])) await credits.received(value);
    expect(await calls.balance()).toEqual(['30.00', '0.00', '0.00']);
    for (let place = 0; place < 8; place += 1)
      expect(refused(await tested.spend('30.01'), 409)).toMatchObject({ details: [{ issue: 'INSUFFICIENT_BALANCE' }] });
    tested.consistent();
    expect((await tested.spend('30.00')).status).toBe(201);
    expect(await calls.balance()).toEqual(['0.00', '30.00', '0.00']);
    tested.consistent();
  });

  it('returns what was not blocked, below zero, also while other shards have money', async () => {
    const { calls, credits, passes, world } = tested;
    const orderId = await tested.paid('100.00');
    await tested.spent('100.00');
    const id = await calls.opened(orderId);
    await credits.received('40.00');
    await world.setShards(4);
    passes(30);
    await calls.moved(id, 'ACCEPTED');
    expect(await calls.balance()).toEqual(['-60.00', '0.00', '0.00']);
    for (let place = 0; place < 8; place += 1)
      expect((await tested.spend('0.01')).status, 'nothing is there to spend').toBe(409);
    tested.consistent();
  });

  it('a dispute blocks only what is above zero, after another one took the balance below', async () => {
    const { calls, credits, passes, world } = tested;
    const [first, second] = [await tested.paid('100.00'), await tested.paid('50.00')];
    await world.setShards(4);
    await tested.spent('150.00');
    const older = await calls.opened(first);
    passes(60);
    await calls.moved(older, 'ACCEPTED');
    const newer = await calls.opened(second);
    await credits.received('90.00');
    passes(60);
    await tested.runs();
    expect(await tested.blockedOf([newer]), 'the account is still below zero').toEqual(['0.00']);
    await credits.received('30.00');
    passes(60);
    await tested.runs();
    expect(await tested.blockedOf([newer])).toEqual(['20.00']);
    expect(await calls.balance()).toEqual(['0.00', '0.00', '20.00']);
    tested.consistent();
  });
});

describe('the disputes of one account', () => {
  type Step = {
    readonly what: 'PAID' | 'OPEN' | 'SPEND' | 'RECEIVE' | 'DECIDE' | 'RUN' | 'REFUND';
    readonly amount: number;
    readonly place: number;
  };
  const step: fc.Arbitrary<Step> = fc.record({
    what: fc.constantFrom('PAID', 'PAID', 'OPEN', 'OPEN', 'SPEND', 'RECEIVE', 'DECIDE', 'DECIDE', 'RUN', 'REFUND'),
    amount: fc.integer({ min: 1, max: 3000 }),
    place: fc.nat({ max: 1000 }),
  });

  it('agree with the entries and the balance after every step, whatever comes, in one shard and in several', async () => {
    const reached = { blocked: 0, below: 0, short: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { minLength: 10, maxLength: 30, size: 'max' }),
        async (shards, steps) => {
          const own = disputesWorld();
          const { calls, credits, world } = own;
          await world.openAccount(0);
          if (shards > 1) await world.setShards(shards);
          const orders: string[] = [];
          for (const { what, amount, place } of steps) {
            own.passes(61);
            const value = formatAmount(amount as never);
            const order = orders[place % Math.max(1, orders.length)];
            const [before = ''] = await calls.balance();
            const undecided = own.disputes().filter(({ status }) => status === 'OPEN' || status === 'DEFENDED');
            const dispute = undecided[place % Math.max(1, undecided.length)];
            if (what === 'PAID') orders.push(await own.paid(value));
            else if (what === 'RECEIVE') await credits.received(value);
            else if (what === 'SPEND') {
              const isEnough = Number(before) * 100 >= amount - 0.5;
              expect((await own.spend(value)).status, `${value} of ${before}`).toBe(isEnough ? 201 : 409);
            } else if (what === 'RUN') {
              await own.runs();
              const [after = ''] = await calls.balance();
              if (world.items('SHORT_DISPUTE').length > 0) expect(Number(after)).toBeLessThanOrEqual(0);
            } else if (what === 'OPEN' && order !== undefined)
              expect([200, 409]).toContain((await own.open(order, place % 2 === 0 ? value : undefined)).status);
            else if (what === 'REFUND' && order !== undefined)
              expect([201, 409]).toContain((await own.refund(order, value)).status);
            else if (what === 'DECIDE' && dispute !== undefined) {
              const status = (['DEFENDED', 'ACCEPTED', 'REJECTED', 'CANCELED'] as const)[place % 4]!;
              const isPart = status === 'ACCEPTED' && amount <= dispute.amount;
              const body = { id: dispute.id, status, ...(isPart && { amount: brl(value) }) };
              const expected = status === 'DEFENDED' && dispute.status === 'DEFENDED' ? 409 : 200;
              expect((await calls.ask(body)).status).toBe(expected);
            }
            own.consistent();
            const [available = '', , blocked = ''] = await calls.balance();
            if (Number(available) < 0 && Number(available) < Number(before))
              expect(what, 'who takes the balance below zero').toBe('DECIDE');
            reached.blocked += Number(blocked) > 0 ? 1 : 0;
            reached.below += Number(available) < 0 ? 1 : 0;
            reached.short += world.items('SHORT_DISPUTE').length > 0 ? 1 : 0;
          }
        },
      ),
      { numRuns: 60 },
    );
    for (const [what, times] of each(Object.entries(reached))) expect(times, what).toBeGreaterThan(0);
  }, 60_000);
});
