import { beforeEach, expect, test } from 'vitest';
import type { RecurrenceState } from '#shared/bank/ports/recurrences.ts';
import { applyRecurrenceState } from '#shared/subscriptions/apply-state.ts';
import { companyOne, receiver as debtor } from '#test/support/bank-world.ts';
import type { PaymentWorld } from '#test/support/payment-world.ts';
import { paymentBody, paymentWorld } from '#test/support/payment-world.ts';
import { subscriptionBody } from '#test/support/subscription-world.ts';

let world: PaymentWorld;
beforeEach(async () => {
  world = await paymentWorld();
});

const { document } = debtor;
const other = { type: 'CPF', number: '11144477735' } as const;
const bankData = { ispb: '60701190', branchNumber: '0001', accountNumber: '12345678' };
const bank = { ispb: '60701190', code: '341', branch: '0001', account: '12345678' };

/** The payer of the order of a collected charge, whose recurrence its bank says was authorized by this one. */
async function payerOfCharge(payer: NonNullable<RecurrenceState['payer']>): Promise<unknown> {
  const { id } = await world.created(subscriptionBody({ debtor }));
  const context = { ...world.deps, at: world.clock.now, companyId: companyOne, requestId: 'r' };
  await applyRecurrenceState(context, id, { history: [{ status: 'APPROVED', at: world.clock.now }], payer });
  const payment = await world.scheduled(paymentBody(), id);
  await world.forced(payment.id, 'ACCEPTED', 'COMPLETED');
  const paid = world.notified().find(({ event }) => event === 'ORDER-PAYIN.PAID');
  return paid?.data['payer'];
}

test('a charge is paid from the account that its bank names, by the expected payer when it names no other', async () => {
  const payer = await payerOfCharge({ document, bankData });
  expect(payer).toMatchObject({ name: debtor.name, document, bank });
});

test('a charge has name, document and account of another payer when its bank names all of them', async () => {
  const payer = await payerOfCharge({ name: 'José', document: other, bankData });
  expect(payer).toMatchObject({ name: 'José', document: other, bank });
});

test('a charge has neither account nor document of another payer when its bank names them without a name', async () => {
  const payer = await payerOfCharge({ document: other, bankData });
  expect(payer).toEqual({ name: debtor.name, document });
});
