import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { applyReceivedPix } from '#shared/bank-events/credits.ts';
import type { BankEventOutcome } from '#shared/bank-events/context.ts';
import { bankEventContext } from '#shared/bank-events/context.ts';
import { centavos } from '#shared/core/money.ts';
import { applyPaymentStates } from '#shared/payouts/apply-state.ts';
import { readReceived } from '#shared/credits/received.ts';
import { readPayout } from '#shared/payouts/store.ts';
import { account, companyOne, payInBody, payoutBody } from '../support/bank-world.ts';
import { each } from '../support/each.ts';
import { collectErrors } from '../support/logged.ts';
import { fc } from '../support/properties.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { chave, connect, e2e, paidAt } from '../bank-events/bank-events-world.ts';
import { connectionId } from '../support/connected-items.ts';

/**
 * A batch that pays a charge of the company: its bank tells of each payment twice, as one that was sent and as a Pix
 * that came in, in any order and between each other.
 */

const payer = account.replace('a', 'b');
const value = { currency: 'BRL', value: '40000.00' };
const parts = [15_000_00, 15_000_00, 10_000_00];
let world: PaymentWorld;
let bank: Awaited<ReturnType<typeof connect>>;
let payInId: string;
let payoutId: string;
beforeEach(async () => {
  collectErrors();
  await begin();
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function begin(): Promise<void> {
  world = await paymentWorld();
  world.setCapabilities({ isPolled: true });
  let taken = 0;
  world.bank.payouts.send.submit = () =>
    Promise.resolve({
      outcome: 'DONE',
      state: { status: 'ACCEPTED', endToEndId: e2e((taken += 1)), returns: [] },
    });
  await world.openAccount(100_000_00, { id: payer });
  bank = await connect(world);
  const make = async (operationName: 'createPayIn' | 'createPayout', body: object) => {
    const response = await world[operationName]({ companyId: companyOne, body, key: 'k' });
    expect(response.status, response.text).toBe(201);
    return response.body as { id: string; qrcodeData: string };
  };
  const charge = await make('createPayIn', payInBody({ amount: value }));
  payInId = charge.id;
  const paymentData = { qrcodeData: charge.qrcodeData };
  payoutId = (await make('createPayout', payoutBody({ accountId: payer, amount: value, paymentData }))).id;
}

const order = async (id = payoutId) => (await readPayout(world.store, companyOne, id))!;
const numberOf = async (sequence: number): Promise<string> => {
  const { payments } = await order();
  return payments.find((one) => one.sequence === sequence)?.endToEndId ?? '';
};
/** The bank says that the payment of this place was sent. */
const isSent = async (sequence: number): Promise<void> => {
  const state = { status: 'PAID', at: paidAt, endToEndId: await numberOf(sequence), returns: [] } as const;
  const context = { ...world.deps, companyId: companyOne, at: world.clock.now, requestId: 'r' };
  await applyPaymentStates(context, await order(), [{ sequence, state }]);
};
/** It says that the same payment came in. */
const cameIn = async (sequence: number): Promise<BankEventOutcome> => {
  const pix = { endToEndId: await numberOf(sequence), amount: centavos(parts[sequence - 1] ?? 0), at: paidAt };
  const context = (await bankEventContext(bank.events, companyOne, connectionId))!;
  return applyReceivedPix(context, { ...pix, chave, returns: [], txid: payInId.replaceAll('-', '') });
};
const state = async () => {
  const { body } = await world.getPayIn({ companyId: companyOne, params: { id: payInId } });
  const money = (await world.getBalance({ companyId: companyOne, params: { accountId: account } })).body;
  const kinds = world.items('LEDGER_ENTRY').filter((entry) => entry['accountId'] === account);
  const sum = (kind: string): number =>
    kinds.filter((one) => one['kind'] === kind).reduce((total, one) => total + Number(one['available']), 0);
  return {
    status: (body as { status: string }).status,
    available: (money as { available: string }).available,
    paid: sum('PAY_IN'),
    unmatched: sum('UNMATCHED_CREDIT'),
  };
};

test('the three payments of a batch have different end-to-end ids', async () => {
  const endToEndIds = await Promise.all([1, 2, 3].map((sequence) => numberOf(sequence)));
  expect(new Set(endToEndIds).size).toBe(3);
  for (const number of each(endToEndIds)) expect(number).toMatch(/^E/u);
});

test('a charge is paid in full or not at all when the bank reports sent and received payments in any order', async () => {
  const bankReports = [1, 2, 3].flatMap((sequence) => [
    { is: 'sent' as const, sequence },
    { is: 'in' as const, sequence },
  ]);
  const orders = fc
    .shuffledSubarray(bankReports, { minLength: 3 })
    .filter((one) => one.some(({ is }) => is === 'sent'));
  await fc.assert(
    fc.asyncProperty(orders, async (steps) => {
      await begin();
      for (const { is, sequence } of steps) await (is === 'sent' ? isSent(sequence) : cameIn(sequence));
      for (const sequence of [1, 2, 3]) await isSent(sequence);
      for (const sequence of [1, 2, 3]) await cameIn(sequence);
      const { status, available, paid, unmatched } = await state();
      expect(available).toBe('40000.00');
      expect(paid + unmatched).toBe(40_000_00);
      expect([status, paid]).toEqual(paid === 0 ? ['PENDING', 0] : ['PAID', 40_000_00]);
    }),
    { numRuns: 60 },
  );
});

test.each([
  ['the first', 1],
  ['the last', 3],
])(
  'a charge stays PENDING when the bank reports %s payment of a batch as received before any as sent',
  async (_which, receivedSequence) => {
    await cameIn(receivedSequence);
    for (const sequence of [1, 2, 3]) await isSent(sequence);
    expect(await state()).toEqual({
      ...{ status: 'PENDING', available: '40000.00', paid: 0, unmatched: 40_000_00 },
    });
  },
);

test.each([
  ['is paid', undefined],
  ['was canceled meanwhile', 'TOO_LATE'],
])('each payment of a batch is marked as received with its own amount when the charge %s', async (_how, reason) => {
  if (reason !== undefined) await world.cancelPayIn({ companyId: companyOne, params: { id: payInId }, body: {} });
  for (const sequence of [1, 2, 3]) await isSent(sequence);
  const endToEndIds = await Promise.all([1, 2, 3].map((sequence) => numberOf(sequence)));
  const marks = await Promise.all(endToEndIds.map((number) => readReceived(world.store, companyOne, number)));
  expect(marks.map((one) => [one?.amount, one?.creditId === undefined])).toEqual(
    parts.map((amount) => [amount, reason === undefined]),
  );
  for (const sequence of [1, 2, 3]) expect(await cameIn(sequence)).toBe('SAME');
  expect(world.items('CREDIT').map((credit) => credit['reason'])).toEqual(reason === undefined ? [] : [reason]);
});

test.each([40, 41, 90])(
  'a batch of %i credits each payment once when all settle together and the bank reports them as received too',
  async (count) => {
    const small = account.replace('a', 'c');
    await world.openAccount(count * 100, { id: small, pixTransactionLimit: centavos(100) });
    const { status, body } = await world.createPayout({
      ...{ companyId: companyOne, key: 'small' },
      body: payoutBody({
        ...{ accountId: small, externalId: 'small', paymentData: { pixKey: account } },
        amount: { currency: 'BRL', value: `${count}.00` },
      }),
    });
    expect(status).toBe(201);
    const { id } = body as { id: string };
    const { payments } = await order(id);
    expect(payments).toHaveLength(count);
    const context = { ...world.deps, companyId: companyOne, at: world.clock.now, requestId: 'r' };
    const events = payments.map(({ sequence, endToEndId = '' }) => ({
      sequence,
      state: { status: 'PAID', at: paidAt, endToEndId, returns: [] } as const,
    }));
    await applyPaymentStates(context, await order(id), events);
    const bankOf = (await bankEventContext(bank.events, companyOne, connectionId))!;
    const ends = [];
    for (const { amount, endToEndId = '' } of payments)
      ends.push(await applyReceivedPix(bankOf, { amount, endToEndId, at: paidAt, chave, returns: [] }));
    expect(new Set(ends)).toEqual(new Set(['SAME']));
    expect((await state()).available).toBe(`${count}.00`);
  },
);
