import { expect, test } from 'vitest';
import { amountText, cents } from '#fake-bank/amounts.ts';
import { fc } from '#test/support/properties.ts';

test.each([
  ['0.00', 0],
  ['0.01', 1],
  ['4.35', 435],
  ['0000000010.00', 1000],
  ['9999999999.99', 999_999_999_999],
])('an amount of API Pix is read when it is %s', (valor, centavos) => {
  expect(cents(valor)).toBe(centavos);
});

test.each([
  '',
  '1',
  '1.0',
  '1.000',
  '1,00',
  '-1.00',
  '+1.00',
  ' 1.00',
  '1.00\n',
  '.50',
  '1e2',
  '10000000000.00',
  '١.٠٠',
])('an amount is refused when it is "%s"', (valor) => {
  expect(() => cents(valor)).toThrow(RangeError);
});

test('a balance below zero is written with its sign', () => {
  expect([-1, -10, -123_456].map(amountText)).toEqual(['-0.01', '-0.10', '-1234.56']);
});

test('an amount is the same when it is read from its own text', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999_999 }), (centavos) => {
      expect(cents(amountText(centavos))).toBe(centavos);
    }),
  );
});
