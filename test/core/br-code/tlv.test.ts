import { describe, expect, it } from 'vitest';
import { crc16, decodeObjects, encodeObject } from '#shared/core/br-code/tlv.ts';
import { fc } from '#test/support/properties.ts';

describe('the CRC of a BR Code', () => {
  it.each([
    ['123456789', '29B1'],
    ['', 'FFFF'],
  ])('for the text "%s" is %s', (text, crc) => {
    expect(crc16(text)).toBe(crc);
  });

  it('has four digits also when it begins with zeros', () => {
    const strings = Array.from({ length: 2000 }, (_, n) => String(n));
    expect(strings.every((text) => /^[0-9A-F]{4}$/.test(crc16(text)))).toBe(true);
    expect(strings.some((text) => crc16(text).startsWith('0'))).toBe(true);
  });
});

describe('an object', () => {
  it('is written as id, two digits of length, and value', () => {
    expect(encodeObject('59', 'N')).toBe('5901N');
    expect(encodeObject('26', 'x'.repeat(99))).toBe(`2699${'x'.repeat(99)}`);
  });

  it.each([0, 100])('cannot be written when its value has %d characters', (length) => {
    expect(() => encodeObject('59', 'x'.repeat(length))).toThrow(RangeError);
  });

  it('is read as it was written, in the same order', () => {
    const id = fc.integer({ min: 0, max: 99 }).map((n) => String(n).padStart(2, '0'));
    const row = fc.uniqueArray(fc.tuple(id, fc.string({ minLength: 1, maxLength: 99 })), { selector: ([key]) => key });
    fc.assert(
      fc.property(row, (objects) => {
        const text = objects.map(([key, value]) => encodeObject(key, value)).join('');
        expect([...(decodeObjects(text) as Map<string, string>)]).toEqual(objects);
      }),
    );
  });

  it.each([
    ['an id that is not two digits', '5x01N'],
    ['a length that is not two digits', '59 1N'],
    ['a length beyond the end', '5902N'],
    ['characters after its last object', '5901N60'],
  ])('is refused as BROKEN_TLV in a row with %s', (_, text) => {
    expect(decodeObjects(text)).toBe('BROKEN_TLV');
  });

  it.each(['5901N5901N', '59005901N', '5901N5900', '59005900'])(
    'is refused as DUPLICATE_OBJECT when it comes twice, as in %s',
    (text) => {
      expect(decodeObjects(text)).toBe('DUPLICATE_OBJECT');
    },
  );

  it('is left out of the result when its value is empty', () => {
    expect([...(decodeObjects('59006001B6200') as Map<string, string>)]).toEqual([['60', 'B']]);
  });
});
