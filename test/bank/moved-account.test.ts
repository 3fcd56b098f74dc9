import { beforeEach, describe, expect, test } from 'vitest';
import { centavos } from '#shared/core/money.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { applyChargeState } from '#shared/pay-ins/apply-state.ts';
import { applyPaymentStates } from '#shared/payouts/apply-state.ts';
import { readPayout } from '#shared/payouts/store.ts';
import { requestAllOf } from '#shared/credits/return.ts';
import { endWaitingSubscription } from '#shared/subscriptions/first-charge.ts';
import { account, companyOne, payInBody, payoutBody } from '../support/bank-world.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentBody, paymentWorld } from '../support/payment-world.ts';
import { runCounted } from '../support/run-jobs.ts';
import { compositeBody, subscriptionBody } from '../support/subscription-world.ts';
import { connectionOne, connectionTwo, twoConnections } from '../support/two-connections.ts';
import { creditOf } from '../support/credits.ts';
import { refused } from '../support/refusals.ts';
import { e2e } from '../bank-events/bank-events-world.ts';

/** An account moves to another connection while its bank has commands: each stays with that bank. */

let world: PaymentWorld;
let banks: ReturnType<typeof twoConnections>;
/** Of a recurrence that the first bank has. */
let accepted: string;
beforeEach(async () => {
  world = await paymentWorld();
  banks = twoConnections(world.bank);
  await credit(10_000_000);
  accepted = await acceptedSubscription();
  banks.asked();
});

const created = async (
  response: Promise<{ readonly status: number; readonly text: string; readonly body: unknown }>,
) => {
  const { status, text, body } = await response;
  expect([200, 201], text).toContain(status);
  return (body as { readonly id: string }).id;
};
const later = (seconds: number): void => {
  world.clock.now = plusSeconds(world.clock.now, seconds);
};
type Kinds = Parameters<typeof runCounted>[1][number];
const runDue = (...kinds: Kinds): Promise<unknown> =>
  runCounted({ ...world.deps, ...world.dueRun, bank: world.bank }, [kinds]);
const isSilent = (call: string): void => void banks.answers.set(call, () => Promise.resolve({ outcome: 'UNKNOWN' }));
const setAnswer = (call: string, state: object): void =>
  void banks.answers.set(call, () => Promise.resolve({ outcome: 'DONE', state }));
const payIn = (): Promise<string> =>
  created(world.createPayIn({ companyId: companyOne, key: crypto.randomUUID(), body: payInBody() }));
const payout = (more: object = {}): Promise<string> =>
  created(world.createPayout({ companyId: companyOne, key: crypto.randomUUID(), body: payoutBody({ ...more }) }));
const refund = (id: string) =>
  world.refundPayIn({ companyId: companyOne, params: { id }, body: {}, key: crypto.randomUUID() });
const context = () => ({ ...world.deps, companyId: companyOne, requestId: 'r', at: world.clock.now });
async function pay(id: string, amount: number, number: number): Promise<void> {
  const payments = [{ endToEndId: e2e(number), amount: centavos(amount), at: world.clock.now, returns: [] }];
  await applyChargeState({ ...context(), alsoEnds: endWaitingSubscription }, id, { status: 'PAID', payments });
}
/** Money of the account. */
async function credit(amount: number): Promise<void> {
  const id = await payIn();
  await pay(id, 2500, 98);
  await pay(id, amount, 99);
}
const payer = { document: { type: 'CPF', number: '52998224725' } } as const;
async function acceptedSubscription(): Promise<string> {
  const { id } = await world.created(subscriptionBody());
  const history = (['CREATED', 'APPROVED'] as const).map((status) => ({ status, at: world.clock.now }));
  setAnswer('recurrences.read', { history, payer });
  later(300);
  await runDue('RECURRENCE_POLL');
  banks.answers.clear();
  expect((await world.get(id)).body).toMatchObject({ status: 'ACCEPTED' });
  return id;
}
/** Exactly these were asked, in any order, and all at one bank. */
function expectAsked(place: 'one' | 'two', calls: readonly string[]): void {
  const asked = banks.asked();
  const others = asked.filter((one) => !one.endsWith(` ${place}`));
  expect(others).toEqual([]);
  const commands = asked.filter((one) => !one.startsWith('capabilities'));
  expect(commands.toSorted()).toEqual(calls.map((call) => `${call} ${place}`).toSorted());
}

describe('an order that was sent to the first bank stays there', () => {
  test('a payout without an answer is looked up, repeated and asked about', async () => {
    isSilent('payouts.send.submit');
    const id = await payout();
    banks.move();
    banks.asked();
    banks.answers.clear();
    later(180);
    await world.submitPayouts();
    expectAsked('one', ['payouts.send.find', 'payouts.send.submit']);
    later(7200);
    await world.poll();
    expectAsked('one', ['payouts.send.find']);
    expect(world.items('PAYOUT').find((item) => item['id'] === id)).toMatchObject({ connection: connectionOne });
  });

  test('a batch is repeated as a whole when the bank answered about none of its payments', async () => {
    isSilent('payouts.send.submit');
    await payout({ amount: { currency: 'BRL', value: '40000.00' } });
    banks.move();
    banks.asked();
    banks.answers.clear();
    later(180);
    await world.submitPayouts();
    const asked = banks.asked().filter((one) => one.startsWith('payouts'));
    expect(asked.toSorted()).toEqual([
      ...Array.from({ length: 3 }, () => 'payouts.send.find one'),
      ...Array.from({ length: 3 }, () => 'payouts.send.submit one'),
    ]);
  });

  test('a refund without an answer is looked up, repeated and asked about', async () => {
    const id = await payIn();
    await pay(id, 2500, 1);
    isSilent('refunds.submit');
    expect((await refund(id)).status).toBe(201);
    banks.move();
    banks.asked();
    banks.answers.clear();
    setAnswer('refunds.submit', { status: 'PENDING' });
    setAnswer('refunds.find', { status: 'PENDING' });
    later(180);
    await world.submitCommands();
    expectAsked('one', ['refunds.find', 'refunds.submit']);
    later(7200);
    await world.poll();
    expectAsked('one', ['refunds.find']);
  });

  test.each(['before', 'after'])('money that came in %s the move is refunded where it came in', async (when) => {
    const id = await payIn();
    if (when === 'before') await pay(id, 2500, 1);
    banks.move();
    if (when === 'after') await pay(id, 2500, 1);
    banks.asked();
    expect((await refund(id)).status).toBe(201);
    expectAsked('one', ['refunds.submit']);
  });

  test('a charge is removed there when its time is over', async () => {
    await payIn();
    banks.move();
    banks.asked();
    later(86_401);
    expect(await world.expirePayIns()).toMatchObject({ expired: 1 });
    expectAsked('one', ['charges.remove.find', 'charges.remove.submit']);
  });

  test('a charge is removed there when the partner cancels it', async () => {
    const id = await payIn();
    banks.move();
    banks.asked();
    expect(await created(world.cancelPayIn({ companyId: companyOne, params: { id } }))).toBe(id);
    expectAsked('one', ['charges.remove.find', 'charges.remove.submit']);
  });

  test('a charge whose removal has no answer is looked up there', async () => {
    const id = await payIn();
    banks.move();
    banks.asked();
    isSilent('charges.remove.submit');
    refused(await world.cancelPayIn({ companyId: companyOne, params: { id } }), 503);
    expectAsked('one', ['charges.remove.find', 'charges.remove.submit', 'charges.remove.find']);
  });

  test('money that came after the end of a charge goes back from where it is', async () => {
    const id = await payIn();
    later(86_401);
    await world.expirePayIns();
    banks.move();
    await pay(id, 2500, 1);
    banks.asked();
    const { credit: received } = await creditOf(world.store, companyOne, e2e(1));
    expect(await requestAllOf(context(), received.id)).toMatchObject({ connection: connectionOne });
    await world.poll();
    expectAsked('one', ['refunds.find', 'refunds.submit']);
  });

  test('a recurrence that waits for its payer is asked about there', async () => {
    await world.created(subscriptionBody());
    banks.move();
    banks.asked();
    setAnswer('recurrences.read', { history: [] });
    later(300);
    await runDue('RECURRENCE_POLL');
    expectAsked('one', ['recurrences.read']);
  });

  test('a cancellation of a recurrence is given, looked up, repeated and asked about there', async () => {
    banks.move();
    isSilent('recurrences.cancel.submit');
    const body = { reason: 'REQUESTED_BY_RECEIVER' };
    await created(world.cancel({ companyId: companyOne, params: { id: accepted }, body, key: 'c' }));
    expectAsked('one', ['recurrences.cancel.submit', 'recurrences.cancel.find']);
    setAnswer('recurrences.cancel.submit', { history: [] });
    setAnswer('recurrences.cancel.find', { history: [] });
    later(180);
    await world.submitCommands();
    expectAsked('one', ['recurrences.cancel.find', 'recurrences.cancel.submit']);
    later(7200);
    await runDue('CANCELLATION_POLL');
    expectAsked('one', ['recurrences.cancel.find']);
  });

  test('a withdrawal ends recurrence and first charge there', async () => {
    const { id } = await world.created(compositeBody());
    banks.move();
    banks.asked();
    const body = { reason: 'REQUESTED_BY_RECEIVER' };
    await created(world.cancel({ companyId: companyOne, params: { id }, body, key: 'c' }));
    expectAsked('one', ['charges.remove.find', 'charges.remove.submit', 'recurrences.cancel.submit']);
  });

  test('a recurring charge without an answer is looked up, repeated, asked about and withdrawn there', async () => {
    isSilent('recurringCharges.schedule.submit');
    const { id } = await world.scheduled(paymentBody({ dueDate: '2026-01-20' }), accepted);
    banks.move();
    banks.asked();
    banks.answers.clear();
    later(180);
    await world.advance();
    expectAsked('one', ['recurringCharges.schedule.find', 'recurringCharges.schedule.submit']);
    isSilent('recurringCharges.withdraw.submit');
    await created(world.withdraw(id, 'w', {}, accepted));
    expectAsked('one', ['recurringCharges.withdraw.submit']);
    banks.answers.clear();
    later(180);
    await world.advance();
    expectAsked('one', ['recurringCharges.withdraw.find', 'recurringCharges.withdraw.submit']);
    setAnswer('recurringCharges.schedule.find', { attempts: [] });
    world.clock.now = '2026-01-20T16:00:00.000Z';
    await world.advance();
    expectAsked('one', ['recurringCharges.schedule.find']);
  });

  test('a payment that is scheduled after the move is charged, asked about and refunded where its recurrence is', async () => {
    banks.move();
    const dueDate = '2026-01-15';
    await world.scheduled(paymentBody({ dueDate }), accepted);
    expectAsked('one', ['recurringCharges.prepare', 'recurringCharges.schedule.submit']);
    const attempt = (...statuses: readonly string[]) => {
      const history = statuses.map((status) => ({ status, at: world.clock.now }));
      return { kind: 'FIRST_ATTEMPT', day: dueDate, endToEndId: e2e(5), history };
    };
    setAnswer('recurringCharges.schedule.find', { attempts: [attempt('REQUESTED', 'SCHEDULED', 'PAID')] });
    world.clock.now = '2026-01-15T21:31:00.000Z';
    await world.advance();
    expectAsked('one', ['recurringCharges.schedule.find']);
    const [paid] = await world.all(accepted);
    expect(paid).toMatchObject({ status: 'COMPLETED' });
    expect((await refund(paid?.orderId ?? '')).status).toBe(201);
    expectAsked('one', ['refunds.submit']);
  });
});

test('every new command goes to the bank that serves the account now', async () => {
  banks.move();
  await payout();
  expectAsked('two', ['directory.resolveKey', 'payouts.prepare', 'payouts.send.submit']);
  const charge = await payIn();
  expectAsked('two', ['charges.open.submit']);
  const { id } = await world.created(compositeBody());
  expectAsked('two', ['recurrences.open.submit', 'charges.open.submit']);
  const given = world.items().filter(({ connection }) => connection === connectionTwo);
  expect(given.map((item) => item['entity']).toSorted()).toEqual(['PAYOUT', 'PAY_IN', 'PAY_IN', 'SUBSCRIPTION']);
  await created(world.cancelPayIn({ companyId: companyOne, params: { id: charge } }));
  expectAsked('two', ['charges.remove.find', 'charges.remove.submit']);
  const body = { reason: 'REQUESTED_BY_RECEIVER' };
  await created(world.cancel({ companyId: companyOne, params: { id }, body, key: 'c' }));
  expectAsked('two', ['charges.remove.find', 'charges.remove.submit', 'recurrences.cancel.submit']);
});

test('money of a payout for an expired charge of the same company is kept at the connection of the charge', async () => {
  const other = account.replace('a', 'b');
  await world.openAccount(100_000, { id: other });
  const charge = await world.createPayIn({ companyId: companyOne, key: 'charge', body: payInBody() });
  const { id, qrcodeData } = charge.body as { readonly id: string; readonly qrcodeData: string };
  banks.move();
  const orderId = await payout({
    ...{ accountId: other, amount: { currency: 'BRL', value: '25.00' } },
    paymentData: { qrcodeData },
  });
  later(2 * 86_400);
  expect(await world.expirePayIns()).toMatchObject({ expired: 1 });
  const order = (await readPayout(world.store, companyOne, orderId))!;
  const state = { status: 'PAID', at: world.clock.now, endToEndId: e2e(7), returns: [] } as const;
  await applyPaymentStates(context(), order, [{ state }]);
  const credits = world.items('CREDIT').filter((one) => one['orderId'] === id);
  expect(credits).toMatchObject([{ status: 'OPEN', reason: 'TOO_LATE', connection: connectionOne }]);
});
