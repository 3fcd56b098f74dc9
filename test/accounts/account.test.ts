import { describe, expect, it } from 'vitest';
import { accountTransitionsFrom, brazilianDocument, foldText } from '#shared/accounts/model.ts';
import { sampleAccount } from '../support/listings.ts';

describe('the text that is searched', () => {
  it.each([
    ['José Antônio', 'jose antonio'],
    ['CONCEIÇÃO', 'conceicao'],
    ['Zoë Núñez', 'zoe nunez'],
    ['Jose\u0301', 'jose'],
    ['Pão & Cia. 12', 'pao & cia. 12'],
  ])('of %s is %s', (text, expected) => {
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
  ] as const)('of a holder with a %s has a document of Brazil', (type, number) => {
    expect(brazilianDocument(sampleAccount({ companyId: 'company', document: { type, number } }))).toEqual({
      type,
      number,
    });
  });

  it('of a holder with a foreign document has none, whatever its number looks like', () => {
    expect(
      brazilianDocument(sampleAccount({ companyId: 'company', document: { type: 'PASSPORT', number: '52998224725' } })),
    ).toBeUndefined();
  });
});
