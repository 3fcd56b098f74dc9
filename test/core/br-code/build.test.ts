import { describe, expect, it } from 'vitest';
import { buildCompositeCode, buildDynamicCode, buildRecurrenceCode } from '#shared/core/br-code/build.ts';
import vectors from '../br-code-vectors.json' with { type: 'json' };

const merchant = { name: 'Fulano de Tal', city: 'BRASILIA' };
const url = 'pix.example.com/8b3da2f39a4140d1a91abd93113bd441';
const recurrenceUrl = 'pix.example.com/rec/2353c790eefb11eaadc10242ac120002';
const payloadOf = (id: string) => vectors.find((vector) => vector.id === id)?.payload;

/** A host and path of exactly so many characters. */
const urlOfLength = (length: number) => `pix.example.com/rec/${'a'.repeat(length - 20)}`;

describe('a BR Code is built byte for byte as the example of the central bank', () => {
  it.each([
    ['V2', 'dynamic', () => buildDynamicCode({ merchant, url })],
    ['V3', 'recurrence only', () => buildRecurrenceCode({ merchant, recurrenceUrl })],
    ['V5', 'charge and recurrence', () => buildCompositeCode({ merchant, url, recurrenceUrl })],
  ])('%s (%s)', (id, _, build) => {
    expect(build()).toBe(payloadOf(id));
  });
});

describe('the merchant', () => {
  const built = (name: string, city: string) => buildDynamicCode({ merchant: { name, city }, url });

  it('is written in ASCII, without accents, typographic signs and other characters', () => {
    expect(built('Padaria São João – Açúcar', 'SÃO LUÍS')).toContain('5925Padaria Sao Joao - Acucar6008SAO LUIS62');
    expect(built('Café ☕ “Ñandú”', 'Óbidos')).toContain('5912Cafe "Nandu"6006Obidos62');
    expect(built(' Joana D’Ávila', '\tPalmas')).toContain("5913Joana D'Avila6006Palmas62");
  });

  it('is cut to 25 characters of name and 15 of city, without a blank at the end', () => {
    expect(built('x'.repeat(26), 'y'.repeat(16))).toContain(`5925${'x'.repeat(25)}6015${'y'.repeat(15)}62`);
    expect(built(`${'x'.repeat(24)} yz`, 'SAO JOSE DOS CAMPOS')).toContain(
      `5924${'x'.repeat(24)}6015SAO JOSE DOS CA62`,
    );
  });

  it.each([
    ['name', '☕☕', 'BRASILIA'],
    ['name', '', 'BRASILIA'],
    ['city', 'Fulano', '北京'],
  ])('is refused, with an error that names the %s, when no ASCII character of it is left', (fieldName, name, city) => {
    expect(() => built(name, city)).toThrow(fieldName);
  });
});

describe('the input of a code', () => {
  it.each([
    ['an address with a scheme', () => buildDynamicCode({ merchant, url: `https://${url}` }), 'scheme'],
    ['an address without a path', () => buildDynamicCode({ merchant, url: 'pix.example.com' }), 'scheme'],
    ['an address without a host', () => buildDynamicCode({ merchant, url: 'localhost/abc' }), 'scheme'],
    ['an address of 78 characters', () => buildDynamicCode({ merchant, url: urlOfLength(78) }), '77'],
    ['a recurrence that is a charge', () => buildRecurrenceCode({ merchant, recurrenceUrl: url }), '/rec/'],
    ['a recurrence of 78 characters', () => buildRecurrenceCode({ merchant, recurrenceUrl: urlOfLength(78) }), '77'],
    [
      'two hosts in one code',
      () => buildCompositeCode({ merchant, url: url.replace('pix', 'qr'), recurrenceUrl }),
      'same host',
    ],
  ])('is refused with an error when it has %s', (_, attempt, message) => {
    expect(attempt).toThrow(message);
  });

  it('is built into a code when its address has 77 characters', () => {
    expect(buildDynamicCode({ merchant, url: urlOfLength(77) })).toContain('269900');
  });
});
