import { beforeEach, describe, expect, it } from 'vitest';
import { testClient } from '#test/support/api.ts';
import { buildStaticCode } from '#test/support/static-code.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import type { Answer } from '#test/support/api.ts';
import type { World } from '#test/support/bank-world.ts';
import {
  account,
  accountElsewhere,
  bankWorld,
  companyOne,
  holder,
  otherCompany,
  payInBody,
  payoutBody,
  receiver,
} from '#test/support/bank-world.ts';
import { refused } from '#test/support/refusals.ts';
import { noIds } from '#test/support/test-ids.ts';

const merchant = { name: 'Maria', city: 'Recife' };
let world: World;
let keys = 0;

beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(10_000_00);
});

function create(more: Record<string, unknown> = {}, companyId = companyOne): Promise<Answer> {
  keys += 1;
  return world.createPayout({ companyId, key: `key-${keys}`, body: payoutBody(more) });
}

async function balance(): Promise<unknown> {
  return (await world.getBalance({ companyId: companyOne, params: { accountId: account } })).body;
}

describe('an account with a limit of payouts a minute', () => {
  const other = { account: '77777777-7777-4777-8777-777777777777' };
  const limited = async (payoutsAMinute: number) => {
    world = bankWorld();
    await world.openAccount(10_000_00, { payoutsAMinute });
    await world.openAccount(10_000_00, { id: other.account });
  };
  const numbered = (number: number, more: object = {}) =>
    world.createPayout({
      companyId: companyOne,
      key: `n-${number}`,
      body: payoutBody({ externalId: `N-${number}`, ...more }),
    });

  it('refuses more with 429 until the minute is over, and counts no replay and no refused request', async () => {
    await limited(2);
    expect(await numbered(1)).toMatchObject({ status: 201 });
    expect(await numbered(1)).toMatchObject({ status: 201 });
    expect(refused(await numbered(9, { amount: { currency: 'BRL', value: '20000.00' } }), 409)).toBeDefined();
    expect(await numbered(2)).toMatchObject({ status: 201 });
    const third = await numbered(3);
    expect(refused(third, 429)).toMatchObject({ error: 'TOO_MANY_REQUESTS' });
    expect(Number(third.headers['retry-after'])).toBeGreaterThan(0);
    expect(await numbered(4, { accountId: other.account })).toMatchObject({ status: 201 });
    expect(await balance()).toMatchObject({ reserved: '20.00' });
    world.clock.now = plusSeconds(world.clock.now, 60);
    expect(await numbered(3)).toMatchObject({ status: 201 });
  });
});

describe('a payout', () => {
  it('is created pending, with its amount reserved and an end-to-end id', async () => {
    const response = await create({ externalId: 'P-1' });
    expect(response).toMatchObject({ status: 201 });
    expect(response.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{34}00$/),
      externalId: 'P-1',
      status: 'PENDING',
      amount: '10.00',
      currency: 'BRL',
      description: 'Supplier',
      endToEndId: expect.stringMatching(/^E99999004202601151500[0-9A-Za-z]{11}$/),
    });
    expect(await balance()).toMatchObject({ available: '9990.00', reserved: '10.00' });
  });

  it('is read as it was created, with its times', async () => {
    const created = (await create()).body as { id: string };
    const read = await world.getPayout({ companyId: companyOne, params: { id: created.id } });
    expect(read.status).toBe(200);
    expect(read.body).toEqual({
      ...created,
      accountId: account,
      paymentMethod: 'PIX',
      receiver: { name: expect.any(String), document: receiver.document },
      paymentData: { pixKey: '52998224725' },
      createdAt: world.clock.now,
      createdBy: testClient,
      updatedAt: world.clock.now,
    });
    const upper = await world.getPayout({ companyId: companyOne, params: { id: created.id.toUpperCase() } });
    expect(upper.body).toEqual(read.body);
  });

  it('is found neither by another company nor by an id that is none', async () => {
    const { id } = (await create()).body as { id: string };
    for (const [companyId, wanted] of [
      [otherCompany, id],
      ...noIds.map((wanted) => [companyOne, wanted] as const),
      [companyOne, `${id.slice(0, -2)}01`],
    ] as const) {
      const read = await world.getPayout({ companyId, params: { id: wanted } });
      refused(read, 404, undefined, wanted);
    }
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a key', { paymentData: { pixKey: '52998224725' } }, 'KEY'],
    [
      'a static QR code',
      { paymentData: { qrcodeData: buildStaticCode({ merchant, pixKey: 'a@b.co' }) } },
      'STATIC_QRCODE',
    ],
    [
      'a static QR code of the same amount',
      { paymentData: { qrcodeData: buildStaticCode({ merchant, pixKey: 'a@b.co', amount: centavos(1000) }) } },
      'STATIC_QRCODE',
    ],
    [
      'a dynamic QR code',
      {
        paymentData: {
          qrcodeData:
            '00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4',
        },
      },
      'DYNAMIC_QRCODE',
    ],
    ['an account', { paymentData: { bankAccount: accountElsewhere }, receiver: receiver }, 'MANUAL'],
  ])('is created by %s', async (_name, more, initiation) => {
    expect(await create(more)).toMatchObject({ status: 201 });
    expect(world.items('PAYOUT')).toMatchObject([{ initiation }]);
  });

  it.each<[string, (code: string) => string]>([
    ['has blanks and line ends around it', (code) => `\r\n\t ${code} \n`],
    ['has line breaks', (code) => `${code.slice(0, 40)}\n${code.slice(40, 80)}\r\n${code.slice(80)}`],
    ['has line breaks and indents', (code) => `${code.slice(0, 40)}\n    ${code.slice(40)}`],
  ])('keeps, shows and sends the checked QR code when the copied one %s', async (_name, copied) => {
    const code = buildStaticCode({ merchant, pixKey: 'a@b.co', amount: centavos(1000) });
    const sent: unknown[] = [];
    const { submit } = world.bank.payouts.send;
    world.bank.payouts.send.submit = (order, context) => {
      sent.push(order.qrcodeData);
      return submit(order, context);
    };
    const body = payoutBody({ paymentData: { qrcodeData: copied(code) } });
    const created = await world.createPayout({ companyId: companyOne, key: 'as-copied', body });
    expect(created, created.text).toMatchObject({ status: 201 });
    const again = { ...body, paymentData: { qrcodeData: code } };
    expect(await world.createPayout({ companyId: companyOne, key: 'as-copied', body: again })).toMatchObject({
      ...{ status: 201, body: created.body },
    });
    expect(sent).toEqual([code]);
    expect(world.items('PAYOUT')).toMatchObject([{ paymentData: { qrcodeData: code } }]);
    const { id } = created.body as { id: string };
    const read = await world.getPayout({ companyId: companyOne, params: { id } });
    expect(read.body).toMatchObject({ paymentData: { qrcodeData: code } });
  });

  it('is refused when a line break replaces a character of its QR code', async () => {
    const code = buildStaticCode({ merchant, pixKey: 'a@b.co' });
    const qrcodeData = `${code.slice(0, 40)}\n${code.slice(41)}`;
    refused(await create({ paymentData: { qrcodeData } }), 400, ['paymentData.qrcodeData:INVALID_FORMAT']);
  });

  it('keeps the receiver as the bank knows them and a copy of the payer’s account', async () => {
    await create({ receiver: { name: 'M. Silva', document: receiver.document } });
    const [item] = world.items('PAYOUT');
    expect(item).toMatchObject({
      receiver: { document: receiver.document, pix: { type: 'CPF', key: '52998224725' } },
      ownerBank: { name: holder.name, document: holder.document.number, bank: { account: '1234567', branch: '0001' } },
    });
    expect((item!['receiver'] as { name: string }).name).not.toBe('M. Silva');
  });

  it('pays the QR code of a pay-in of the company, with its amount and txid', async () => {
    const accountId = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
    await world.openAccount(0, { id: accountId });
    const payIn = (await world.createPayIn({ companyId: companyOne, key: 'i', body: payInBody({ accountId }) }))
      .body as {
      qrcodeData: string;
      conciliationId: string;
    };
    const paymentData = { qrcodeData: payIn.qrcodeData };
    refused(await create({ paymentData }), 400, ['amount.value:INVALID_VALUE']);
    expect(await create({ paymentData, amount: { currency: 'BRL', value: 25 } })).toMatchObject({ status: 201 });
    expect(world.items('PAYOUT')).toMatchObject([{ txid: payIn.conciliationId, receiver: { name: holder.name } }]);
    world.clock.now = '2026-01-17T15:00:00.000Z';
    const late = await create({ paymentData, amount: { currency: 'BRL', value: 25 } });
    refused(late, 409, ['paymentData.qrcodeData:EXPIRED']);
  });
});

describe('a payout is refused', () => {
  it.each<[string, Record<string, unknown>, number, string]>([
    [
      'to a PIX key that does not exist',
      { paymentData: { pixKey: 'key-not-found@bank.example' } },
      400,
      'paymentData.pixKey:INVALID_VALUE',
    ],
    [
      'to a PIX key of another owner than the receiver',
      { paymentData: { pixKey: 'owner-mismatch@bank.example' }, receiver: receiver },
      409,
      'receiver.document:OWNER_MISMATCH',
    ],
    ['when its external id is taken', { externalId: 'TAKEN' }, 409, 'externalId:ALREADY_EXISTS'],
    [
      'when the account has too little money',
      { amount: { currency: 'BRL', value: '9990.01' } },
      409,
      'amount:INSUFFICIENT_BALANCE',
    ],
    [
      'when it would take 91 payments',
      { amount: { currency: 'BRL', value: '1350000.01' } },
      400,
      'amount.value:OUT_OF_RANGE',
    ],
  ])('%s', async (_name, more, status, fault) => {
    await create({ externalId: 'TAKEN' });
    const before = world.items();
    refused(await create(more), status, [fault]);
    expect(world.items(), 'nothing is written').toEqual(before);
  });

  it.each(['INACTIVE', 'CLOSED'] as const)('from an account that is %s', async (status) => {
    const { id: accountId } = await world.openAccount(0, { id: 'aaaaaaaa-aaaa-4aaa-8aaa-0000000000ff' });
    await world.setAccountStatus('ACTIVE', status, accountId);
    const response = await create({ accountId });
    refused(response, 409, ['accountId:INVALID_VALUE']);
  });

  it('from an account that is unknown or another company’s, with the same answer', async () => {
    const unknown = await create({ accountId: '99999999-9999-4999-8999-999999999999' });
    const otherCompanyResponse = await create({}, otherCompany);
    refused(unknown, 404);
    expect(otherCompanyResponse.text).toBe(unknown.text);
  });

  it('with 503 while the bank cannot be asked, after which the same key works', async () => {
    const body = payoutBody({ paymentData: { pixKey: 'unavailable@bank.example' } });
    const before = world.items();
    const first = await world.createPayout({ companyId: companyOne, key: 'again', body });
    expect(first).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(world.items()).toEqual(before);
    world.bank.directory.resolveKey = (question, asking) =>
      world.simulated.directory.resolveKey({ ...question, key: { type: 'EMAIL', key: 'a@b.co' } }, asking);
    expect(await world.createPayout({ companyId: companyOne, key: 'again', body })).toMatchObject({ status: 201 });
  });

  it('with 503 when the reply of the bank is unusable, and no payout is written', async () => {
    world.bank.directory.resolveKey = () =>
      Promise.reject(Object.assign(new Error('nonsense'), { name: 'BankUnavailable' }));
    refused(await create(), 503);
    expect(world.items('PAYOUT')).toEqual([]);
  });

  it('when the money went elsewhere while the bank was asked', async () => {
    const { resolveKey } = world.bank.directory;
    world.bank.directory.resolveKey = async (question, asking) => {
      world.bank.directory.resolveKey = resolveKey;
      await create({ amount: { currency: 'BRL', value: '9995.00' } });
      return resolveKey(question, asking);
    };
    const response = await create();
    refused(response, 409, ['amount:INSUFFICIENT_BALANCE']);
    expect(await balance()).toMatchObject({ available: '5.00', reserved: '9995.00' });
  });

  it('when the account became inactive while the bank was asked', async () => {
    const { resolveKey } = world.bank.directory;
    world.bank.directory.resolveKey = async (question, asking) => {
      await world.setAccountStatus('ACTIVE', 'INACTIVE');
      return resolveKey(question, asking);
    };
    const response = await create();
    refused(response, 409, ['accountId:INVALID_VALUE']);
    expect(await balance()).toMatchObject({ reserved: '0.00' });
  });

  it('first for its idempotency key, then for its external id, then for the balance', async () => {
    const body = payoutBody({ externalId: 'X', amount: { currency: 'BRL', value: '6000.00' } });
    await world.createPayout({ companyId: companyOne, key: 'first', body });
    const other = { ...body, description: 'Another' };
    refused(await world.createPayout({ companyId: companyOne, key: 'first', body: other }), 422, [
      'idempotency-key:IDEMPOTENCY_KEY_REUSED',
    ]);
    refused(await world.createPayout({ companyId: companyOne, key: 'second', body: other }), 409, [
      'externalId:ALREADY_EXISTS',
    ]);
    refused(await create({ amount: { currency: 'BRL', value: '6000.00' } }), 409, ['amount:INSUFFICIENT_BALANCE']);
  });
});
