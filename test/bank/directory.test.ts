import { describe, expect, it } from 'vitest';
import { bankByIspb, ispbOfBankNumber } from '#shared/core/bank-directory.ts';

describe('a bank', () => {
  it.each([
    ['001', '00000000'],
    ['1', '00000000'],
    ['341', '60701190'],
    ['260', '18236120'],
  ])('with number %s has ISPB %s', (bankNumber, ispb) => {
    expect(ispbOfBankNumber(bankNumber)).toBe(ispb);
  });

  it.each(['999', '', '0001', '1-0', ' 1', '1 ', '34A', 'a341', '3-4-1', '-1'])(
    'is not known by the number "%s"',
    (bankNumber) => {
      expect(ispbOfBankNumber(bankNumber)).toBeUndefined();
    },
  );

  it('is found by its ISPB, with three digits of number', () => {
    expect(bankByIspb('00000000')).toEqual({ code: '001', name: 'Banco do Brasil S.A.' });
    expect(bankByIspb('60701190')?.code).toBe('341');
  });

  it.each(['99999999', '0', '6070119', '60.701.190', '60701190 ', ' 60701190', 'x60701190'])(
    'is not known by the ISPB "%s"',
    (ispb) => {
      expect(bankByIspb(ispb)).toBeUndefined();
    },
  );
});
