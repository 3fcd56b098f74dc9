import { describe, expect, it } from 'vitest';
import { documentTypes, isValidDocument, parseDocument } from '#shared/core/document.ts';
import { fc } from '../support/properties.ts';

describe('a document', () => {
  it.each([
    ['CPF', '52998224725'],
    ['CNPJ', '11222333000181'],
    ['CNPJ', '12ABC34501DE35'],
  ] as const)('%s %s is valid', (type, number) => {
    expect(isValidDocument(type, number)).toBe(true);
  });

  it.each([
    ['a wrong check digit', 'CPF', '52998224724'],
    ['a mask', 'CPF', '529.982.247-25'],
    ['a blank', 'CPF', ' 52998224725'],
    ['a blank after it', 'CPF', '52998224725 '],
    ['one digit repeated', 'CPF', '11111111111'],
    ['a digit missing', 'CPF', '5299822472'],
    ['a letter', 'CPF', '5299822472A'],
    ['no character', 'CPF', ''],
    ['the number of the other type', 'CPF', '11222333000181'],
    ['a wrong check digit', 'CNPJ', '11222333000180'],
    ['a mask', 'CNPJ', '11.222.333/0001-81'],
    ['a blank', 'CNPJ', ' 11222333000181'],
    ['one digit repeated', 'CNPJ', '00000000000000'],
    ['one digit repeated', 'CNPJ', '11111111111111'],
    ['a wrong check digit after letters', 'CNPJ', '12ABC34501DE34'],
    ['small letters', 'CNPJ', '12abc34501de35'],
    ['a letter for a check digit', 'CNPJ', '12ABC34501DE3A'],
    ['a character missing', 'CNPJ', '12ABC34501DE3'],
    ['a line end', 'CNPJ', '11222333000181\n'],
    ['the number of the other type', 'CNPJ', '52998224725'],
  ] as const)('with %s (%s) is refused', (_, type, number) => {
    expect(isValidDocument(type, number)).toBe(false);
  });

  it('without a type is that of the type whose number it is', () => {
    expect(documentTypes).toEqual(['CPF', 'CNPJ']);
    for (const [type, number] of [
      ['CPF', '52998224725'],
      ['CNPJ', '12ABC34501DE35'],
    ] as const)
      expect(parseDocument(number)).toEqual({ type, number });
    expect(parseDocument('12abc34501de35')).toEqual({ type: 'CNPJ', number: '12ABC34501DE35' });
    for (const number of ['', '52998224724', '529.982.247-25']) expect(parseDocument(number)).toBeUndefined();
  });

  it('is known by its check digits: of the hundred possible pairs one fits', () => {
    const base = fc.stringMatching(/^[0-9A-Z]{12}$/).filter((text) => new Set(text).size > 1);
    fc.assert(
      fc.property(base, (text) => {
        const pairs = Array.from({ length: 100 }, (_, pair) => `${text}${String(pair).padStart(2, '0')}`);
        expect(pairs.filter((number) => isValidDocument('CNPJ', number))).toHaveLength(1);
      }),
      { numRuns: 50 },
    );
  });
});
