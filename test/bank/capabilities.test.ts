import { beforeEach, describe, expect, it } from 'vitest';
import { allowRepetition } from '#infra/operator/bank.ts';
import { allCapabilities } from '#shared/bank/capabilities.ts';
import { connectedCapabilities } from '#shared/bank/connected-capabilities.ts';
import { centavos } from '#shared/core/money.ts';
import { buildStaticCode } from '../support/static-code.ts';
import type { World } from '../support/bank-world.ts';
import {
  account,
  accountElsewhere,
  bankWorld,
  companyOne,
  payInBody,
  payoutBody,
  receiver,
} from '../support/bank-world.ts';
import { refused } from '../support/refusals.ts';

const staticCode = buildStaticCode({ merchant: { name: 'Loja', city: 'SAO PAULO' }, pixKey: '52998224725' });

/** What a company's bank cannot do is refused on the field that asks for it, and nothing is written. */

let world: World;
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(100_00);
});

const payout = (more: Record<string, unknown>) =>
  world.createPayout({ companyId: companyOne, key: 'k', body: payoutBody(more) });
const { payouts } = allCapabilities;

describe('a payout', () => {
  const byAccount = { paymentData: { bankAccount: accountElsewhere }, receiver };
  const dynamicCode = async (): Promise<string> => {
    const { body } = await world.createPayIn({ companyId: companyOne, key: 'k', body: payInBody() });
    return (body as { qrcodeData: string }).qrcodeData;
  };

  it.each<[string, object, () => object | Promise<object>, string]>([
    ['by PIX key', { byKey: false }, () => ({}), 'paymentData.pixKey'],
    [
      'by static QR code',
      { staticCode: false },
      () => ({ paymentData: { qrcodeData: staticCode } }),
      'paymentData.qrcodeData',
    ],
    [
      'by dynamic QR code',
      { dynamicCode: false },
      async () => ({ paymentData: { qrcodeData: await dynamicCode() } }),
      'paymentData.qrcodeData',
    ],
    ['by account', { accountTypes: [] }, () => byAccount, 'paymentData.bankAccount'],
    [
      'to a checking account',
      { accountTypes: ['SAVINGS_ACCOUNT'] },
      () => byAccount,
      'paymentData.bankAccount.accountType',
    ],
    ['by TED', { ted: false }, () => ({ ...byAccount, paymentMethod: 'TED' }), 'paymentMethod'],
  ])('%s is refused with 409 on its field when the bank cannot do it', async (_name, lacks, body, field) => {
    const more = { ...(await body()) };
    world.setCapabilities({ payouts: { ...payouts, ...lacks } });
    const before = world.items();
    const response = await payout(more);
    refused(response, 409, [`${field}:INVALID_VALUE`]);
    expect(world.items()).toEqual(before);
  });

  it('needs its receiver where the bank looks up no keys', async () => {
    world.setCapabilities({ keyLookup: 'NONE' });
    world.bank.directory.resolveKey = () => Promise.reject(new Error('It was asked.'));
    const response = await payout({});
    refused(response, 400, ['receiver:REQUIRED']);
    const orders: unknown[] = [];
    const { submit } = world.simulated.payouts.send;
    world.bank.payouts.send.submit = (...given) => (orders.push(given[0].receiver), submit(...given));
    expect((await payout({ receiver })).status).toBe(201);
    expect(orders, 'the bank compares the document').toEqual([
      { ...receiver, pix: { type: 'CPF', key: '52998224725' } },
    ]);
  });

  describe('where the bank masks the owner of a key', () => {
    const endToEndId = 'E99999004202601151500abcdefghijk';
    const questions: unknown[] = [];
    const answering = (isReceiver: boolean): void => {
      questions.length = 0;
      world.setCapabilities({ keyLookup: 'MASKED' });
      world.bank.directory.resolveKey = (question) => (
        questions.push(question),
        Promise.resolve({ name: 'Maria de Souza', isReceiver, endToEndId })
      );
    };

    it('needs its receiver, whom the bank compares', async () => {
      answering(true);
      refused(await payout({}), 400, ['receiver:REQUIRED']);
      expect(questions).toEqual([]);
      answering(false);
      refused(await payout({ receiver }), 409, ['receiver.document:OWNER_MISMATCH']);
      const key = { type: 'CPF', key: '52998224725' };
      expect(questions).toEqual([{ key, accountId: account, receiver: receiver.document }]);
      expect(world.items('PAYOUT')).toEqual([]);
    });

    it('goes to the name that the bank knows, with the end-to-end id of the look-up for its first payment', async () => {
      answering(true);
      const prepared: unknown[] = [];
      const { prepare, send } = world.simulated.payouts;
      world.bank.payouts.prepare = (...given) => (prepared.push(given[0].reference), prepare(...given));
      const orders: unknown[] = [];
      world.bank.payouts.send.submit = (...given) => (orders.push(given[0]), send.submit(...given));
      const id = 'b0000000-0000-4000-8000-00000000000b';
      await world.openAccount(1000_00, { id, pixTransactionLimit: centavos(5_00) });
      const amount = { currency: 'BRL', value: '10.00' };
      expect(await payout({ accountId: id, receiver, amount })).toMatchObject({ status: 201, body: { endToEndId } });
      expect(prepared, 'the second payment has a look-up of its own').toHaveLength(1);
      const { document } = receiver;
      const named = { name: 'Maria de Souza', document, pix: { type: 'CPF', key: '52998224725' } };
      expect(orders).toMatchObject([{ endToEndId, receiver: named }, { receiver: named }]);
      expect(orders).not.toMatchObject([{}, { endToEndId }]);
    });
  });

  it('of a TED to a type of account that the bank does not know is refused, and nothing is written', async () => {
    world.setCapabilities({ payouts: { ...payouts, tedAccountTypes: ['SAVINGS_ACCOUNT'] } });
    const response = await payout({ ...byAccount, paymentMethod: 'TED' });
    refused(response, 409, ['paymentData.bankAccount.accountType:INVALID_VALUE']);
    expect(world.items('PAYOUT')).toEqual([]);
  });

  it('for a dynamic code is split only when the bank lets several payments pay one code', async () => {
    const id = 'b0000000-0000-4000-8000-00000000000b';
    await world.openAccount(1000_00, { id, pixTransactionLimit: centavos(5_00) });
    const { body } = await world.createPayIn({
      ...{ companyId: companyOne, key: 'p' },
      body: payInBody({ amount: { currency: 'BRL', value: '10.00' } }),
    });
    const { qrcodeData } = body as { qrcodeData: string };
    const pay = (key: string, value: string) => {
      const more = { accountId: id, amount: { currency: 'BRL', value }, paymentData: { qrcodeData } };
      return world.createPayout({ companyId: companyOne, key, body: payoutBody({ ...more, externalId: key }) });
    };
    world.setCapabilities({ payouts: { ...payouts, dynamicCodeInParts: false } });
    const before = world.items();
    refused(await pay('whole', '10.00'), 400, ['amount.value:OUT_OF_RANGE']);
    expect(world.items()).toEqual(before);
    world.setCapabilities({ payouts });
    const split = await pay('parts', '10.00');
    expect(split.status).toBe(201);
    expect(split.body).toMatchObject({ batch: { transactionsCount: 2 } });
  });
});

describe('money that comes in', () => {
  it('needs a bank that opens charges', async () => {
    world.setCapabilities({ charges: false });
    const response = await world.createPayIn({ companyId: companyOne, key: 'k', body: payInBody() });
    refused(response, 409, ['accountId:INVALID_VALUE']);
    expect(world.items('PAY_IN')).toEqual([]);
  });

  it('is refunded by a bank that makes refunds', async () => {
    const { body } = await world.createPayIn({ companyId: companyOne, key: 'k', body: payInBody() });
    const { id } = body as { id: string };
    await world.force(id, 'PAID');
    world.setCapabilities({ refunds: false });
    const response = await world.refundPayIn({ companyId: companyOne, key: 'r', params: { id }, body: {} });
    refused(response, 409, ['id:INVALID_VALUE']);
    expect(world.items('REFUND')).toEqual([]);
  });
});

describe('a bank', () => {
  const notNow = { outcome: 'NOT_NOW', cause: 'Too many requests.', retryAfterSeconds: 17 } as const;

  it('makes the request of the caller a 503 with its own retry-after, and no item is written, when it is NOT_NOW', async () => {
    world.bank.charges.open.submit = () => Promise.resolve(notNow);
    const before = world.items();
    const response = await world.createPayIn({ companyId: companyOne, key: 'k', body: payInBody() });
    refused(response, 503);
    expect(response.headers['retry-after']).toBe('17');
    expect(world.items()).toEqual(before);
  });

  it('leaves a payout due for the next run when it is NOT_NOW', async () => {
    world.bank.payouts.send.submit = () => Promise.resolve(notNow);
    expect((await payout({})).status).toBe(201);
    world.clock.now = '2026-01-15T15:02:00.000Z';
    expect(await world.submitPayouts()).toMatchObject({ failed: 1 });
    world.bank.payouts.send.submit = world.simulated.payouts.send.submit;
    world.clock.now = '2026-01-15T15:04:00.000Z';
    expect(await world.submitPayouts()).toMatchObject({ submitted: 1, failed: 0 });
    expect(world.items('PAYOUT')).toMatchObject([{ status: 'PENDING', accountId: account }]);
  });

  it('gets no repetition that it would carry out again until an operator allows one', async () => {
    world.setCapabilities({ repetition: { ...allCapabilities.repetition, payout: 'CARRIED_OUT_AGAIN' } });
    let sent = 0;
    world.bank.payouts.send.submit = () => ((sent += 1), Promise.resolve({ outcome: 'UNKNOWN' }));
    await payout({});
    for (const minute of ['02', '04', '06']) {
      world.clock.now = `2026-01-15T15:${minute}:00.000Z`;
      await world.submitPayouts();
    }
    expect(sent).toBe(1);
    const [reference] = world.items('PAYOUT').map(({ id }) => id as string);
    await allowRepetition({ store: world.store }, { companyId: companyOne, reference: reference ?? '' });
    for (const minute of ['08', '10', '12']) {
      world.clock.now = `2026-01-15T15:${minute}:00.000Z`;
      await world.submitPayouts();
    }
    expect(sent, 'an operator releases it once').toBe(2);
  });

  it('gets a TED that waited for its hours, also when it would carry out a repetition again', async () => {
    world.setCapabilities({ repetition: { ...allCapabilities.repetition, payout: 'CARRIED_OUT_AGAIN' } });
    const { submit } = world.simulated.payouts.send;
    let sent = 0;
    world.bank.payouts.send.submit = (...given) => ((sent += 1), submit(...given));
    world.clock.now = '2026-01-15T23:00:00.000Z';
    const ted = { paymentData: { bankAccount: accountElsewhere }, receiver, paymentMethod: 'TED' };
    expect((await payout(ted)).status).toBe(201);
    expect(sent).toBe(0);
    world.clock.now = '2026-01-16T15:00:00.000Z';
    expect(await world.submitPayouts()).toMatchObject({ submitted: 1, failed: 0 });
    expect(sent, 'released without an operator, because the bank cannot have it').toBe(1);
  });
});

it('a connected bank pays a dynamic code as a whole, whatever the capabilities of its connection', () => {
  for (const capabilities of [{}, { payouts: { dynamicCodeInParts: true } }])
    expect(connectedCapabilities({ dialect: 'EFI', capabilities }).payouts).toMatchObject({
      dynamicCode: true,
      dynamicCodeInParts: false,
    });
});
