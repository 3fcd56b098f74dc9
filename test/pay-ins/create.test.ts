import { beforeEach, describe, expect, it } from 'vitest';
import { parseBrCode } from '#shared/core/br-code/parse.ts';
import { testClient } from '#test/support/api.ts';
import type { Answer } from '#test/support/api.ts';
import type { World } from '#test/support/bank-world.ts';
import { account, bankWorld, companyOne, otherCompany, payInBody } from '#test/support/bank-world.ts';
import { each } from '#test/support/each.ts';
import { refused } from '#test/support/refusals.ts';
import { noIds } from '#test/support/test-ids.ts';

type Body = { id: string; qrcodeData: string; conciliationId: string; expireDateTime: string };

let world: World;
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(0);
});

function create(more: Record<string, unknown> = {}, key = 'k', companyId = companyOne): Promise<Answer> {
  return world.createPayIn({ companyId, key, body: payInBody(more) });
}

async function read(id: string): Promise<Record<string, unknown>> {
  return (await world.getPayIn({ companyId: companyOne, params: { id } })).body as Record<string, unknown>;
}

describe('a pay-in', () => {
  it('is created pending with a dynamic QR code that leads to it', async () => {
    const response = await create({ externalId: 'I-1' });
    expect(response).toMatchObject({ status: 201 });
    const { id, qrcodeData } = response.body as Body;
    expect(response.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{34}00$/),
      externalId: 'I-1',
      status: 'PENDING',
      qrcodeImageBase64: expect.stringMatching(/^iVBORw0KGgo/),
      qrcodeData,
      expireDateTime: '2026-01-16T15:00:00.000Z',
      amount: { currency: 'BRL', value: '25.00' },
      description: 'Order 42',
      conciliationId: expect.stringMatching(/^[0-9a-f]{32}$/),
      paymentMethod: 'PIX',
      createdAt: world.clock.now,
    });
    const url = `pix.service.example/qr/v2/cob/${id.replaceAll('-', '')}`;
    expect(parseBrCode(qrcodeData)).toEqual({ kind: 'DYNAMIC', url });
    expect(await read(id)).toEqual({ ...(response.body as object), createdBy: testClient });
  });

  it('is found by its externalId beside a text that is no id, and is not found without', async () => {
    const { body } = await create({ externalId: 'I-1' });
    for (const id of each(noIds)) {
      refused(await world.getPayIn({ companyId: companyOne, params: { id } }), 404);
      const named = { companyId: companyOne, params: { id }, query: { externalId: 'I-1' } };
      expect((await world.getPayIn(named)).body).toEqual({ ...(body as object), createdBy: testClient });
    }
  });

  it.each([
    [60, '2026-01-15T15:01:00.000Z'],
    [2_592_000, '2026-02-14T15:00:00.000Z'],
  ])('expires after %d seconds when the request has that expiry', async (expiresInSeconds, expireDateTime) => {
    expect((await create({ expiresInSeconds })).body).toMatchObject({ expireDateTime });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['an expiry of 59 seconds', { expiresInSeconds: 59 }, 'expiresInSeconds:OUT_OF_RANGE'],
    ['an expiry of more than 30 days', { expiresInSeconds: 2_592_001 }, 'expiresInSeconds:OUT_OF_RANGE'],
    ['an expiry with a fraction of a second', { expiresInSeconds: 60.5 }, 'expiresInSeconds:INVALID_TYPE'],
    ['no payer', { payer: undefined }, 'payer:REQUIRED'],
    ['no description', { description: undefined }, 'description:REQUIRED'],
  ])('with %s is refused', async (_name, more, expected) => {
    const response = await create(more);
    refused(response, 400, [expected]);
  });

  it('is refused for an account that is unknown, another company’s or not active', async () => {
    refused(await create({}, 'k', otherCompany), 404);
    await world.setAccountStatus('ACTIVE', 'INACTIVE');
    refused(await create(), 409, ['accountId:INVALID_VALUE']);
  });

  it('is refused when its external id is taken', async () => {
    await create({ externalId: 'I-1' });
    refused(await create({ externalId: 'I-1' }, 'k2'), 409, ['externalId:ALREADY_EXISTS']);
    expect(world.items('PAY_IN')).toHaveLength(1);
  });

  it('expires by itself when its time has passed', async () => {
    const { id } = (await create({ expiresInSeconds: 60 })).body as Body;
    world.clock.now = '2026-01-15T15:01:00.000Z';
    expect(await world.expirePayIns()).toEqual({ expired: 1, failed: 0 });
    expect(await read(id)).toMatchObject({ status: 'EXPIRED', expiredAt: world.clock.now });
  });
});

describe('a pay-in request with a key that was used', () => {
  it('gets the first answer again, byte for byte, also after moves', async () => {
    const body = payInBody();
    const first = await world.createPayIn({ companyId: companyOne, key: 'k', body });
    const { id } = first.body as Body;
    for (const status of ['PAID', 'REFUNDED']) {
      await world.force(id, status);
      const again = await world.createPayIn({ companyId: companyOne, key: 'k', body });
      expect(again).toMatchObject({ status: 201, text: first.text, headers: { 'idempotent-replayed': 'true' } });
    }
    await world.setAccountStatus('ACTIVE', 'CLOSED');
    expect((await world.createPayIn({ companyId: companyOne, key: 'k', body })).text).toBe(first.text);
  });

  it('is refused with 422 when anything differs', async () => {
    const body = payInBody();
    await world.createPayIn({ companyId: companyOne, key: 'k', body });
    const other = await world.createPayIn({
      companyId: companyOne,
      key: 'k',
      body: { ...body, expiresInSeconds: 86_400 },
    });
    refused(other, 422, undefined, 'a default is not filled in');
  });

  it('is a new request after 7 days', async () => {
    await create({}, 'k');
    world.clock.now = '2026-01-22T15:00:00.000Z';
    refused(await create({}, 'k'), 422, undefined, 'the last moment');
    world.clock.now = '2026-01-22T15:00:01.000Z';
    expect(await create({}, 'k')).toMatchObject({ status: 201 });
    expect(world.items('PAY_IN')).toHaveLength(2);
  });

  it('makes one pay-in when 20 come at once', async () => {
    const body = payInBody();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => world.createPayIn({ companyId: companyOne, key: 'k', body })),
    );
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(world.items('PAY_IN')).toHaveLength(1);
  });
});

describe('the balance of an account', () => {
  it('is shown with two decimals, and grows by what is paid in', async () => {
    const { id } = (await create()).body as Body;
    world.clock.now = '2026-01-15T16:00:00.000Z';
    await world.force(id, 'PAID');
    const response = await world.getBalance({ companyId: companyOne, params: { accountId: account } });
    expect(response.body).toEqual({
      accountId: account,
      currency: 'BRL',
      available: '25.00',
      reserved: '0.00',
      blocked: '0.00',
      updatedAt: world.clock.now,
    });
  });

  it('is not found for another company, and refused for an id that is none', async () => {
    refused(await world.getBalance({ companyId: otherCompany, params: { accountId: account } }), 404);
    refused(await world.getBalance({ companyId: companyOne, params: { accountId: 'x' } }), 400);
  });
});
