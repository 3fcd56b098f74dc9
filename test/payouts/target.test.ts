import { describe, expect, it } from 'vitest';
import { centavos } from '#shared/core/money.ts';
import { buildStaticCode } from '#test/support/static-code.ts';
import type { PayoutTarget, InvalidTarget } from '#shared/payouts/target.ts';
import { accountTarget, keyTarget, qrCodeTarget } from '#shared/payouts/target.ts';
import vectors from '../core/br-code-vectors.json' with { type: 'json' };

function issues(found: PayoutTarget | InvalidTarget): string[] {
  return 'details' in found ? found.details.map(({ field, issue }) => `${field} ${issue}`) : [];
}

describe('a payout by key', () => {
  it.each([
    ['52998224725', 'CPF', '52998224725'],
    ['11444777000161', 'CNPJ', '11444777000161'],
    ['12abc34501de35', 'CNPJ', '12ABC34501DE35'],
    ['Maria@Example.COM', 'EMAIL', 'maria@example.com'],
    ['+5511987654321', 'PHONE', '+5511987654321'],
    ['123E4567-e12b-12d1-a456-426655440000', 'RANDOM', '123e4567-e12b-12d1-a456-426655440000'],
  ])('recognises %s as %s', (text, type, key) => {
    expect(keyTarget(text)).toEqual({ initiation: 'KEY', key: { type, key } });
  });

  it.each(['52998224726', '11987654321', 'maria@', '+0119', 'plain text', ''])('refuses %j by its form', (text) => {
    expect(issues(keyTarget(text))).toEqual(['pixKey INVALID_FORMAT']);
  });
});

describe('a payout by QR code', () => {
  it.each(vectors.map((vector) => [vector.id, vector.kind, vector] as const))('reads %s (%s)', (_id, _kind, vector) => {
    const found = qrCodeTarget(vector.payload);
    const { expected } = vector;
    switch (expected.kind) {
      case 'STATIC':
        expect(found).toMatchObject({ initiation: 'STATIC_QRCODE', key: { key: expected.pixKey } });
        expect('amount' in found ? found.amount : undefined).toBe(expected.amount);
        expect('txid' in found ? found.txid : undefined).toBe(expected.txid);
        break;
      case 'DYNAMIC':
        expect(found).toEqual({ initiation: 'DYNAMIC_QRCODE', url: expected.url, qrcodeData: vector.payload });
        break;
      case 'RECURRENCE_ONLY':
        expect(issues(found)).toEqual(['qrcodeData NOT_PAYABLE']);
        break;
      default:
        expect(issues(found)).toEqual(['qrcodeData INVALID_FORMAT']);
    }
  });

  it('is refused when its code is too long, or static with an invalid key', () => {
    expect(issues(qrCodeTarget(`000201${'0'.repeat(600)}`))).toEqual(['qrcodeData TOO_LONG']);
    const code = buildStaticCode({ merchant: { name: 'F', city: 'B' }, pixKey: 'abc' });
    expect(issues(qrCodeTarget(code))).toEqual(['qrcodeData INVALID_FORMAT']);
  });
});

it('a payout by QR code refuses a static one of Pix Saque or Troco', () => {
  const merchant = { name: 'F', city: 'B' };
  const code = { merchant, pixKey: '52998224725', facilitator: '60701190' };
  expect(issues(qrCodeTarget(buildStaticCode(code)))).toEqual(['qrcodeData NOT_PAYABLE']);
  expect(issues(qrCodeTarget(buildStaticCode({ ...code, amount: centavos(8000) })))).toEqual([
    'qrcodeData NOT_PAYABLE',
  ]);
});

describe('a payout to an account', () => {
  const fields = { accountType: 'CHECKING_ACCOUNT', branchNumber: '0001', accountNumber: '12345-6' } as const;

  it('finds the ISPB of a bank number, and the number of an ISPB', () => {
    const itau = {
      initiation: 'MANUAL',
      bank: { ispb: '60701190', code: '341', branch: '0001', account: '12345-6', accountType: 'CHECKING_ACCOUNT' },
    };
    expect(accountTarget({ ...fields, bankNumber: '341' })).toMatchObject(itau);
    expect(accountTarget({ ...fields, ispb: '60701190' })).toMatchObject(itau);
    expect(accountTarget({ ...fields, ispb: '60701190', bankNumber: '341' })).toMatchObject(itau);
    expect(accountTarget({ ...fields, bankNumber: '1' })).toMatchObject({ bank: { ispb: '00000000', code: '001' } });
  });

  it('takes an institution without a bank number by its ISPB', () => {
    const found = accountTarget({ ...fields, ispb: '99999004' });
    expect(found).toEqual({
      initiation: 'MANUAL',
      bank: { ispb: '99999004', branch: '0001', account: '12345-6', accountType: 'CHECKING_ACCOUNT' },
    });
  });

  it.each([
    ['neither ISPB nor number', {}, 'bankAccount.ispb REQUIRED'],
    ['a number that no bank has', { bankNumber: '999' }, 'bankAccount.bankNumber INVALID_VALUE'],
    [
      'an ISPB and the number of another bank',
      { ispb: '60701190', bankNumber: '001' },
      'bankAccount.bankNumber INVALID_VALUE',
    ],
  ])('refuses %s', (_name, more, expected) => {
    expect(issues(accountTarget({ ...fields, ...more }))).toEqual([expected]);
  });
});
