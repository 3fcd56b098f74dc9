import { beforeEach, expect, test } from 'vitest';
import { allowRepetition } from '#infra/operator/bank.ts';
import { allCapabilities } from '#shared/bank/capabilities.ts';
import type { FoundCommand } from '#shared/bank/outcome.ts';
import type { PaymentOrder, PaymentState } from '#shared/bank/ports/payouts.ts';
import type { World } from '../support/bank-world.ts';
import { accountElsewhere, bankWorld, companyOne, payoutBody, receiver } from '../support/bank-world.ts';

/** Payouts that are due at their bank again, or asked about: what it is asked, and when. */

const saturday = '2026-01-17T15:00:00.000Z';
const monday = '2026-01-19T09:30:00.000Z';
const ted = { paymentMethod: 'TED', paymentData: { bankAccount: accountElsewhere }, receiver };
const accepted = { outcome: 'DONE', state: { status: 'ACCEPTED', returns: [] } } as const;

let world: World;
/** What the bank was asked, in order. */
let asked: string[];
let found: (order: PaymentOrder) => FoundCommand<PaymentState>;
let sent: (order: PaymentOrder) => Exclude<FoundCommand<PaymentState>, { outcome: 'NEVER_SEEN' }>;
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(1_000_000_00);
  asked = [];
  found = () => ({ outcome: 'NEVER_SEEN' });
  sent = () => accepted;
  world.bank.payouts.send.find = (order) => {
    asked.push(`find ${order.reference}`);
    return Promise.resolve(found(order));
  };
  world.bank.payouts.send.submit = (order) => {
    asked.push(`send ${order.reference}`);
    return Promise.resolve(sent(order));
  };
});

const child = (id: string, sequence: number): string => id.slice(0, -2) + sequence.toString(16).padStart(2, '0');
const value = (amount: string) => ({ amount: { currency: 'BRL', value: amount } });
async function create(more: Record<string, unknown> = {}): Promise<string> {
  const response = await world.createPayout({ companyId: companyOne, key: 'k', body: payoutBody(more) });
  expect(response.status, response.text).toBe(201);
  return (response.body as { id: string }).id;
}
const dueAt = (): unknown => world.items('PAYOUT')[0]?.['GSI2SK'];

test('a batch goes on to all of its payments again when the bank does not answer for one of them', async () => {
  sent = () => ({ outcome: 'UNKNOWN' });
  const id = await create(value('180000.00'));
  asked = [];
  sent = () => accepted;
  found = ({ reference }) => ({ outcome: reference === child(id, 1) ? 'UNKNOWN' : 'NEVER_SEEN' });
  world.clock.now = '2026-01-15T15:02:00.000Z';
  expect(await world.submitPayouts()).toMatchObject({ submitted: 0, failed: 1 });
  const others = Array.from({ length: 11 }, (_, place) => `send ${child(id, place + 2)}`);
  expect(asked.filter((one) => one.startsWith('send')).toSorted()).toEqual(others.toSorted());
});

test('a TED goes to its bank without a look-up the first time, and with one after an answer was lost', async () => {
  world.clock.now = saturday;
  const id = await create(ted);
  world.clock.now = monday;
  sent = () => ({ outcome: 'UNKNOWN' });
  expect(await world.submitPayouts()).toMatchObject({ failed: 1 });
  expect(asked).toEqual([`send ${id}`]);
  asked = [];
  found = () => accepted;
  world.clock.now = '2026-01-19T09:32:00.000Z';
  expect(await world.submitPayouts()).toMatchObject({ submitted: 1 });
  expect(asked).toEqual([`find ${id}`]);
});

test('a bank that would carry out a repetition again gets that payment of a batch again which an operator let go', async () => {
  world.setCapabilities({ repetition: { ...allCapabilities.repetition, payout: 'CARRIED_OUT_AGAIN' } });
  sent = () => ({ outcome: 'UNKNOWN' });
  const id = await create(value('40000.00'));
  await allowRepetition({ store: world.store }, { companyId: companyOne, reference: child(id, 2) });
  asked = [];
  for (const minute of ['02', '04']) {
    world.clock.now = `2026-01-15T15:${minute}:00.000Z`;
    await world.submitPayouts();
  }
  expect(asked.filter((one) => one.startsWith('send'))).toEqual([`send ${child(id, 2)}`]);
});

test('a TED that another change ended while its number was written is no failure of the run', async () => {
  world.clock.now = saturday;
  const id = await create(ted);
  world.clock.now = monday;
  const { write } = world.store;
  let isForced = false;
  world.deps.store = {
    ...world.store,
    write: async (writes, token) => {
      if (!isForced) {
        isForced = true;
        await world.force(id, 'CANCELED');
      }
      return write(writes, token);
    },
  };
  expect(await world.submitPayouts()).toEqual({ submitted: 0, postponed: 0, failed: 0 });
  expect(asked).toEqual([]);
});

test('a payout that its bank accepted is asked about two minutes after it was sent, also long after its creation', async () => {
  world.setCapabilities({ isPolled: true });
  world.clock.now = saturday;
  await create(ted);
  world.clock.now = monday;
  expect(await world.submitPayouts()).toMatchObject({ submitted: 1 });
  expect(dueAt()).toContain('2026-01-19T09:32:00.000Z');
});

test('a bank that fails while it is asked about a payout is not asked again before the next time', async () => {
  world.setCapabilities({ isPolled: true });
  await create();
  world.clock.now = '2026-01-15T15:02:00.000Z';
  expect(await world.submitPayouts()).toMatchObject({ submitted: 1 });
  world.clock.now = '2026-01-15T15:05:00.000Z';
  asked = [];
  found = () => {
    throw new Error('The function died.');
  };
  expect([await world.poll(), await world.poll()]).toEqual([1, 0]);
  expect(asked).toHaveLength(1);
});

test.each([1, 2, 3])(
  'a batch counts as unanswered when the bank does not respond about payment %i of three',
  async (silent) => {
    world.setCapabilities({ isPolled: true });
    const id = await create(value('40000.00'));
    world.clock.now = '2026-01-15T15:02:00.000Z';
    await world.submitPayouts();
    world.clock.now = '2026-01-15T15:05:00.000Z';
    found = ({ reference }) => (reference === child(id, silent) ? { outcome: 'UNKNOWN' } : accepted);
    expect(await world.poll()).toBe(1);
  },
);
