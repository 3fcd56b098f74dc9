import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { GetPayout } from '#functions/payouts/get/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { needs } from '../support/environment.ts';
import { refused } from '../support/refusals.ts';
import { activeAccount, first, second } from './partners.ts';
import { balanceOf, difference } from './money.ts';
import { acme, bankAccount, brl, journey2, maria, payIn, payout, pedro } from './samples.ts';

const account = activeAccount(first);
const accountId = account.id;
/** A static code with an amount of 10.00 for the key fulano@example.com. */
const staticCode =
  '00020126530014br.gov.bcb.pix0118fulano@example.com0209Pedido 42520400005303986540510.005802BR5913FULANO DE TAL6008BRASILIA62120508PEDIDO426304092E';

/** Keys whose owner is asked for, and why not at every bank. */
const ownerless = ['a phone key', 'a random key', 'a static QR code'];
const namesNoOwner = 'Efí looks up no keys: it compares the receiver when it pays';

describe('a payout', () => {
  test('to a key is created pending, reserves its amount and reads with its times', async () => {
    const before = await balanceOf(first, accountId);
    const asked = payout(accountId);
    const { status, body } = await first.call(CreatePayout, { body: asked });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      externalId: asked.externalId,
      status: 'PENDING',
      amount: '7.25',
      currency: 'BRL',
      description: 'Reembolso',
      endToEndId: expect.stringMatching(/^E[0-9A-Z]{8}\d{12}[A-Za-z0-9]{11}$/),
    });
    expect(body).not.toHaveProperty('batch');
    expect(body).not.toHaveProperty('controlNumber');
    expect(difference(before, await balanceOf(first, accountId))).toEqual({ available: -725, reserved: 725 });

    const record = await first.call(GetPayout, { params: { id: body.id } });
    const { createdAt, updatedAt, receiver, ...rest } = record.body;
    const { paymentMethod, paymentData } = asked;
    expect(rest).toEqual({ ...body, accountId, paymentMethod, paymentData, createdBy: first.clientId });
    expect(receiver.document.number).toMatch(/^\d+$/u);
    expect(updatedAt).toBe(createdAt);
  });

  const { ispb: _ispb, ...withoutIspb } = bankAccount;
  test.for<[string, Parameters<typeof payout>[1]]>([
    ['a CPF key', { paymentData: { pixKey: pedro.document.number }, receiver: pedro }],
    ['a CNPJ key with letters', { paymentData: { pixKey: acme.document.number }, receiver: acme }],
    ['a phone key', { paymentData: { pixKey: '+5511987654321' } }],
    ['a random key', { paymentData: { pixKey: randomUUID() } }],
    ['a static QR code', { paymentData: { qrcodeData: staticCode }, amount: brl(10) }],
    ['an account by ISPB', { paymentData: { bankAccount: bankAccount }, receiver: maria }],
    [
      'an account by bank number',
      { paymentData: { bankAccount: { ...withoutIspb, bankNumber: '341' } }, receiver: maria },
    ],
  ])('goes to %s', async ([targetName, changes], context) => {
    if (ownerless.includes(targetName)) needs(context, 'simulated-bank', namesNoOwner);
    const { body } = await first.call(CreatePayout, { body: payout(accountId, changes) });
    expect(body.status).toBe('PENDING');
  });

  test('pays the dynamic QR code of another company’s pay-in', async (context) => {
    needs(context, 'simulated-bank', 'the code is one of a company that has the simulated bank');
    const charge = await second.call(CreatePayIn, { body: payIn(activeAccount(second).id, { amount: brl('3.21') }) });
    const { qrcodeData } = charge.body;
    const { body } = await first.call(CreatePayout, {
      body: payout(accountId, { paymentData: { qrcodeData }, amount: brl('3.21') }),
    });
    expect(body.amount).toBe('3.21');
  });

  test('is accepted at any hour when it is a TED', async (context) => {
    needs(context, 'ted', 'Efí sends no TED');
    const changes = { paymentMethod: 'TED', paymentData: { bankAccount: bankAccount }, receiver: acme } as const;
    const { body } = await first.call(CreatePayout, { body: payout(accountId, changes) });
    expect(body.status).toBe('PENDING');
    expect(body).not.toHaveProperty('endToEndId');
  });

  test('to a key with a receiver is compared with the owner of the key', async (context) => {
    needs(context, 'key-owners', namesNoOwner);
    const paymentData = { pixKey: pedro.document.number };
    refused(await first.refused(CreatePayout, { body: payout(accountId, { paymentData, receiver: maria }) }), 409, [
      'receiver.document:OWNER_MISMATCH',
    ]);
  });
});

describe('a payout is refused', () => {
  test.each([
    ['with empty payment data', { paymentData: {} }, 'paymentData', 'REQUIRED'],
    ['with a text that is no PIX key', { paymentData: { pixKey: 'someone' } }, 'paymentData.pixKey', 'INVALID_FORMAT'],
    [
      'with a truncated QR code',
      { paymentData: { qrcodeData: staticCode.slice(0, -1) } },
      'paymentData.qrcodeData',
      'INVALID_FORMAT',
    ],
    [
      'with another amount than its QR code',
      { paymentData: { qrcodeData: staticCode }, amount: brl(11) },
      'amount.value',
      'INVALID_VALUE',
    ],
    ['by TED with a PIX key', { paymentMethod: 'TED', receiver: maria }, 'paymentData.pixKey', 'INVALID_VALUE'],
    ['with an account and no receiver', { paymentData: { bankAccount: bankAccount } }, 'receiver', 'REQUIRED'],
    [
      'with a bank number that no bank has',
      { paymentData: { bankAccount: { ...bankAccount, ispb: undefined, bankNumber: '999' } }, receiver: maria },
      'paymentData.bankAccount.bankNumber',
      'INVALID_VALUE',
    ],
    [
      'with the ISPB of one bank and the number of another',
      { paymentData: { bankAccount: { ...bankAccount, bankNumber: '001' } }, receiver: maria },
      'paymentData.bankAccount.bankNumber',
      'INVALID_VALUE',
    ],
    ['with another currency', { amount: { currency: 'USD', value: '1.00' } }, 'amount.currency', 'INVALID_VALUE'],
  ])('%s', async (_what, changes, field, issue) => {
    refused(
      await first.refused(CreatePayout, {
        body: { ...payout(accountId), receiver: undefined, ...changes },
      }),
      400,
      [`${field}:${issue}`],
    );
  });

  test('with two ways to pay, naming both', async () => {
    const paymentData = { pixKey: 'a@example.com', qrcodeData: staticCode };
    refused(await first.refused(CreatePayout, { body: payout(accountId, { paymentData, amount: brl(10) }) }), 400, [
      'paymentData.pixKey:MUTUALLY_EXCLUSIVE',
      'paymentData.qrcodeData:MUTUALLY_EXCLUSIVE',
    ]);
  });

  test('with a QR code that only authorizes a recurrence', async () => {
    const { body } = await first.call(CreateSubscription, { body: journey2(accountId) });
    const paymentData = { qrcodeData: body.qrcodeData };
    refused(await first.refused(CreatePayout, { body: payout(accountId, { paymentData }) }), 400, [
      'paymentData.qrcodeData:NOT_PAYABLE',
    ]);
  });

  test('when it exceeds the available balance, and leaves the balance unchanged', async () => {
    const poor = second.accounts[0]!;
    const before = await balanceOf(second, poor.id);
    const value = ((before.available + 1) / 100).toFixed(2);
    const body = payout(poor.id, { amount: brl(value) });
    refused(await second.refused(CreatePayout, { body }), 409, ['amount:INSUFFICIENT_BALANCE']);
    expect(await balanceOf(second, poor.id)).toEqual(before);
  });

  test('for an account that is unknown or not active', async () => {
    refused(await first.refused(CreatePayout, { body: payout(randomUUID()) }), 404);
    for (const { id } of first.accounts.filter(({ status }) => status !== 'ACTIVE'))
      refused(await first.refused(CreatePayout, { body: payout(id) }), 409);
  });

  test('with 400 when the bank does not know the key, and with 503 when the bank does not reply', async (context) => {
    needs(context, 'simulated-bank', namesNoOwner);
    const to = (pixKey: string) => ({ body: payout(accountId, { paymentData: { pixKey } }) });
    refused(await first.refused(CreatePayout, to('key-not-found@bank.example')), 400);
    const silent = await first.refused(CreatePayout, to('unavailable@bank.example'));
    refused(silent, 503);
    expect(silent.received.headers['retry-after']).toMatch(/^\d+$/);
  });
});
