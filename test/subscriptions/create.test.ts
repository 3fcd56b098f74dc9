import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { parseBrCode } from '#shared/core/br-code/parse.ts';
import { testClient } from '../support/api.ts';
import { account, companyOne, holder, noon, otherCompany, receiver } from '../support/bank-world.ts';
import type { SubscriptionWorld } from '../support/subscription-world.ts';
import { compositeBody, subscriptionBody, subscriptionWorld } from '../support/subscription-world.ts';
import { refused } from '../support/refusals.ts';

let world: SubscriptionWorld;
beforeEach(async () => {
  world = subscriptionWorld();
  await world.openAccount(0);
});

describe('journey 2', () => {
  test('answers a recurrence that waits for its authorization, and no charge', async () => {
    const response = await world.created(subscriptionBody({ externalId: 'S-1' }));
    expect(response).toMatchObject({ status: 'PENDING_AUTHORIZATION', externalId: 'S-1' });
    expect(Object.keys(response)).toEqual([
      'id',
      'status',
      'qrcodeImageBase64',
      'qrcodeData',
      'providerId',
      'externalId',
    ]);
    expect(response.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u);
    expect(world.items('PAY_IN')).toEqual([]);
    expect(world.items('DELIVERY')).toEqual([]);
  });

  test('has a QR code with a recurrence and no charge, and an image of this code', async () => {
    const { qrcodeData, qrcodeImageBase64 } = await world.created(subscriptionBody());
    expect(parseBrCode(qrcodeData)).toMatchObject({
      kind: 'RECURRENCE_ONLY',
      recurrenceUrl: expect.stringMatching(/^pix\.service\.example\/qr\/v2\/rec\/[0-9a-f]{32}$/u) as string,
    });
    const { data, width, height } = PNG.sync.read(Buffer.from(qrcodeImageBase64, 'base64'));
    const decode = jsqr as unknown as (
      pixels: Uint8ClampedArray,
      width: number,
      height: number,
    ) => { data: string } | null;
    expect(decode(new Uint8ClampedArray(data), width, height)?.data).toBe(qrcodeData);
  });

  test.each([
    [true, 'RR'],
    [false, 'RN'],
    [undefined, 'RN'],
  ])('with allowChargeAfterDueDate %s has a recurrence id that begins with %s', async (allowed, prefix) => {
    const { providerId } = await world.created(subscriptionBody({ allowChargeAfterDueDate: allowed }));
    expect(providerId).toMatch(new RegExp(`^${prefix}9999900420260115[A-Za-z0-9]{11}$`, 'u'));
  });

  test('takes a payer and does not keep them', async () => {
    const payer = { name: 'Other', document: { type: 'CPF', number: '11144477735' } };
    const { id } = await world.created(subscriptionBody({ payer }));
    await world.forceSubscription(id, 'ACCEPTED');
    expect((await world.get(id)).body).toMatchObject({ payer: { document: receiver.document } });
  });
});

describe('journey 3', () => {
  test('answers with the order of its first charge, which expires after a day', async () => {
    const { initialCharge } = await world.created(compositeBody());
    expect(initialCharge).toEqual({
      orderId: expect.stringMatching(/^[0-9a-f-]{34}00$/u) as string,
      amount: { currency: 'BRL', value: '19.90' },
      conciliationId: expect.stringMatching(/^[0-9a-zA-Z]{26,35}$/u) as string,
      expireDateTime: '2026-01-16T15:00:00.000Z',
    });
  });

  test('has a code with a charge and a recurrence, and the order carries the same', async () => {
    const { qrcodeData, initialCharge, id } = await world.created(compositeBody({ description: 'Gym' }));
    expect(parseBrCode(qrcodeData)).toEqual({
      kind: 'DYNAMIC',
      url: `pix.service.example/qr/v2/cob/${initialCharge?.orderId.replaceAll('-', '') ?? ''}`,
      recurrenceUrl: expect.stringMatching(/^pix\.service\.example\/qr\/v2\/rec\/[0-9a-f]{32}$/u) as string,
    });
    const order = await world.getPayIn({ companyId: companyOne, params: { id: initialCharge?.orderId ?? '' } });
    expect(order.body).toMatchObject({
      id: initialCharge?.orderId,
      status: 'PENDING',
      qrcodeData,
      amount: { currency: 'BRL', value: '19.90' },
      description: 'Gym',
      conciliationId: initialCharge?.conciliationId,
      expireDateTime: initialCharge?.expireDateTime,
      createdAt: noon,
    });
    expect((await world.get(id)).body).toMatchObject({ initialCharge });
  });

  test.each([
    ['its payer when the request has one', { payer: holder }, holder],
    ['its debtor when the request has no payer', {}, receiver],
  ])('charges %s, and the notification of the order has the subscription', async (_name, more, payer) => {
    const { open } = world.bank.charges;
    const asked = vi.spyOn(open, 'submit');
    const { initialCharge, id } = await world.created(compositeBody({ externalId: 'S-3', ...more }));
    expect(asked.mock.calls.map(([order]) => order.payer)).toEqual([payer]);
    await world.force(initialCharge?.orderId ?? '', 'PAID');
    const [notification] = world.notified();
    expect(notification).toMatchObject({ event: 'ORDER-PAYIN.PAID', target: { type: 'PAYIN' } });
    expect(notification?.data).toMatchObject({ payer, subscription: { id, code: 'S-3' } });
    expect(notification?.data['subscription']).not.toHaveProperty('scheduledPayment');
  });

  test('and its order then move on their own', async () => {
    const { initialCharge, id } = await world.created(compositeBody());
    await world.forceSubscription(id, 'REJECTED');
    expect((await world.force(initialCharge?.orderId ?? '', 'PAID')).status).toBe(200);
    expect((await world.get(id)).body).toMatchObject({ status: 'REJECTED' });
  });

  test('is found by the external id that its order was given', async () => {
    const { initialCharge } = await world.created(compositeBody());
    const params = { id: initialCharge?.orderId ?? '' };
    const { externalId } = (await world.getPayIn({ companyId: companyOne, params })).body as { externalId: string };
    const again = await world.getPayIn({ companyId: companyOne, params: { id: 'unknown' }, query: { externalId } });
    expect(again.body).toMatchObject({ id: initialCharge?.orderId });
  });
});

test('the record shows what was asked for, its receiver, and no payer before there is one', async () => {
  const asked = {
    externalId: 'S-9',
    description: 'Gym',
    endDate: '2027-01-15',
    allowAdjustToBusinessDay: true,
    fixedAmount: { currency: 'BRL', value: '10.50' },
  };
  const { id, qrcodeData, qrcodeImageBase64, providerId } = await world.created(subscriptionBody(asked));
  expect((await world.get(id)).body).toEqual({
    ...subscriptionBody(asked),
    accountId: undefined,
    id,
    providerId,
    status: 'PENDING_AUTHORIZATION',
    statusHistory: [
      { status: 'INITIAL', createdAt: noon },
      { status: 'PENDING_AUTHORIZATION', createdAt: noon },
    ],
    qrcodeDetail: { imageBase64: qrcodeImageBase64, qrcodeData },
    allowChargeAfterDueDate: false,
    receiver: { id: account, fullName: holder.name, document: holder.document },
    createdAt: noon,
    createdBy: testClient,
    updatedAt: noon,
    cancellations: [],
  });
  refused(await world.get(id, otherCompany), 404);
  expect((await world.get(id.toUpperCase())).status).toBe(200);
});
