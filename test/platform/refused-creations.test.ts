import { beforeEach, describe, expect, test } from 'vitest';
import type { ChargeOrder } from '#shared/bank/ports/charges.ts';
import type { RecurrenceOrder } from '#shared/bank/ports/recurrences.ts';
import { testClient } from '../support/api.ts';
import type { Answer } from '../support/api.ts';
import { companyOne, payInBody } from '../support/bank-world.ts';
import type { SubscriptionWorld } from '../support/subscription-world.ts';
import { compositeBody, subscriptionBody, subscriptionWorld } from '../support/subscription-world.ts';
import { refused } from '../support/refusals.ts';

const toRefuse = { description: 'refused@bank.example' };
const silent = { description: 'silent@bank.example' };
const unknown = () => Promise.resolve({ outcome: 'UNKNOWN' } as const);

let world: SubscriptionWorld;
beforeEach(async () => {
  world = subscriptionWorld();
  await world.openAccount(0);
});

const payIn = (body: Record<string, unknown>, key = 'k'): Promise<Answer> =>
  world.createPayIn({ companyId: companyOne, key, body });
const bodyOf = ({ body }: Answer): Record<string, unknown> => body as Record<string, unknown>;
const events = (): readonly unknown[] => world.notified().map(({ event }) => event);

describe('a pay-in that the bank refuses', () => {
  test('is created in ERROR without a QR code, with the reason and one notification', async () => {
    const response = await payIn(payInBody(toRefuse));
    const { id } = bodyOf(response);
    const errorMessage = 'The bank did not accept the charge.';
    expect(response).toMatchObject({
      status: 201,
      body: { status: 'ERROR', errorMessage, qrcodeData: '', qrcodeImageBase64: '' },
    });
    expect((await world.getPayIn({ companyId: companyOne, params: { id: id as string } })).body).toEqual({
      ...bodyOf(response),
      createdBy: testClient,
    });
    expect(world.notified()).toMatchObject([
      { event: 'ORDER-PAYIN.ERROR', data: { id, status: 'ERROR', message: errorMessage } },
    ]);
    world.clock.now = '2026-02-15T15:00:00.000Z';
    expect(await world.expirePayIns(), 'it has no final status to wait for').toEqual({ expired: 0, failed: 0 });
  });

  test('is replayed byte for byte, and refuses every transition', async () => {
    const body = payInBody(toRefuse);
    const first = await payIn(body);
    const again = await payIn(body);
    expect(again).toMatchObject({ status: 201, text: first.text, headers: { 'idempotent-replayed': 'true' } });
    for (const status of ['PAID', 'CANCELED', 'EXPIRED'])
      refused(await world.force(bodyOf(first)['id'] as string, status), 409);
    expect(world.notified()).toHaveLength(1);
  });
});

describe('a subscription that the bank refuses', () => {
  test.each([
    ['journey 2', subscriptionBody],
    ['journey 3', compositeBody],
  ])('is created in ERROR without a QR code or an order, with one notification, in %s', async (_journey, body) => {
    const asked = body(toRefuse);
    const response = await world.send(asked, 'k');
    expect(response).toMatchObject({
      status: 201,
      body: { status: 'ERROR', qrcodeData: '', qrcodeImageBase64: '', providerId: '' },
    });
    const { id, initialCharge } = bodyOf(response);
    expect(initialCharge === undefined || !('orderId' in (initialCharge as object))).toBe(true);
    const record = bodyOf(await world.get(id as string));
    const statusHistory = [{ status: 'INITIAL' }, { status: 'ERROR' }];
    expect(record).toMatchObject({ status: 'ERROR', statusHistory, qrcodeDetail: { imageBase64: '', qrcodeData: '' } });
    expect(world.notified()).toMatchObject([{ event: 'SUBSCRIPTION.ERROR', data: { data: { id, status: 'ERROR' } } }]);
    expect(world.items('PAY_IN')).toEqual([]);
    expect((await world.send(asked, 'k')).text).toBe(response.text);
    refused(await world.forceSubscription(id as string, 'ACCEPTED'), 409);
  });

  test('is refused whole when the bank refuses its first charge alone', async () => {
    world.bank.charges.open.submit = () => Promise.resolve({ outcome: 'REFUSED', reason: 'Too much.' });
    expect(await world.send(compositeBody())).toMatchObject({ status: 201, body: { status: 'ERROR' } });
    expect(world.items('PAY_IN')).toEqual([]);
  });
});

describe('a bank that does not answer in time', () => {
  test.each<[string, (key: string) => Promise<Answer>]>([
    ['a pay-in', (key) => payIn(payInBody({ ...silent, externalId: 'X' }), key)],
    ['a subscription of journey 2', (key) => world.send(subscriptionBody({ ...silent, externalId: 'X' }), key)],
    ['a subscription of journey 3', (key) => world.send(compositeBody({ ...silent, externalId: 'X' }), key)],
  ])('leads to a 503 without a record, and the same key completes the creation of %s', async (_what, ask) => {
    refused(await ask('k'), 503);
    const written = world.items().map(({ entity }) => entity);
    expect(
      written.filter((entity) => entity === 'PAY_IN' || entity === 'SUBSCRIPTION' || entity === 'IDEMPOTENCY'),
    ).toEqual([]);
    expect((await ask('k')).status).toBe(201);
    expect(events()).toEqual([]);
  });

  test('gets the same reference for the same request, and another for another one', async () => {
    const seen: string[] = [];
    const note = (order: ChargeOrder | RecurrenceOrder) => {
      seen.push(order.reference);
      return unknown();
    };
    world.bank.charges.open.submit = note;
    world.bank.recurrences.open.submit = note;
    world.bank.charges.open.find = unknown;
    world.bank.recurrences.open.find = unknown;
    const body = payInBody();
    for (const [asked, key] of [
      [body, 'k'],
      [body, 'k'],
      [body, 'other'],
      [{ ...body, description: 'Other' }, 'k'],
    ] as const)
      await payIn(asked, key);
    const subscription = compositeBody();
    // The recurrence names its charge, so it goes once that is there.
    const { open } = world.simulated.charges;
    world.bank.charges.open.submit = (order, context) => {
      seen.push(order.reference);
      return open.submit(order, context);
    };
    for (const key of [undefined, undefined, 'k']) await world.send(subscription, key);
    for (const reference of seen) expect(reference).toMatch(/^[0-9a-f]{12}8[0-9a-f]{3}a[0-9a-f]{13}00$/);
    expect(seen[0]).toBe(seen[1]);
    expect(new Set(seen).size, 'three pay-ins, and recurrence and charge of two subscriptions').toBe(7);
  });

  test('is asked by reference, and its charge is used, when it carried out the command', async () => {
    const { open } = world.simulated.charges;
    world.bank.charges.open.submit = () => Promise.resolve({ outcome: 'UNKNOWN' });
    world.bank.charges.open.find = (order, context) => open.submit(order, context);
    expect(await payIn(payInBody())).toMatchObject({ status: 201, body: { status: 'PENDING' } });
  });
});

describe('the reply of the bank', () => {
  test('is stored with its own ids, locations and QR codes', async () => {
    const txid = 'BANK'.padEnd(35, '7');
    const qrcode = '000201bank-wrote-this-code';
    world.bank.charges.open.submit = () =>
      Promise.resolve({
        outcome: 'DONE',
        state: { txid, location: 'pix.bank.example/c/1', qrcode, status: 'ACTIVE', payments: [] },
      });
    expect((await payIn(payInBody())).body).toMatchObject({ conciliationId: txid, qrcodeData: qrcode });
    const recurrenceId = 'RR1234567820240115abcdefghijk';
    world.bank.recurrences.open.submit = () =>
      Promise.resolve({ outcome: 'DONE', state: { recurrenceId, location: 'pix.bank.example/rec/1', history: [] } });
    const { body } = await world.send(compositeBody());
    expect(body).toMatchObject({ providerId: recurrenceId, initialCharge: { conciliationId: txid } });
    expect(bodyOf({ body } as Answer)['qrcodeData']).toContain('pix.bank.example/rec/1');
  });

  test('is unusable when charge and recurrence have different hosts: no QR code could contain both', async () => {
    world.bank.recurrences.open.submit = () =>
      Promise.resolve({
        outcome: 'DONE',
        state: { recurrenceId: 'RR1234567820240115abcdefghijk', location: 'other.example/rec/1', history: [] },
      });
    refused(await world.send(compositeBody()), 503);
    expect(world.items('SUBSCRIPTION')).toEqual([]);
  });
});

test('the receiver of a recurrence is a company: an account of a person is refused, and the bank is not asked', async () => {
  const document = { type: 'CPF', number: '52998224725' } as const;
  const { id: accountId } = await world.openAccount(0, { id: 'aaaaaaaa-aaaa-4aaa-8aaa-0000000000ff', document });
  world.bank.recurrences.open.submit = () => Promise.reject(new Error('It was asked.'));
  const response = await world.send(subscriptionBody({ accountId }));
  refused(response, 409, ['accountId:INVALID_VALUE']);
});
