import { beforeEach, describe, expect, test } from 'vitest';
import type { FoundCommand } from '#shared/bank/outcome.ts';
import type { RefundState } from '#shared/bank/ports/refunds.ts';
import { connectionUpdate, readConnection } from '#shared/bank/connection.ts';
import { plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import { applyReturnState, requestAllOf } from '#shared/credits/return.ts';
import { connect, e2e, rtrId } from '../bank-events/bank-events-world.ts';
import type { World } from '../support/bank-world.ts';
import { bankWorld, companyOne, noon } from '../support/bank-world.ts';
import { connectionId } from '../support/connected-items.ts';
import { creditCalls } from '../support/credits.ts';
import { dueJobs } from '../support/due.ts';
import { refused } from '../support/refusals.ts';

/** A return between its commit and its end at the bank: nothing is lost, and nothing goes back twice. */

const settled = { status: 'SETTLED', returnId: rtrId(1), at: plusSeconds(noon, 30) } as const;
const pending = { outcome: 'DONE', state: { status: 'PENDING' } } as const;

let world: World;
let calls: ReturnType<typeof creditCalls>;
let id: string;
beforeEach(async () => {
  world = bankWorld();
  calls = creditCalls(world);
  await world.openAccount(0);
  id = await calls.booked(e2e(1), 2500);
});
const later = (seconds = 3600): Promise<number> => {
  world.clock.now = plusSeconds(world.clock.now, seconds);
  return world.poll();
};
const statuses = async () => (await calls.record(id)).returns.map(({ status }) => status);
/** The bank that forgets nothing: each reference that it was given, as often as it was. */
const remembers = (): string[] => {
  const given: string[] = [];
  world.bank.refunds.submit = ({ reference, endToEndId, amount }) => {
    given.push(`${reference} ${endToEndId} ${amount}`);
    return Promise.resolve(pending);
  };
  world.bank.refunds.find = ({ reference }) =>
    Promise.resolve(given.some((one) => one.startsWith(reference)) ? pending : { outcome: 'NEVER_SEEN' });
  return given;
};

describe('a return whose request died before it called the bank', () => {
  let returnId: string;
  beforeEach(async () => {
    world.bank.refunds.submit = () => Promise.reject(new Error('The process died.'));
    returnId = await calls.returned(id, '10.00');
  });

  test('is reserved, and submitted once by the worker, after two minutes', async () => {
    expect(await calls.balance()).toEqual(['15.00', '10.00']);
    const given = remembers();
    await later(119);
    expect(given, 'not immediately').toEqual([]);
    await later(1);
    for (let runs = 0; runs < 3; runs += 1) await later();
    expect(given).toEqual([`${returnId} ${e2e(1)} 1000`]);
    expect(await statuses()).toEqual(['PENDING']);
  });

  test('is submitted by one of two concurrent workers', async () => {
    const given = remembers();
    world.clock.now = plusSeconds(world.clock.now, 121);
    await Promise.all([world.poll(), world.poll()]);
    expect(given).toHaveLength(1);
  });

  test('is not submitted again when the bank has it after all', async () => {
    const given = remembers();
    world.bank.refunds.find = () => Promise.resolve({ outcome: 'DONE', state: settled });
    await later(121);
    expect([given, await statuses()]).toEqual([[], ['SETTLED']]);
  });

  test('fails when the bank refuses it at last, and its money is available again', async () => {
    world.bank.refunds.submit = () => Promise.resolve({ outcome: 'REFUSED', reason: 'No.' });
    await later(121);
    expect([await statuses(), await calls.balance()]).toEqual([['FAILED'], ['25.00', '0.00']]);
  });

  test('is due by the machine’s time, whatever the clock of its company', async () => {
    const ahead = bankWorld();
    ahead.clock.real = noon;
    ahead.clock.now = plusSeconds(noon, 300 * 86_400);
    const ofAhead = creditCalls(ahead);
    await ahead.openAccount(0);
    ahead.bank.refunds.submit = () => Promise.reject(new Error('The process died.'));
    await ofAhead.returned(await ofAhead.booked(e2e(2), 2500));
    expect(await dueJobs(ahead.store, 'CREDIT_RETURN', plusSeconds(noon, 119))).toEqual([]);
    expect(await dueJobs(ahead.store, 'CREDIT_RETURN', plusSeconds(noon, 120))).toHaveLength(1);
  });
});

describe('a return that the bank accepted', () => {
  let asked: number[];
  beforeEach(async () => {
    asked = [];
    world.bank.refunds.submit = () => Promise.resolve(pending);
    await calls.returned(id);
  });
  const answers = (found: FoundCommand<RefundState>): void => {
    world.bank.refunds.find = () => {
      asked.push(secondsBetween(noon, world.clock.now) / 60);
      return Promise.resolve(found);
    };
  };

  test('is asked about more and more seldom while it is pending', async () => {
    answers(pending);
    for (let minute = 0; minute <= 95; minute += 1) {
      world.clock.now = plusSeconds(noon, minute * 60);
      expect(await world.poll()).toBe(0);
    }
    expect(asked).toEqual([2, 4, 8, 15, 30, 90]);
  });

  test.each<[string, FoundCommand<RefundState>, status: string, available: string]>([
    ['settled it', { outcome: 'DONE', state: settled }, 'SETTLED', '0.00'],
    ['did not carry it out', { outcome: 'DONE', state: { status: 'FAILED', reason: 'No.' } }, 'FAILED', '25.00'],
    ['refuses it', { outcome: 'REFUSED', code: 'AM09', reason: 'No.' }, 'FAILED', '25.00'],
  ])('is final as soon as the bank %s, and is asked about no more', async (_how, found, status, available) => {
    answers(found);
    expect([await later(), await later(), asked.length]).toEqual([0, 0, 1]);
    expect([await statuses(), await calls.balance()]).toEqual([[status], [available, '0.00']]);
  });

  test.each<[string, FoundCommand<RefundState>]>([
    ['does not respond', { outcome: 'UNKNOWN' }],
    ['takes no calls', { outcome: 'NOT_NOW', cause: '429' }],
  ])('stays pending, and is asked about again, while the bank %s', async (_how, found) => {
    answers(found);
    expect([await later(), await later(), asked.length]).toEqual([1, 1, 2]);
    expect([await statuses(), await calls.balance()]).toEqual([['PENDING'], ['0.00', '25.00']]);
  });

  test('a return ends once, by its own answer of the bank and not by that of another return', async () => {
    answers(pending);
    const [first] = (await calls.record(id)).returns;
    const say = (of: string, state: RefundState) => applyReturnState(calls.context(), { id: of, creditId: id }, state);
    await expect(say('0'.repeat(32), settled)).rejects.toThrow('Cannot find a requested return.');
    expect(await statuses()).toEqual(['PENDING']);
    for (const state of [settled, settled, { status: 'FAILED', reason: 'No.' }] as const)
      await say(first!.returnId, state);
    expect(await statuses()).toEqual(['SETTLED']);
    expect(calls.told()).toEqual(['CREDIT.RECEIVED', 'CREDIT.RETURNED']);
    expect(calls.entries().map(([kind]) => kind)).toEqual(['UNMATCHED_CREDIT', 'REFUND_RESERVED', 'REFUND_SETTLED']);
  });
});

test('a return that an operator asks for is made for an account that is not active, and one that a partner asks for not', async () => {
  await world.setAccountStatus('ACTIVE', 'INACTIVE');
  refused(await calls.giveBack(id, 'r'), 409, ['accountId:INVALID_VALUE']);
  await requestAllOf(calls.context(), id);
  expect([await statuses(), await calls.balance()]).toEqual([['PENDING'], ['0.00', '25.00']]);
  const given = remembers();
  await later();
  expect(given).toHaveLength(1);
});

describe('a return of a credit that a connected bank received', () => {
  let bank: Awaited<ReturnType<typeof connect>>;
  beforeEach(async () => {
    world.setCapabilities({ isPolled: true });
    bank = await connect(world);
    await bank.hear(bank.pays(2, undefined, 700));
    id = world.items('CREDIT').find((item) => item['endToEndId'] === e2e(2))?.['id'] as string;
  });

  test('a return settles by the callback of the bank, also with its id in capitals, and is notified once', async () => {
    const returnId = await calls.returned(id, '3.00');
    const back = { id: returnId.toUpperCase(), returnId: rtrId(2), at: noon, amount: 300 as never };
    bank.pays(2, undefined, 700, { returns: [back] });
    bank.known.refunds.set(returnId, { status: 'SETTLED', returnId: rtrId(2), at: noon });
    const event = { kind: 'RETURN', endToEndId: e2e(2), id: returnId.toUpperCase() } as const;
    expect([await bank.hear(event), await bank.hear(event)]).toEqual(['MOVED', 'SAME']);
    expect(await calls.record(id)).toMatchObject({ status: 'OPEN', returnedAmount: { value: '3.00' } });
    expect(calls.told().filter((event_) => event_ === 'CREDIT.RETURNED')).toHaveLength(1);
  });

  test('a return is refused, and changes no record, when the connection has ended', async () => {
    const connection = await readConnection(world.store, companyOne, connectionId);
    await world.store.writeOne(connectionUpdate(connection!, { endedAt: noon }));
    const before = world.items();
    refused(await calls.giveBack(id, 'r'), 409, ['id:INVALID_VALUE']);
    expect(world.items()).toEqual(before);
  });

  test('a return is refused, and changes no record, when the bank makes no refunds', async () => {
    world.setCapabilities({ refunds: false });
    const before = world.items();
    refused(await calls.giveBack(id, 'r'), 409, ['id:INVALID_VALUE']);
    expect(world.items()).toEqual(before);
  });
});
