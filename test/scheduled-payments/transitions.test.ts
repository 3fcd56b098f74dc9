import { beforeEach, describe, expect, test } from 'vitest';
import { chargeRejectionCodes, settlementErrorCodes } from '#shared/sandbox/charge-events.ts';
import { account, companyOne, holder, receiver } from '../support/bank-world.ts';
import type { PaymentRecord, PaymentWorld } from '../support/payment-world.ts';
import { paymentBody, paymentWorld } from '../support/payment-world.ts';
import { refused } from '../support/refusals.ts';

let world: PaymentWorld;
let payment: PaymentRecord;
beforeEach(async () => {
  world = await paymentWorld();
  payment = await world.scheduled(paymentBody({ externalId: 'jan', description: 'Janeiro' }));
});
const balance = async () => (await world.getBalance({ companyId: companyOne, params: { accountId: account } })).body;
const read = () => world.payment(payment.id);

describe('COMPLETED', () => {
  const later = '2026-01-20T10:00:00.000Z';
  beforeEach(async () => {
    await world.forced(payment.id, 'ACCEPTED');
    world.clock.now = later;
    await world.forced(payment.id, 'COMPLETED');
  });

  test('creates the paid pay-in, without QR code, and credits the account with its entry', async () => {
    const { status, orderId, updatedAt } = await read();
    expect([status, updatedAt]).toEqual(['COMPLETED', later]);
    const order = (await world.getPayIn({ companyId: companyOne, params: { id: orderId ?? '' } })).body;
    expect(order).toMatchObject({
      id: orderId,
      status: 'PAID',
      qrcodeData: '',
      qrcodeImageBase64: '',
      amount: { currency: 'BRL', value: '49.90' },
      description: 'Janeiro',
      conciliationId: payment.id.replaceAll('-', ''),
      endToEndId: payment.endToEndId,
      createdAt: later,
      paidAt: later,
    });
    expect(await balance()).toMatchObject({ available: '49.90', reserved: '0.00' });
    expect(world.items('LEDGER_ENTRY')).toMatchObject([
      { kind: 'PAY_IN', orderId, available: 4990, reserved: 0, at: later },
    ]);
  });

  test('notifies the pay-in, which names its subscription and payment, and the payment itself', async () => {
    const record = await read();
    const notifications = world.notified();
    expect(notifications.filter(({ event }) => event === 'ORDER-PAYIN.PAID')).toMatchObject([
      {
        resource: { type: 'PAY_IN', id: record.orderId },
        target: { type: 'PAYIN' },
        data: {
          id: record.orderId,
          status: 'PAID',
          paidAt: later,
          endToEndId: payment.endToEndId,
          payer: { ...receiver, bank: { ispb: expect.any(String) as string } },
          ownerBank: { name: holder.name, bank: { account: '1234567' } },
          subscription: {
            id: world.subscriptionId,
            code: expect.stringMatching(/^subscription-/u) as string,
            scheduledPayment: { id: payment.id, externalId: 'jan' },
          },
        },
      },
    ]);
    expect(notifications.find(({ event }) => event.endsWith('COMPLETED'))?.data).toEqual({
      event: 'SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED',
      occurredAt: later,
      data: record,
    });
  });

  test('creates a pay-in that is found by its code, as any other', async () => {
    const { orderId } = await read();
    const code = world.notified().find(({ event }) => event === 'ORDER-PAYIN.PAID')?.data['code'] as string;
    const asked = { companyId: companyOne, params: { id: 'unknown' }, query: { externalId: code } };
    expect((await world.getPayIn(asked)).body).toMatchObject({ id: orderId });
  });

  test('is refused a second time, and moves no money then', async () => {
    const again = await world.force(payment.id, 'COMPLETED');
    refused(again, 409, ['status:TRANSITION_NOT_ALLOWED']);
    expect(await balance()).toMatchObject({ available: '49.90' });
  });

  test('creates a pay-in that is refunded like any other, with the same code and subscription', async () => {
    const { orderId = '' } = await read();
    const paid = world.notified().find(({ event }) => event === 'ORDER-PAYIN.PAID')?.data;
    expect(
      (await world.refundPayIn({ companyId: companyOne, params: { id: orderId }, body: {}, key: 'r' })).status,
    ).toBe(201);
    await world.forceOrder(orderId, 'REFUNDED');
    expect(world.notified().find(({ event }) => event === 'ORDER-PAYIN.REFUNDED')?.data).toMatchObject({
      id: orderId,
      code: paid?.['code'],
      subscription: paid?.['subscription'],
    });
    expect(await balance()).toMatchObject({ available: '0.00', reserved: '0.00' });
  });
});

test('COMPLETED twenty times at once pays once', async () => {
  await world.forced(payment.id, 'ACCEPTED');
  const responses = await Promise.all(Array.from({ length: 20 }, () => world.force(payment.id, 'COMPLETED')));
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(19).fill(409)]);
  expect(await balance()).toMatchObject({ available: '49.90' });
  expect(world.items('PAY_IN')).toHaveLength(1);
});

test('COMPLETED credits an account that was closed meanwhile', async () => {
  await world.forced(payment.id, 'ACCEPTED');
  await world.setAccountStatus('ACTIVE', 'CLOSED');
  await world.forced(payment.id, 'COMPLETED');
  expect(await balance()).toMatchObject({ available: '49.90' });
});

test('REJECTED and ERROR carry a code from the list that fits', async () => {
  await world.forced(payment.id, 'REJECTED');
  expect(chargeRejectionCodes).toContain((await read()).errorCode);
  const other = await world.scheduled(paymentBody());
  await world.forced(other.id, 'ACCEPTED', 'ERROR');
  expect(settlementErrorCodes).toContain((await world.payment(other.id)).errorCode);
});

test.each([
  ...chargeRejectionCodes.map((code) => ['REJECTED', code] as const),
  ...settlementErrorCodes.map((code) => ['ERROR', code] as const),
])('a payment that is forced to %s has the code %s of its description', async (status, code) => {
  await world.forced(payment.id, 'REJECTED');
  const asked = await world.scheduled(paymentBody({ description: `${code}@bank.example` }));
  await world.forced(asked.id, ...(status === 'ERROR' ? (['ACCEPTED', status] as const) : [status]));
  expect((await world.payment(asked.id)).errorCode).toBe(code);
});

test('ERROR has a settlement error code when the description asks for a rejection code', async () => {
  await world.forced(payment.id, 'REJECTED');
  const asked = await world.scheduled(paymentBody({ description: 'DTED@bank.example' }));
  await world.forced(asked.id, 'ACCEPTED', 'ERROR');
  expect(settlementErrorCodes).toContain((await world.payment(asked.id)).errorCode);
});

test('the notification of a canceled payment has exactly the fields of section 6.5', async () => {
  await world.forced(payment.id, 'CANCELED');
  const { cancellation } = await read();
  expect(world.notified().at(-1)?.data).toEqual({
    event: 'SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.ACCEPTED',
    occurredAt: world.clock.now,
    data: {
      id: payment.id,
      externalId: 'jan',
      subscriptionId: world.subscriptionId,
      status: 'CANCELED',
      purpose: 'FIRST_ATTEMPT',
      updatedAt: world.clock.now,
      cancellation,
    },
  });
  expect(cancellation).toEqual({
    id: expect.any(String) as string,
    status: 'ACCEPTED',
    endToEndId: payment.endToEndId,
    reason: 'REQUESTED_BY_PAYER',
    canceledAt: world.clock.now,
    customer: { document: receiver.document },
  });
});

test('the tool describes its transition in the response, and is 409, 404 or 400 when it refuses one', async () => {
  const response = await world.force(payment.id.toUpperCase(), 'ACCEPTED');
  expect(response.body).toEqual({
    id: payment.id,
    description: expect.stringContaining('status PENDING → ACCEPTED') as string,
  });
  refused(await world.force(payment.id, 'REJECTED'), 409, ['status:TRANSITION_NOT_ALLOWED']);
  refused(await world.force(world.ids.uuid(), 'ACCEPTED'), 404);
  const formless = await world.force('no-id', 'ACCEPTED');
  refused(formless, 400, ['id:INVALID_FORMAT']);
});
