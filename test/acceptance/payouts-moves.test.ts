import { beforeAll, describe, expect, test } from 'vitest';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { GetPayout } from '#functions/payouts/get/contract.ts';
import type { Inbox } from '@banking-order/partner-tools';
import { needs } from '../support/environment.ts';
import { refused } from '../support/refusals.ts';
import { balanceOf, difference } from './money.ts';
import { isAbout, PayoutNotification, verified } from './notifications.ts';
import { activeAccount, eventually, first, useReceiver } from './partners.ts';
import { bankAccount, brl, maria, payout, pedro } from './samples.ts';
import { sendEverythingTo } from './settings.ts';

const inbox = useReceiver();
const account = activeAccount(first);
let events: Inbox;
beforeAll(async () => {
  events = inbox('payouts');
  await sendEverythingTo(first, events);
});

const force = (id: string, status: string) => first.call(ForceOrderStatus, { body: { id, status: status as 'PAID' } });
const cannotBeStopped = 'Efí cancels no Pix that it was given';
const read = async (id: string) => (await first.call(GetPayout, { params: { id } })).body;
const create = async (changes: Parameters<typeof payout>[1] = {}) =>
  (await first.call(CreatePayout, { body: payout(account.id, changes) })).body;
const readNotification = async (id: string) => {
  const notifications = await events.until(isAbout(id));
  return verified(notifications[0]!, PayoutNotification, first.webhookSecret);
};

describe('a forced transition of a payout', () => {
  test('to PAID spends the reserved amount and notifies the partner', async () => {
    const before = await balanceOf(first, account.id);
    const { id, externalId, endToEndId } = await create({
      paymentData: { pixKey: pedro.document.number },
      receiver: pedro,
    });
    await force(id, 'PAID');
    expect(difference(before, await balanceOf(first, account.id))).toEqual({ available: -725, reserved: 0 });
    const record = await read(id);
    expect(record.status).toBe('PAID');
    expect(record.paidAt! <= record.updatedAt).toBe(true);
    expect(await readNotification(id)).toMatchObject({
      id,
      code: externalId,
      event: 'ORDER-PAYOUT.PAID',
      status: 'PAID',
      type: 'PAY-OUT',
      paidAt: record.paidAt,
      updatedAt: record.updatedAt,
      endToEndId,
      controlNumber: null,
      amount: brl('7.25'),
      ownerBank: { name: account.fullName, document: account.document.number },
      receiver: { document: pedro.document, pix: { type: 'CPF', key: pedro.document.number } },
    });
  });

  test.for(['ERROR', 'CANCELED'])(
    'to %s returns the reserved amount and notifies the partner',
    async (status, context) => {
      if (status === 'CANCELED') needs(context, 'simulated-bank', cannotBeStopped);
      const before = await balanceOf(first, account.id);
      const { id } = await create();
      await force(id, status);
      expect(difference(before, await balanceOf(first, account.id))).toEqual({ available: 0, reserved: 0 });
      const record = await read(id);
      expect(record.status).toBe(status);
      expect(record).not.toHaveProperty('paidAt');
      expect(await readNotification(id)).toMatchObject({ event: `ORDER-PAYOUT.${status}`, status, paidAt: null });
    },
  );

  test('to PAID ignores the hours in which TEDs are sent when the payout is a TED', async (context) => {
    needs(context, 'simulated-bank', 'another bank gets a TED within its hours alone');
    const ted = { paymentMethod: 'TED', paymentData: { bankAccount: bankAccount }, receiver: maria } as const;
    const { id } = await create(ted);
    await force(id, 'PAID');
    const notification = await readNotification(id);
    expect(notification).toMatchObject({ status: 'PAID', endToEndId: null, receiver: { ...maria } });
    expect((await read(id)).status).toBe('PAID');
  });

  test.for(['PAID', 'ERROR', 'CANCELED'])('is refused when the payout is %s already', async (status, context) => {
    if (status === 'CANCELED') needs(context, 'simulated-bank', cannotBeStopped);
    const { id } = await create();
    await force(id, status);
    const before = [await read(id), await balanceOf(first, account.id)];
    for (const wanted of ['PAID', 'ERROR', 'CANCELED', 'EXPIRED', 'REFUNDED']) {
      refused(await first.refused(ForceOrderStatus, { body: { id, status: wanted } }), 409, [
        'status:TRANSITION_NOT_ALLOWED',
      ]);
    }
    expect([await read(id), await balanceOf(first, account.id)]).toEqual(before);
  });

  test('is executed once when it is requested twenty times concurrently', async () => {
    const before = await balanceOf(first, account.id);
    const { id } = await create();
    const body = { id, status: 'PAID' };
    const responses = await Promise.all(Array.from({ length: 20 }, () => first.answer(ForceOrderStatus, { body })));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.every(({ status }) => [200, 409].includes(status))).toBe(true);
    expect(difference(before, await balanceOf(first, account.id))).toEqual({ available: -725, reserved: 0 });
  });
});

test('a payout that the bank refuses by itself returns the money and notifies the partner', async (context) => {
  needs(context, 'simulated-bank', 'the key that is refused is one of its own');
  const before = await balanceOf(first, account.id);
  const { id } = await create({ paymentData: { pixKey: 'refused@bank.example' } });
  const record = await eventually(
    () => read(id),
    ({ status }) => status !== 'PENDING',
  );
  expect(record).toMatchObject({ status: 'ERROR', errorMessage: expect.any(String) });
  expect(await readNotification(id)).toMatchObject({ event: 'ORDER-PAYOUT.ERROR', message: record.errorMessage });
  expect(difference(before, await balanceOf(first, account.id))).toEqual({ available: 0, reserved: 0 });
});

describe('a payout above the limit of one transaction', () => {
  const big = { amount: brl('45000.01') } as const;

  test('is split into full payments and a rest', async () => {
    const before = await balanceOf(first, account.id);
    const { id, status, batch } = await create(big);
    expect(status).toBe('PENDING');
    expect(batch).toMatchObject({ id, transactionsCount: 4, paidCount: 0, failedCount: 0, pendingCount: 4 });
    expect(batch).toMatchObject({ paidAmount: '0.00', pendingAmount: '45000.01' });
    const amounts = batch?.transactions.map(({ sequence, amount }) => [sequence, amount]);
    expect(amounts).toEqual([
      [1, '15000.00'],
      [2, '15000.00'],
      [3, '15000.00'],
      [4, '0.01'],
    ]);
    const keys = batch?.transactions.map(({ idempotencyKey }) => idempotencyKey) ?? [];
    expect(keys.slice(1)).toEqual([2, 3, 4].map((sequence) => `${keys[0]}-${sequence}`));
    expect(new Set(batch?.transactions.map(({ endToEndId }) => endToEndId)).size).toBe(4);
    expect(difference(before, await balanceOf(first, account.id))).toEqual({
      available: -4_500_001,
      reserved: 4_500_001,
    });
    await force(id, 'ERROR');
  });

  test('is forced to PAID as a whole by its own id, and notifies once', async () => {
    const before = await balanceOf(first, account.id);
    const { id } = await create(big);
    await force(id, 'PAID');
    const record = await read(id);
    expect(record.batch).toMatchObject({
      paidCount: 4,
      pendingCount: 0,
      paidAmount: '45000.01',
      pendingAmount: '0.00',
    });
    expect(record.status).toBe('PAID');
    const notification = await readNotification(id);
    expect(notification).toMatchObject({ event: 'ORDER-PAYOUT.PAID', batch: { id, paidCount: 4 } });
    expect(difference(before, await balanceOf(first, account.id))).toEqual({ available: -4_500_001, reserved: 0 });
    for (const { id: child } of record.batch?.transactions ?? [])
      expect(events.received.filter(isAbout(child))).toHaveLength(0);
  });

  test('notifies once of a partial payment, when its last transaction is final', async () => {
    const before = await balanceOf(first, account.id);
    const { id, batch } = await create(big);
    const [one, two, three, four] = batch!.transactions.map((payment) => payment.id);
    await force(one!, 'PAID');
    await force(two!, 'ERROR');
    await force(four!, 'PAID');
    const open = await read(id);
    expect(open).toMatchObject({ status: 'PENDING', batch: { paidCount: 2, failedCount: 1, pendingCount: 1 } });
    expect(events.received.filter(isAbout(id))).toHaveLength(0);

    const again = await first.refused(ForceOrderStatus, { body: { id: one, status: 'PAID' } });
    expect(again.details).toMatchObject([{ issue: 'TRANSITION_NOT_ALLOWED' }]);

    await force(three!, 'ERROR');
    const notification = await readNotification(id);
    expect(notification).toMatchObject({
      event: 'ORDER-PAYOUT.ERROR',
      status: 'ERROR',
      batch: { paidCount: 2, failedCount: 2, pendingCount: 0, paidAmount: '15000.01', pendingAmount: '0.00' },
    });
    expect((await read(id)).status).toBe('PARTIALLY_PAID');
    expect(difference(before, await balanceOf(first, account.id))).toEqual({ available: -1_500_001, reserved: 0 });
    expect(events.received.filter(isAbout(id))).toHaveLength(1);
  });

  test('is refused when it would take more than ninety payments', async () => {
    refused(await first.refused(CreatePayout, { body: payout(account.id, { amount: brl('1350000.01') }) }), 400, [
      'amount.value:OUT_OF_RANGE',
    ]);
  });
});
