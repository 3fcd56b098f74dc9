import { describe, expect, it } from 'vitest';
import { mayGetCode, recognisePixKey } from '#shared/core/pix-key.ts';
import { fc } from '../support/properties.ts';

const longestEmail = `${'a'.repeat(65)}@example.com`;

describe('a Pix key', () => {
  it.each([
    ['CPF', '52998224725'],
    ['CNPJ', '11222333000181'],
    ['CNPJ', '12ABC34501DE35'],
    ['PHONE', '+5511943214321'],
    ['PHONE', '+351912345678'],
    ['EMAIL', 'fulano@example.com'],
    ['EMAIL', 'a@b.co'],
    ['EMAIL', 'first.last+tag@sub.example.com.br'],
    ['EMAIL', 'a@x.y'],
    ['EMAIL', longestEmail],
    ['RANDOM', '123e4567-e12b-12d1-a456-426655440000'],
  ] as const)('is recognised as %s: %s', (type, key) => {
    expect(recognisePixKey(key)).toEqual({ type, key });
  });

  it.each([
    ['Fulano@Example.COM', 'fulano@example.com'],
    ['123E4567-E12B-12D1-A456-426655440000', '123e4567-e12b-12d1-a456-426655440000'],
    ['12abc34501de35', '12ABC34501DE35'],
  ])('is spelled as the DICT spells it: %s', (text, key) => {
    expect(recognisePixKey(text)?.key).toBe(key);
  });

  it('is no phone without its plus sign: eleven digits are a CPF or no key at all', () => {
    expect(recognisePixKey('11943214321')).toBeUndefined();
    expect(recognisePixKey('5511943214321')).toBeUndefined();
  });

  it.each([
    ['an empty text', ''],
    ['a CPF with a mask', '529.982.247-25'],
    ['a CPF with wrong check digits', '52998224724'],
    ['a CNPJ with wrong check digits', '11222333000180'],
    ['a phone with blanks', '+55 11 94321-4321'],
    ['a phone after a letter', 'x+5511943214321'],
    ['a phone beginning with zero', '+0511943214321'],
    ['a phone of 16 digits', '+1234567890123456'],
    ['a phone of 2 digits', '+12'],
    ['an address with a percent sign', 'a%b@example.com'],
    ['an address with two signs', 'a@b@example.com'],
    ['an address of 78 characters', `a${longestEmail}`],
    ['an address with an empty label', 'a@example..com'],
    ['an address with an accent', 'joão@example.com'],
    ['an address with a letter that becomes ASCII in lower case', 'a@\u212Aelvin.com'],
    ['a UUID without hyphens', '123e4567e12b12d1a456426655440000'],
    ['surrounding blanks', ' fulano@example.com '],
    ['a name', 'fulano'],
  ])('is not recognised from %s', (_, text) => {
    expect(recognisePixKey(text)).toBeUndefined();
  });

  it('is the same key again once it is spelled', () => {
    const strings = fc.oneof(fc.string(), fc.emailAddress(), fc.uuid(), fc.stringMatching(/^\+?[0-9A-Za-z]{1,16}$/));
    fc.assert(
      fc.property(strings, (text) => {
        const found = recognisePixKey(text);
        if (found) expect(recognisePixKey(found.key)).toEqual(found);
      }),
    );
  });

  it('is refused quickly however long the text', () => {
    expect(recognisePixKey(`a@${'a-'.repeat(100_000)}`)).toBeUndefined();
  });
});

describe('a code for a phone', () => {
  /** Anatel's area codes: all but those of two digits that are not in use. */
  const unused = ['20', '23', '25', '26', '29', '30', '36', '39', '40', '50', '52', '56', '57', '58', '59'];
  const others = ['60', '70', '72', '76', '78', '80', '90', '10'];
  const areas = Array.from({ length: 90 }, (_, place) => String(place + 10));

  it.each(areas)('may go to area %s only when the area is in use and the number can exist there', (area) => {
    const isUsed = ![...unused, ...others].includes(area);
    for (const number of ['943214321', '901234567', '21234567', '59876543'])
      expect([number, mayGetCode(`+55${area}${number}`, false)]).toEqual([number, isUsed]);
    for (const number of ['843214321', '9432143210', '94321432', '11234567', '61234567', '212345678', '2', '9432143x1'])
      expect([number, mayGetCode(`+55${area}${number}`, false)]).toEqual([number, false]);
  });

  it('goes abroad where the environment allows it, and into Brazil by its rules all the same', () => {
    expect([mayGetCode('+351912345678', false), mayGetCode('+351912345678', true)]).toEqual([false, true]);
    expect(mayGetCode('+351912345655', false)).toBe(false);
    expect([mayGetCode('+55', true), mayGetCode('+5520943214321', true)]).toEqual([false, false]);
    expect(mayGetCode('+55+5511943214321', false)).toBe(false);
    expect(mayGetCode('+5511943214321x', false)).toBe(false);
  });
});
