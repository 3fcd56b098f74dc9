import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { activeAccount, first, second } from './partners.ts';
import { checksumOf, decodeImage, objectsOf } from './qr-code.ts';
import { brl, maria, payIn } from './samples.ts';
import { refused } from '../support/refusals.ts';

const accountId = activeAccount(first).id;

describe('a pay-in', () => {
  test('is created pending, with a dynamic QR code for one payment and a day to live', async () => {
    const asked = payIn(accountId);
    const { status, body } = await first.call(CreatePayIn, { body: asked });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      externalId: asked.externalId,
      status: 'PENDING',
      amount: brl('10.50'),
      description: 'Fatura 42',
      paymentMethod: 'PIX',
      conciliationId: expect.stringMatching(/^[A-Za-z0-9]{26,35}$/),
    });
    for (const later of ['endToEndId', 'paidAt', 'refundedAt', 'canceledAt', 'expiredAt', 'errorMessage'])
      expect(body).not.toHaveProperty(later);
    expect(Date.parse(body.expireDateTime) - Date.parse(body.createdAt)).toBe(86_400_000);

    expect(decodeImage(body.qrcodeImageBase64)).toBe(body.qrcodeData);
    const code = objectsOf(body.qrcodeData);
    expect(code['63']).toBe(checksumOf(body.qrcodeData));
    expect(objectsOf(code['26'] ?? '')).toHaveProperty('25');
    expect(code).not.toHaveProperty('80');
  });

  test('is found by its id, and by its external id when the id is none of the company', async () => {
    const { body } = await first.call(CreatePayIn, { body: payIn(accountId, { expiresInSeconds: 2_592_000 }) });
    const byId = await first.call(GetPayIn, { params: { id: body.id } });
    const record = { ...body, createdBy: first.clientId };
    expect(byId.body).toEqual(record);
    const query = { externalId: body.externalId };
    for (const id of [randomUUID(), 'unknown'])
      expect((await first.call(GetPayIn, { params: { id }, query })).body).toEqual(record);
    // The id comes first: an external id beside it does not change the answer.
    const other = await first.call(CreatePayIn, { body: payIn(accountId) });
    const both = { params: { id: other.body.id }, query };
    expect((await first.call(GetPayIn, both)).body).toMatchObject(other.body);
    refused(await second.refused(GetPayIn, { params: { id: body.id }, query }), 404);
  });

  test('has an external id of its own', async () => {
    const body = payIn(accountId);
    await first.call(CreatePayIn, { body });
    refused(await first.refused(CreatePayIn, { body }), 409, ['externalId:ALREADY_EXISTS']);
    await second.call(CreatePayIn, { body: { ...body, accountId: activeAccount(second).id } });
  });

  test('asked for twenty times at once with one key is made once', async () => {
    const ask = { key: randomUUID(), body: payIn(accountId) };
    const responses = await Promise.all(Array.from({ length: 20 }, () => first.call(CreatePayIn, ask)));
    expect(new Set(responses.map(({ received }) => received.text)).size).toBe(1);
    expect(responses.filter(({ received }) => received.headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    const other = await first.refused(CreatePayIn, { ...ask, body: payIn(accountId) });
    refused(other, 422, ['idempotency-key:IDEMPOTENCY_KEY_REUSED']);
  });

  test.each([
    ['no idempotency key', { key: null }, {}, 'idempotency-key', 'REQUIRED'],
    ['an idempotency key that is too long', { key: 'k'.repeat(256) }, {}, 'idempotency-key', 'TOO_LONG'],
    ['an idempotency key beyond ASCII', { key: 'chave-única' }, {}, 'idempotency-key', 'INVALID_FORMAT'],
    ['an amount of zero', {}, { amount: brl('0.00') }, 'amount.value', 'INVALID_FORMAT'],
    ['an amount with an exponent', {}, { amount: brl('1e3') }, 'amount.value', 'INVALID_FORMAT'],
    ['no payer', {}, { payer: undefined }, 'payer', 'REQUIRED'],
    ['a payer without a document', {}, { payer: { name: maria.name } }, 'payer.document', 'REQUIRED'],
    ['an expiry below a minute', {}, { expiresInSeconds: 59 }, 'expiresInSeconds', 'OUT_OF_RANGE'],
    ['an expiry above thirty days', {}, { expiresInSeconds: 2_592_001 }, 'expiresInSeconds', 'OUT_OF_RANGE'],
    ['an expiry with half a second', {}, { expiresInSeconds: 60.5 }, 'expiresInSeconds', 'INVALID_TYPE'],
    ['a description that is too long', {}, { description: 'd'.repeat(141) }, 'description', 'TOO_LONG'],
  ])('is refused with %s', async (_what, ask, changes, field, issue) => {
    refused(await first.refused(CreatePayIn, { ...ask, body: { ...payIn(accountId), ...changes } }), 400, [
      `${field}:${issue}`,
    ]);
  });

  test('is refused for an account that is unknown or not active', async () => {
    refused(await first.refused(CreatePayIn, { body: payIn(randomUUID()) }), 404);
    for (const { id } of first.accounts.filter(({ status }) => status !== 'ACTIVE'))
      refused(await first.refused(CreatePayIn, { body: payIn(id) }), 409, ['accountId:INVALID_VALUE']);
  });
});
