import { beforeAll, describe, expect, it } from 'vitest';
import { buildStaticCode } from '#test/support/static-code.ts';
import { centavos } from '#shared/core/money.ts';
import type { World } from '#test/support/bank-world.ts';
import { accountElsewhere, bankWorld, companyOne, payoutBody, receiver } from '#test/support/bank-world.ts';
import { faultsOf, refused } from '#test/support/refusals.ts';
import vectors from '#test/core/br-code-vectors.json' with { type: 'json' };

let world: World;
beforeAll(async () => {
  world = bankWorld();
  await world.openAccount(10_000_00);
});

const recurrenceOnly = vectors.find(({ id }) => id === 'V3')!.payload;
const merchant = { name: 'Maria', city: 'Recife' };
const of1250 = buildStaticCode({ merchant, pixKey: 'a@b.co', amount: centavos(1250) });

async function refusal(more: Record<string, unknown>, key: string | undefined = 'k') {
  return refused(await world.createPayout({ companyId: companyOne, ...(key && { key }), body: payoutBody(more) }), 400);
}
const issues = async (...asked: Parameters<typeof refusal>) => faultsOf(await refusal(...asked)).toSorted();

describe('a payout request', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['the possible payment data', { paymentData: {} }, 'Give one of pixKey, qrcodeData, bankAccount.'],
    [
      'the cases that need a receiver',
      { paymentData: { bankAccount: accountElsewhere } },
      'Is required for TED and for a payment to a bankAccount.',
    ],
    ['no more than "Is required."', { paymentData: undefined }, 'Is required.'],
  ])('is refused as REQUIRED with %s in the description', async (_what, more, description) => {
    expect((await refusal(more)).details).toMatchObject([{ issue: 'REQUIRED', description }]);
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['empty payment data', { paymentData: {} }, ['paymentData:REQUIRED']],
    ['no payment data', { paymentData: undefined }, ['paymentData:REQUIRED']],
    [
      'a PIX key and a bank account',
      { paymentData: { pixKey: '52998224725', bankAccount: accountElsewhere }, receiver: receiver },
      ['paymentData.bankAccount:MUTUALLY_EXCLUSIVE', 'paymentData.pixKey:MUTUALLY_EXCLUSIVE'],
    ],
    ['a malformed key', { paymentData: { pixKey: '52998224726' } }, ['paymentData.pixKey:INVALID_FORMAT']],
    [
      'a key that is too long',
      { paymentData: { pixKey: `${'a'.repeat(80)}@b.co` } },
      ['paymentData.pixKey:INVALID_FORMAT', 'paymentData.pixKey:TOO_LONG'],
    ],
    [
      'a truncated QR code',
      { paymentData: { qrcodeData: of1250.slice(0, -1) } },
      ['paymentData.qrcodeData:INVALID_FORMAT'],
    ],
    [
      'a QR code of a recurrence only',
      { paymentData: { qrcodeData: recurrenceOnly } },
      ['paymentData.qrcodeData:NOT_PAYABLE'],
    ],
    ['another amount than the static QR code', { paymentData: { qrcodeData: of1250 } }, ['amount.value:INVALID_VALUE']],
    ['an account without receiver', { paymentData: { bankAccount: accountElsewhere } }, ['receiver:REQUIRED']],
    ['a receiver without document', { receiver: { name: 'Maria' } }, ['receiver.document:REQUIRED']],
    [
      'a receiver with a wrong document',
      { receiver: { name: 'Maria', document: { type: 'CPF', number: '52998224726' } } },
      ['receiver.document.number:INVALID_FORMAT'],
    ],
    [
      'a bank number that no bank has',
      { paymentData: { bankAccount: { ...accountElsewhere, bankNumber: '999' } }, receiver: receiver },
      ['paymentData.bankAccount.bankNumber:INVALID_VALUE'],
    ],
    [
      'a bank number of another bank than the ISPB',
      { paymentData: { bankAccount: { ...accountElsewhere, ispb: '00000000' } }, receiver: receiver },
      ['paymentData.bankAccount.bankNumber:INVALID_VALUE'],
    ],
    [
      'an account without a bank',
      { paymentData: { bankAccount: { ...accountElsewhere, bankNumber: undefined } }, receiver: receiver },
      ['paymentData.bankAccount.ispb:REQUIRED'],
    ],
    [
      'a TED to a PIX key without receiver',
      { paymentMethod: 'TED' },
      ['paymentData.pixKey:INVALID_VALUE', 'receiver:REQUIRED'],
    ],
    ['an unknown method', { paymentMethod: 'BOLETO' }, ['paymentMethod:INVALID_VALUE']],
    ['a foreign currency', { amount: { currency: 'USD', value: '1.00' } }, ['amount.currency:INVALID_VALUE']],
    ['an amount of zero', { amount: { currency: 'BRL', value: '0.00' } }, ['amount.value:INVALID_FORMAT']],
    ['an amount with a third decimal', { amount: { currency: 'BRL', value: 1.005 } }, ['amount.value:INVALID_FORMAT']],
    ['no description', { description: undefined }, ['description:REQUIRED']],
    ['an unknown field', { recipient: receiver }, ['recipient:UNKNOWN_FIELD']],
  ])('with %s is refused', async (_name, more, expected) => {
    expect(await issues(more)).toEqual(expected);
  });

  it('without an idempotency key is refused', async () => {
    expect(await issues({}, '')).toEqual(['idempotency-key:REQUIRED']);
  });

  it('is refused with the issues of single fields and of the rules between them together', async () => {
    const more = { externalId: 7, paymentMethod: 'TED', paymentData: { pixKey: 'nothing' }, description: '' };
    expect(await issues(more, '')).toEqual([
      'description:TOO_SHORT',
      'externalId:INVALID_TYPE',
      'idempotency-key:REQUIRED',
      'paymentData.pixKey:INVALID_FORMAT',
      'paymentData.pixKey:INVALID_VALUE',
      'receiver:REQUIRED',
    ]);
  });

  it.each([
    'null',
    '[]',
    '"x"',
    '7',
    '{',
    '{"paymentData":[]}',
    '{"paymentData":{"bankAccount":[]}}',
    '{"paymentData":null}',
  ])('is refused with 400 when its body is %s', async (body) => {
    const response = await world.createPayout({ companyId: companyOne, key: 'k', body });
    refused(response, 400);
  });

  it.each<[string, Record<string, unknown>]>([
    ['0001', { branchNumber: '0001' }],
    ['1', { branchNumber: '1' }],
    ['1234-5', { branchNumber: '1234-5' }],
    ['12345678901234567890', { accountNumber: '12345678901234567890' }],
    ['12345-X', { accountNumber: '12345-X' }],
  ])('is accepted with the branch or account number %s', async (_name, more) => {
    const paymentData = { bankAccount: { ...accountElsewhere, ...more } };
    const body = payoutBody({ paymentData, receiver: receiver });
    expect(await world.createPayout({ companyId: companyOne, key: `k-${_name}`, body })).toMatchObject({ status: 201 });
  });
});
