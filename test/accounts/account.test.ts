import { describe, expect, it } from 'vitest';
import { accountTransitionsFrom, brazilianDocument, foldText } from '#shared/accounts/model.ts';
import { sampleAccount } from '../support/listings.ts';

describe('the search text', () => {
  it.each([
    ['José Antônio', 'jose antonio'],
    ['CONCEIÇÃO', 'conceicao'],
    ['Zoë Núñez', 'zoe nunez'],
    ['Jose\u0301', 'jose'],
    ['Pão & Cia. 12', 'pao & cia. 12'],
  ])('for %s is %s', (text, expected) => {
    expect(foldText(text)).toBe(expected);
  });

  it('is the same for composed and decomposed letters', () => {
    expect(foldText('João'.normalize('NFC'))).toBe(foldText('João'.normalize('NFD')));
  });
});

describe('an account', () => {
  it('moves between active and inactive, and stays closed once it is', () => {
    expect(accountTransitionsFrom('ACTIVE')).toEqual(['INACTIVE', 'CLOSED']);
    expect(accountTransitionsFrom('INACTIVE')).toEqual(['ACTIVE', 'CLOSED']);
    expect(accountTransitionsFrom('CLOSED')).toEqual([]);
  });

  it.each([
    ['CPF', '52998224725'],
    ['CNPJ', '11444777000161'],
  ] as const)('has a Brazilian document when its holder has a %s', (type, number) => {
    expect(brazilianDocument(sampleAccount({ companyId: 'company', document: { type, number } }))).toEqual({
      type,
      number,
    });
  });

  it('has no Brazilian document when its holder has a foreign one, even with the number of a valid CPF', () => {
    expect(
      brazilianDocument(sampleAccount({ companyId: 'company', document: { type: 'PASSPORT', number: '52998224725' } })),
    ).toBeUndefined();
  });
});
