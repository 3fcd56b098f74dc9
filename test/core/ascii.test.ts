import { describe, expect, it } from 'vitest';
import { asciiText } from '#shared/core/ascii.ts';
import { fc } from '../support/properties.ts';

describe('a text in ASCII', () => {
  it.each([
    ['Ø', 'O'],
    ['ø', 'o'],
    ['Ł', 'L'],
    ['ł', 'l'],
    ['Æ', 'AE'],
    ['æ', 'ae'],
    ['Œ', 'OE'],
    ['œ', 'oe'],
    ['ẞ', 'SS'],
    ['ß', 'ss'],
    ['Đ', 'D'],
    ['đ', 'd'],
    ['Ð', 'D'],
    ['ð', 'd'],
    ['Þ', 'TH'],
    ['þ', 'th'],
    ['İ', 'I'],
    ['ı', 'i'],
    ['Ǿ', 'O'],
    ['ǽ', 'ae'],
    ['ç', 'c'],
    ['Ã', 'A'],
    ['ﬁ', 'fi'],
    ['Ａ', 'A'],
    ['№', 'No'],
  ])('has a letter for %s: %s', (letter, ascii) => {
    expect(asciiText(letter)).toBe(ascii);
  });

  it.each([
    ['Łódź Øresund Straße', 'Lodz Oresund Strasse'],
    ['Cœur – d’Ávila', "Coeur - d'Avila"],
    [' \tDois  espaços ', 'Dois espacos'],
    ['北京', ''],
    ['Café ☕ Ltda', 'Cafe Ltda'],
  ])('reads %j as %j', (text, ascii) => {
    expect(asciiText(text)).toBe(ascii);
  });

  it('is printable, has no outer blanks and stays as it is, of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const ascii = asciiText(text);
        expect(ascii).toMatch(/^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/u);
        expect(asciiText(ascii)).toBe(ascii);
      }),
    );
  });
});
