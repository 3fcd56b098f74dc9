import { describe, expect, it } from 'vitest';
import { accountTransitionsFrom, foldText } from '#shared/platform/ledger/account.ts';

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
});
