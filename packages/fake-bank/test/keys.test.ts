import { expect, test } from 'vitest';
import { readKey } from '#fake-bank/keys.ts';
import { fc } from '#test/support/properties.ts';

const longestEmail = `${'a'.repeat(65)}@example.com`;

test.each([
  ['CPF', '52998224725'],
  ['CNPJ', '11222333000181'],
  ['CNPJ', '12ABC34501DE35'],
  ['PHONE', '+5511943214321'],
  ['PHONE', '+351912345678'],
  ['EMAIL', 'a@b'],
  ['EMAIL', "first.last+tag_'x@sub.example.com.br"],
  ['EMAIL', longestEmail],
  ['EVP', '123e4567-e12b-12d1-a456-426655440000'],
] as const)('a key is a %s when it is %s', (kind, chave) => {
  expect(readKey(chave)).toEqual({ kind, chave });
});

test.each([
  ['Fulano@Example.COM', 'fulano@example.com'],
  ['123E4567-E12B-12D1-A456-426655440000', '123e4567-e12b-12d1-a456-426655440000'],
  ['12abc34501de35', '12ABC34501DE35'],
])('a key has the letter case of the DICT when it is %s', (text, chave) => {
  expect(readKey(text)?.chave).toBe(chave);
});

test.each([
  ['nothing', ''],
  ['wrong check digits of a CPF', '52998224724'],
  ['one digit again and again', '11111111111'],
  ['a mask', '529.982.247-25'],
  ['wrong check digits of a CNPJ', '11222333000180'],
  ['a letter among the check digits', '12ABC34501DE3A'],
  ['a phone without its plus', '5511943214321'],
  ['a phone that begins with zero', '+0511943214321'],
  ['a phone of 18 digits', `+${'1'.repeat(18)}`],
  ['an e-mail with a percent sign', 'a%b@example.com'],
  ['an e-mail of 78 characters', `a${longestEmail}`],
  ['an e-mail with an accent', 'joão@example.com'],
  ['an e-mail with a letter that only looks like K', 'a@\u212Ab.com'],
  ['a UUID without hyphens', '123e4567e12b12d1a456426655440000'],
  ['a blank at the end', '52998224725 '],
  ['a line end', '+5511943214321\n'],
])('a key is refused when it is %s', (_, text) => {
  expect(readKey(text)).toBeUndefined();
});

test('a document is valid with exactly one of the hundred pairs of check digits', () => {
  const pairs = Array.from({ length: 100 }, (_, pair) => String(pair).padStart(2, '0'));
  const documents = fc.oneof(fc.stringMatching(/^\d{9}$/u), fc.stringMatching(/^[0-9A-Z]{12}$/u));
  fc.assert(
    fc.property(documents, (base) => {
      fc.pre(new Set(base).size > 1);
      const found = pairs.map((pair) => readKey(`${base}${pair}`)).filter((key) => key !== undefined);
      expect(found.map(({ kind }) => kind)).toEqual([base.length === 9 ? 'CPF' : 'CNPJ']);
    }),
  );
});
