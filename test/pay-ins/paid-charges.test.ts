import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ReceivedPayment } from '#shared/bank/ports/charges.ts';
import { centavos } from '#shared/core/money.ts';
import { applyChargeState } from '#shared/pay-ins/apply-state.ts';
import type { World } from '#test/support/bank-world.ts';
import { bankWorld, companyOne, payInBody, receiver } from '#test/support/bank-world.ts';
import { collectErrors } from '#test/support/logged.ts';

let world: World;
let errors: ReturnType<typeof collectErrors>;
let id: string;
beforeEach(async () => {
  errors = collectErrors();
  world = bankWorld();
  await world.openAccount(0);
  const response = await world.createPayIn({ companyId: companyOne, key: 'k', body: payInBody() });
  expect(response.status, response.text).toBe(201);
  ({ id } = response.body as { id: string });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const payment = (place: number, more: Partial<ReceivedPayment> = {}): ReceivedPayment => ({
  ...{ endToEndId: `E6070119020260115150012345678${place}00`, amount: centavos(2500), returns: [] },
  ...{ at: '2026-01-15T15:00:30.000Z', ...more },
});
/** @returns the bodies of the notifications afterwards */
async function paidBy(...payments: readonly ReceivedPayment[]) {
  const context = { ...world.deps, at: world.clock.now, companyId: companyOne, requestId: 'r' };
  const alone = { ...context, alsoEnds: () => Promise.resolve(undefined) };
  await applyChargeState(alone, id, { status: 'PAID', payments });
  return world.notifications();
}

test('a pay-in has the payer that its bank names, and their account, when another than the expected one paid', async () => {
  const other = { name: 'João Souza', document: { type: 'CPF', number: '11144477735' } } as const;
  const bank = { ispb: '60701190', account: '12345' };
  const payIns = await paidBy(payment(1, { payer: { ...other, bank } }));
  expect(payIns).toMatchObject([{ status: 'PAID', paidAt: '2026-01-15T15:00:30.000Z', payer: { ...other, bank } }]);
});

test('a pay-in keeps its expected payer when its bank names none', async () => {
  expect(await paidBy(payment(1))).toMatchObject([{ status: 'PAID', payer: receiver }]);
});

test('a payment beside the one that pays a pay-in is one credit with its order', async () => {
  const second = payment(2, { amount: centavos(300) });
  await paidBy(payment(1), second);
  await paidBy(payment(1), second);
  const { endToEndId } = second;
  const { amount } = second;
  expect(world.items('CREDIT')).toMatchObject([{ reason: 'OTHER_AMOUNT', orderId: id, endToEndId, amount }]);
  expect(errors).toEqual([]);
});
