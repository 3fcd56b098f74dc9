import { describe, expect, it } from 'vitest';
import {
  addCentavos,
  amountView,
  centavos,
  formatAmount,
  maxAmount,
  parseAmount,
  subtractCentavos,
} from '#shared/core/money.ts';
import { fc } from '../support/properties.ts';

const anyAmount = fc.integer({ min: 1, max: maxAmount }).map(centavos);

describe('an amount', () => {
  it('is shown in reais with two decimals, as a text', () => {
    expect(amountView(centavos(123_450))).toEqual({ currency: 'BRL', value: '1234.50' });
    expect(amountView(centavos(5))).toEqual({ currency: 'BRL', value: '0.05' });
  });

  it.each([
    ['0.01', 1],
    ['0.1', 10],
    ['10', 1000],
    ['10.5', 1050],
    ['10.50', 1050],
    ['1.10', 110],
    ['4.35', 435],
    ['1.15', 115],
    ['9999999999.99', 999_999_999_999],
  ])('%s is %d centavos', (text, count) => {
    expect(parseAmount(text)).toBe(count);
  });

  it.each([
    ['an empty text', ''],
    ['zero', '0'],
    ['zero with decimals', '0.00'],
    ['a sign', '-1.00'],
    ['a plus', '+1.00'],
    ['a leading zero', '01.00'],
    ['a third decimal', '1.000'],
    ['an exponent', '1e2'],
    ['a comma', '1,00'],
    ['no digit before the point', '.50'],
    ['no digit after the point', '1.'],
    ['an eleventh digit', '10000000000'],
    ['a blank', ' 1.00'],
    ['a line end', '1.00\n'],
    ['digits of another script', '١.٠٠'],
    ['hexadecimal', '0x10'],
    ['the text NaN', 'NaN'],
  ])('with %s is refused', (_, text) => {
    expect(parseAmount(text)).toBeUndefined();
  });

  it('is written with two decimals, always', () => {
    expect([1, 10, 100, 123_450].map((count) => formatAmount(centavos(count)))).toEqual([
      '0.01',
      '0.10',
      '1.00',
      '1234.50',
    ]);
  });

  it('may be negative or zero in a ledger entry', () => {
    expect([0, -5, -12_345].map((count) => formatAmount(centavos(count)))).toEqual(['0.00', '-0.05', '-123.45']);
  });

  it('comes back from its text unchanged', () => {
    fc.assert(
      fc.property(anyAmount, (amount) => {
        expect(parseAmount(formatAmount(amount))).toBe(amount);
      }),
    );
  });

  it('is the same however its decimals are written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9_999_999_999 }), fc.integer({ min: 0, max: 9 }), (reais, tenths) => {
        expect(parseAmount(`${reais}.${tenths}`)).toBe(parseAmount(`${reais}.${tenths}0`));
      }),
    );
  });

  it('is read from any text without an error, and only from one that it could have been written as', () => {
    const nearlyAmounts = fc.stringMatching(/^[0-9.,eE+-]{0,14}$/);
    fc.assert(
      fc.property(fc.oneof(fc.string(), nearlyAmounts), (text) => {
        const amount = parseAmount(text);
        if (amount === undefined) return;
        const [reais, fraction = ''] = text.split('.');
        expect(formatAmount(amount)).toBe(`${reais}.${fraction.padEnd(2, '0')}`);
      }),
    );
  });
});

describe('centavos', () => {
  it.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER + 1])(
    'are refused for the number %d',
    (count) => {
      expect(() => centavos(count)).toThrow(RangeError);
    },
  );

  it('know one zero only', () => {
    expect(Object.is(centavos(-0), 0)).toBe(true);
  });

  it('add up, and the sum of no amounts is zero', () => {
    expect(addCentavos(centavos(1), centavos(20), centavos(300))).toBe(321);
    expect(addCentavos()).toBe(0);
  });

  it('can be taken away below zero, for the caller to refuse', () => {
    expect(subtractCentavos(centavos(5), centavos(7))).toBe(-2);
  });

  it('never add up to a sum that is not exact', () => {
    expect(() => addCentavos(centavos(Number.MAX_SAFE_INTEGER), centavos(1))).toThrow(RangeError);
  });
});
