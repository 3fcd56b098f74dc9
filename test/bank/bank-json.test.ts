import { expect, test } from 'vitest';
import { bankJson } from '#shared/bank/dialects/efi/bank-json.ts';
import { carelessJson } from '../support/careless-json.ts';
import { fc } from '../support/properties.ts';

const controlCharacters = Array.from({ length: 32 }, (_none, code) => String.fromCharCode(code));
const controls = controlCharacters.join('');

test('each control character inside a string is read as it is', () => {
  const page = { pix: [{ nome: `Maria${controls} "Souza"`, valor: '1.00' }] };
  const text = carelessJson(page.pix[0]?.nome);
  expect(() => JSON.parse(text) as unknown).toThrow('Bad control character');
  expect(bankJson(`\n{"pix": [{"nome": ${text},\r\n\t"valor": "1.00"}]}\n`)).toEqual(page);
});

test('a text of any characters comes through a bank that escapes quotes and backslashes alone', () => {
  const anyText = fc
    .array(fc.constantFrom(...controlCharacters, '"', '\\', 'a', 'é', '😀', '{', ','))
    .map((all) => all.join(''));
  fc.assert(
    fc.property(anyText, fc.array(anyText), (key, values) => {
      expect(bankJson(carelessJson({ [key]: values }))).toEqual({ [key]: values });
    }),
  );
});

test.each([
  [String.raw`{"nome":"Loja \ Maria"}`, { nome: String.raw`Loja \ Maria` }],
  [String.raw`{"nome":"\u12 \x"}`, { nome: String.raw`\u12 \x` }],
  [`{"nome":"a\\\nb"}`, { nome: 'a\\\nb' }],
  [String.raw`{"nome":"a\\"}`, { nome: 'a\\' }],
  [String.raw`{"nome":"Jos\u00e9 \ \u00e9\u00E9"}`, { nome: String.raw`José \ éé` }],
  [String.raw`{"nome":"a\"b"}`, { nome: 'a"b' }],
])('a stray backslash is read as a backslash: %j', (text, expected) => {
  expect(bankJson(text)).toEqual(expected);
});

test.each(['', '<html>', '{"a":', '{"a":"b', '\u0000{}', '{"nome":"a"b"}', `"${'\n'.repeat(20_000)}"`])(
  'a text that is malformed in another way is not read: %j',
  (text) => {
    expect(bankJson(text)).toBeUndefined();
  },
);

test('four megabytes of quotes, backslashes and control characters are read in linear time', () => {
  const began = performance.now();
  for (const one of ['"', '\\', '\u0001', '"\\', '"\u0001\\']) bankJson(one.repeat(4_194_304 / one.length));
  expect(performance.now() - began).toBeLessThan(60_000);
});
