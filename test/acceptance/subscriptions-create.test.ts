import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import { activeAccount, first, second } from './partners.ts';
import { checksumOf, decodeImage, objectsOf } from './qr-code.ts';
import { acme, brl, journey2, journey3, maria, pedro } from './samples.ts';
import { refused } from '../support/refusals.ts';

const accountId = activeAccount(first).id;
const pix = 'br.gov.bcb.pix';

describe('a subscription of journey 2', () => {
  test('is created pending, with a QR code that carries the recurrence and no charge', async () => {
    const { status, body } = await first.call(CreateSubscription, { body: journey2(accountId) });
    expect(status).toBe(201);
    expect(body.initialCharge).toBeUndefined();
    expect(body.providerId).toMatch(/^RN[0-9A-Z]{8}\d{8}[A-Za-z0-9]{11}$/);
    expect(decodeImage(body.qrcodeImageBase64)).toBe(body.qrcodeData);

    const code = objectsOf(body.qrcodeData);
    expect(code['63']).toBe(checksumOf(body.qrcodeData));
    expect(code).not.toHaveProperty('01');
    expect(objectsOf(code['26'] ?? '')).toEqual({ '00': pix });
    expect(objectsOf(code['80'] ?? '')).toEqual({ '00': pix, '25': expect.stringMatching(/\/rec\/[0-9a-f]{32}$/) });
  });

  test('reads as it was asked for, with its receiver', async () => {
    const asked = journey2(accountId, {
      description: 'Plano anual',
      endDate: '2031-01-10',
      allowChargeAfterDueDate: true,
      allowAdjustToBusinessDay: true,
      maxAmountFloor: brl(10),
      debtor: acme,
      payer: pedro,
    });
    const created = await first.call(CreateSubscription, { body: asked });
    const { body } = await first.call(GetSubscription, { params: { id: created.body.id } });

    const { accountId: _account, payer: _payer, ...echoed } = asked;
    const account = activeAccount(first);
    expect(body).toMatchObject({ ...echoed, maxAmountFloor: brl('10.00') });
    expect(body).toMatchObject({
      id: created.body.id,
      status: 'PENDING_AUTHORIZATION',
      providerId: created.body.providerId,
      qrcodeDetail: { qrcodeData: created.body.qrcodeData, imageBase64: created.body.qrcodeImageBase64 },
      receiver: { id: account.id, fullName: account.fullName, document: account.document },
      cancellations: [],
    });
    expect(body.providerId).toMatch(/^RR/);
    expect(body.statusHistory.at(-1)).toEqual({ status: 'PENDING_AUTHORIZATION', createdAt: body.createdAt });
    // A payer has no meaning before the acceptance, and journey 2 has no first charge.
    expect(body).not.toHaveProperty('payer');
    expect(body).not.toHaveProperty('fixedAmount');
  });

  test('may have the external id that another company uses', async () => {
    const externalId = `shared-${randomUUID()}`;
    const body = journey2(accountId, { externalId });
    await first.call(CreateSubscription, { body });
    await second.call(CreateSubscription, { body: journey2(activeAccount(second).id, { externalId }) });
    refused(await first.refused(CreateSubscription, { body }), 409, ['externalId:ALREADY_EXISTS']);
  });
});

describe('a subscription of journey 3', () => {
  test('comes with an order for its first charge, and one QR code for both', async () => {
    const asked = journey3(accountId, { description: 'Primeira mensalidade', payer: pedro });
    const { body } = await first.call(CreateSubscription, { body: asked });
    const charge = body.initialCharge!;
    expect(charge.amount).toEqual(brl('29.90'));
    expect(charge.conciliationId).toMatch(/^[A-Za-z0-9]{26,35}$/);
    expect(decodeImage(body.qrcodeImageBase64)).toBe(body.qrcodeData);

    const code = objectsOf(body.qrcodeData);
    expect(code['63']).toBe(checksumOf(body.qrcodeData));
    const urls = [objectsOf(code['26'] ?? '')['25'] ?? '', objectsOf(code['80'] ?? '')['25'] ?? ''];
    expect(urls[1]).toMatch(/\/rec\/[0-9a-f]{32}$/);
    // Both locations must be at the same host, or payers' apps refuse the code.
    expect(urls[0]?.split('/')[0]).toBe(urls[1]?.split('/')[0]);

    const order = await first.call(GetPayIn, { params: { id: charge.orderId! } });
    expect(order.body).toMatchObject({
      status: 'PENDING',
      amount: charge.amount,
      conciliationId: charge.conciliationId,
      expireDateTime: charge.expireDateTime,
      qrcodeData: body.qrcodeData,
      description: 'Primeira mensalidade',
    });
    const hours = (Date.parse(charge.expireDateTime) - Date.parse(order.body.createdAt)) / 3_600_000;
    expect(hours).toBe(24);

    const record = await first.call(GetSubscription, { params: { id: body.id } });
    expect(record.body.initialCharge).toEqual(charge);
  });

  test('cannot be without its first charge, as journey 2 cannot have one', async () => {
    const { initialCharge, ...without } = journey3(accountId);
    refused(await first.refused(CreateSubscription, { body: without }), 400, ['initialCharge:REQUIRED']);
    refused(await first.refused(CreateSubscription, { body: { ...journey2(accountId), initialCharge } }), 400, [
      'initialCharge:INVALID_VALUE',
    ]);
  });
});

describe('a subscription is refused', () => {
  const document = { type: 'CPF', number: '52998224726' };
  test.each([
    ['an amount with three decimals', { fixedAmount: brl('1.999') }, 'fixedAmount.value', 'INVALID_FORMAT'],
    ['an amount of zero', { fixedAmount: brl(0) }, 'fixedAmount.value', 'INVALID_FORMAT'],
    ['a negative amount', { fixedAmount: brl(-5) }, 'fixedAmount.value', 'INVALID_FORMAT'],
    [
      'an amount in another currency',
      { fixedAmount: { currency: 'USD', value: 1 } },
      'fixedAmount.currency',
      'INVALID_VALUE',
    ],
    ['a boolean as amount', { fixedAmount: { currency: 'BRL', value: true } }, 'fixedAmount.value', 'INVALID_TYPE'],
    [
      'a document with wrong check digits',
      { debtor: { ...maria, document } },
      'debtor.document.number',
      'INVALID_FORMAT',
    ],
    ['an unknown field', { fixedAmmount: brl(1) }, 'fixedAmmount', 'UNKNOWN_FIELD'],
    ['an unknown field of its debtor', { debtor: { ...maria, nick: 'M' } }, 'debtor.nick', 'UNKNOWN_FIELD'],
    ['an unknown frequency', { frequencyType: 'DAILY' }, 'frequencyType', 'INVALID_VALUE'],
    ['a date that does not exist', { startDate: '2030-02-30' }, 'startDate', 'INVALID_FORMAT'],
    ['a date with a time', { startDate: '2030-02-03T00:00:00Z' }, 'startDate', 'INVALID_FORMAT'],
    ['an end date before its start date', { endDate: '2030-01-09' }, 'endDate', 'OUT_OF_RANGE'],
    ['a start date in the past', { startDate: '2020-01-01' }, 'startDate', 'OUT_OF_RANGE'],
    ['an external id that is too long', { externalId: 'x'.repeat(65) }, 'externalId', 'TOO_LONG'],
    ['an external id that is empty', { externalId: '' }, 'externalId', 'TOO_SHORT'],
    ['a description with a line break', { description: 'one\ntwo' }, 'description', 'INVALID_FORMAT'],
    ['an account id that is no UUID', { accountId: 'main' }, 'accountId', 'INVALID_FORMAT'],
    ['a boolean in quotes', { allowChargeAfterDueDate: 'true' }, 'allowChargeAfterDueDate', 'INVALID_TYPE'],
    ['no debtor', { debtor: undefined }, 'debtor', 'REQUIRED'],
    ['no webhook URL', { webhookUrl: undefined }, 'webhookUrl', 'REQUIRED'],
    ['a webhook URL that is no URL', { webhookUrl: 'partner' }, 'webhookUrl', 'INVALID_VALUE'],
  ])('with %s', async (_what, changes, field, issue) => {
    refused(await first.refused(CreateSubscription, { body: { ...journey2(accountId), ...changes } }), 400, [
      `${field}:${issue}`,
    ]);
  });

  test('with both a fixed amount and a floor, naming both', async () => {
    const body = journey2(accountId, { fixedAmount: brl(10), maxAmountFloor: brl(5) });
    refused(await first.refused(CreateSubscription, { body }), 400, [
      'fixedAmount:MUTUALLY_EXCLUSIVE',
      'maxAmountFloor:MUTUALLY_EXCLUSIVE',
    ]);
  });

  test('with everything wrong at once, naming every field', async () => {
    const response = await first.refused(CreateSubscription, {
      key: 'k'.repeat(256),
      body: { accountId: 7, type: 'LATER', frequencyType: 'MONTHLY', startDate: 'soon', debtor: {}, extra: null },
    });
    const { details } = refused(response, 400);
    expect(details.map(({ field }) => field).toSorted()).toEqual([
      'accountId',
      'debtor.document',
      'debtor.name',
      'externalId',
      'extra',
      'idempotency-key',
      'startDate',
      'type',
      'webhookUrl',
    ]);
  });

  test('for an account that is unknown', async () => {
    refused(await first.refused(CreateSubscription, { body: journey2(randomUUID()) }), 404);
  });

  test.each(first.accounts.filter(({ status }) => status !== 'ACTIVE'))(
    'for an account that is $status',
    async ({ id }) => {
      refused(await first.refused(CreateSubscription, { body: journey2(id) }), 409, ['accountId:INVALID_VALUE']);
    },
  );
});

test('a subscription may start today in Brasilia, not the day before', async () => {
  const day = (ms: number): string => new Date(ms - 3 * 3_600_000).toISOString().slice(0, 10);
  const today = day(Date.now());
  // Around midnight in Brasilia the day may change between here and there.
  const { received } = await first.call(CreateSubscription, { body: journey2(accountId, { startDate: today }) });
  expect(received.status).toBe(201);
  const yesterday = day(Date.parse(`${today}T03:00:00Z`) - 1);
  refused(await first.refused(CreateSubscription, { body: journey2(accountId, { startDate: yesterday }) }), 400, [
    'startDate:OUT_OF_RANGE',
  ]);
});
