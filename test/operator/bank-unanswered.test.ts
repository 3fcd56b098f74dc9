import { expect, test } from 'vitest';
import { showUnanswered } from '#infra/operator/bank-unanswered.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { e2e, rtrId } from '../bank-events/bank-events-world.ts';
import { creditCalls } from '../support/credits.ts';
import { account, bankWorld, companyOne, payInBody, payoutBody } from '../support/bank-world.ts';

const silent = () => Promise.resolve({ outcome: 'UNKNOWN' } as const);

test('a command is listed after an hour without an answer of the bank, until it answers, and stays reserved', async () => {
  const world = bankWorld();
  await world.openAccount(100_000);
  const created = await world.createPayIn({ companyId: companyOne, key: 'in', body: payInBody() });
  const { id: payInId } = created.body as { readonly id: string };
  await world.force(payInId, 'PAID');
  const { send } = world.bank.payouts;
  const answering = { ...send };
  world.bank.payouts.send = { submit: silent, find: silent };
  world.bank.refunds = { submit: silent, find: silent };
  const { body } = await world.createPayout({ companyId: companyOne, key: 'out', body: payoutBody() });
  const { id } = body as { readonly id: string };
  await world.refundPayIn({ companyId: companyOne, params: { id: payInId }, key: 'back', body: {} });
  const refundId = world.items('REFUND')[0]!['id'];
  const since = world.clock.now;
  const balance = async () => (await world.getBalance({ companyId: companyOne, params: { id: account } })).body;
  const reserved = await balance();
  const list = () => showUnanswered({ store: world.store, now: () => world.clock.now });
  const minute = async (): Promise<number> => {
    world.clock.now = plusSeconds(world.clock.now, 180);
    return (await world.submitPayouts()).failed + (await world.submitCommands()).failed;
  };
  // Each run without a response has failed, by which an alarm rings within half an hour.
  for (let run = 0; run < 19; run += 1) expect(await minute()).toBe(2);
  expect(await list()).toEqual([]);
  const waited = (olderThan: number) =>
    showUnanswered({ store: world.store, now: () => world.clock.now }, { olderThan });
  expect(await waited(19 * 180)).toHaveLength(2);
  expect(await waited(19 * 180 + 1)).toEqual([]);
  await minute();
  const owed = { companyId: companyOne, since };
  expect(await list()).toEqual([
    { ...owed, command: 'PAYOUT_SUBMISSION', id },
    { ...owed, command: 'REFUND_SUBMISSION', id: payInId, reference: refundId },
  ]);
  world.clock.now = plusSeconds(world.clock.now, 40 * 86_400);
  await minute();
  expect(await list()).toHaveLength(2);
  expect(await balance()).toEqual(reserved);
  world.bank.payouts.send = answering;
  await minute();
  expect(await list()).toMatchObject([{ command: 'REFUND_SUBMISSION' }]);
});

test('a payout or refund is listed when the bank accepted it a day ago and it is not settled', async () => {
  const world = bankWorld();
  world.setCapabilities({ isPolled: true });
  await world.openAccount(100_000);
  const created = await world.createPayIn({ companyId: companyOne, key: 'in', body: payInBody() });
  const { id: payInId } = created.body as { readonly id: string };
  await world.force(payInId, 'PAID');
  const { body } = await world.createPayout({ companyId: companyOne, key: 'out', body: payoutBody() });
  const { id } = body as { readonly id: string };
  await world.refundPayIn({ companyId: companyOne, params: { id: payInId }, key: 'back', body: {} });
  const refundId = world.items('REFUND')[0]!['id'];
  const owed = { companyId: companyOne, since: world.clock.now };
  const list = () => showUnanswered({ store: world.store, now: () => world.clock.now });
  for (let hour = 0; hour < 24; hour += 1) {
    expect(await list()).toEqual([]);
    world.clock.now = plusSeconds(world.clock.now, 3600);
    await world.submitPayouts();
    await world.poll();
  }
  expect(await list()).toEqual([
    { ...owed, command: 'PAYOUT_POLL', id },
    { ...owed, command: 'REFUND_POLL', id: payInId, reference: refundId },
  ]);
  await world.force(id, 'PAID');
  expect(await list()).toMatchObject([{ command: 'REFUND_POLL' }]);
});

test.each(['that the bank accepted', 'without a response'])(
  'a return of a credit %s is listed with its reference after an hour, until it is settled',
  async (end) => {
    const world = bankWorld();
    await world.openAccount(0);
    const calls = creditCalls(world);
    const creditId = await calls.booked(e2e(1), 2500);
    const pending = { outcome: 'DONE', state: { status: 'PENDING' } } as const;
    const open = end === 'without a response' ? silent : () => Promise.resolve(pending);
    world.bank.refunds = { submit: open, find: open };
    const reference = await calls.returned(creditId);
    const owed = { companyId: companyOne, command: 'CREDIT_RETURN', id: creditId, reference, since: world.clock.now };
    const list = () => showUnanswered({ store: world.store, now: () => world.clock.now });
    for (let run = 0; run < 19; run += 1) {
      world.clock.now = plusSeconds(world.clock.now, 180);
      await world.poll();
    }
    expect(await list()).toEqual([]);
    world.clock.now = plusSeconds(world.clock.now, 180);
    await world.poll();
    expect(await list()).toEqual([owed]);
    const settled = { status: 'SETTLED', returnId: rtrId(1), at: world.clock.now } as const;
    world.bank.refunds.find = () => Promise.resolve({ outcome: 'DONE', state: settled });
    world.clock.now = plusSeconds(world.clock.now, 3600);
    await world.poll();
    expect(await list()).toEqual([]);
  },
);
