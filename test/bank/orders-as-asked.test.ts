import { beforeEach, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { companyOne, payInBody, payoutBody, receiver } from '../support/bank-world.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentBody, paymentWorld } from '../support/payment-world.ts';
import { subscriptionBody } from '../support/subscription-world.ts';

/** The bank receives every field that the payer or the receiver sees as the partner requested it. */

let world: PaymentWorld;
let receivedOrders: object[];
beforeEach(async () => {
  world = await paymentWorld();
  receivedOrders = [];
});
/** Notes the orders of a command. */
function notes(command: { submit: (order: never, context: never) => Promise<unknown> }): void {
  const { submit } = command;
  command.submit = (order, context) => {
    receivedOrders.push(order);
    return submit(order, context);
  };
}
const brl = (value: string) => ({ currency: 'BRL', value });
const expectCreated = ({ status, body, text }: Answer): { readonly id: string } => {
  expect(status, text).toBeLessThan(300);
  return body as { id: string };
};
const text = 'Mensalidade de março';

test('the bank receives amount, text, payer and expiry of a pay-in as requested', async () => {
  notes(world.bank.charges.open);
  const body = payInBody({ amount: brl('25.07'), description: text, payer: receiver, expiresInSeconds: 900 });
  expectCreated(await world.createPayIn({ companyId: companyOne, key: 'k', body }));
  expect(receivedOrders).toMatchObject([
    { amount: 2507, description: text, payer: receiver, expireDateTime: '2026-01-15T15:15:00.000Z' },
  ]);
});

test('the bank receives amount and text of a refund as requested', async () => {
  const body = payInBody({ amount: brl('25.07') });
  const { id } = expectCreated(await world.createPayIn({ companyId: companyOne, key: 'k', body }));
  await world.forceOrder(id, 'PAID');
  notes(world.bank.refunds);
  const asked = { companyId: companyOne, key: 'r', params: { id }, body: { description: text } };
  expectCreated(await world.refundPayIn(asked));
  expect(receivedOrders).toMatchObject([{ amount: 2507, description: text }]);
});

test('the bank receives amount, text and receiver of a payout as requested, and the same text in each part', async () => {
  await world.openAccount(100_000_00, { id: world.ids.uuid(), email: 'second@example.com' });
  const { accountId } = world.items('BALANCE').find(({ available }) => available === 100_000_00)!;
  notes(world.bank.payouts.send);
  for (const [key, value] of [
    ['one', '10.05'],
    ['two', '20000.01'],
  ] as const) {
    const body = payoutBody({ accountId, externalId: key, amount: brl(value), description: text });
    expectCreated(await world.createPayout({ companyId: companyOne, key, body }));
  }
  expect(receivedOrders.map((order) => (order as { amount: number }).amount)).toEqual([1005, 1_500_000, 500_001]);
  const { receiver: to } = world.items('PAYOUT')[0]!;
  for (const order of receivedOrders) expect(order).toMatchObject({ description: text, receiver: to });
});

test.each([
  ['a fixed amount', { fixedAmount: brl('9.90') }, { fixedAmount: 990 }],
  ['a minimum of the payer’s limit', { maxAmountFloor: brl('50.00') }, { maxAmountFloor: 5000 }],
])(
  'the bank receives terms, text, external id and debtor of a subscription with %s as requested',
  async (_what, asked, expected) => {
    notes(world.bank.recurrences.open);
    const terms = {
      externalId: 'contract-7',
      frequencyType: 'QUARTERLY',
      startDate: '2026-02-01',
      endDate: '2027-02-01',
    };
    const more = { ...terms, description: text, allowChargeAfterDueDate: true };
    await world.created(subscriptionBody({ ...more, ...asked }));
    expect(receivedOrders).toMatchObject([{ ...more, ...expected, debtor: receiver }]);
  },
);

test('the bank receives amount, text and day of a scheduled payment as requested', async () => {
  notes(world.bank.recurringCharges.schedule);
  await world.scheduled(paymentBody({ dueDate: '2026-01-20', amount: brl('49.91'), description: text }));
  expect(receivedOrders).toMatchObject([
    { amount: 4991, description: text, settlementDate: '2026-01-20', kind: 'FIRST_ATTEMPT' },
  ]);
});
