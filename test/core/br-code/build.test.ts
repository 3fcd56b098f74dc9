import { describe, expect, it } from 'vitest';
import {
  buildCompositeCode,
  buildDynamicCode,
  buildRecurrenceCode,
  buildStaticCode,
} from '#shared/core/br-code/build.ts';
import { centavos, maxAmount } from '#shared/core/money.ts';
import vectors from '../br-code-vectors.json' with { type: 'json' };

const merchant = { name: 'Fulano de Tal', city: 'BRASILIA' };
const pixKey = '123e4567-e12b-12d1-a456-426655440000';
const url = 'pix.example.com/8b3da2f39a4140d1a91abd93113bd441';
const recurrenceUrl = 'pix.example.com/rec/2353c790eefb11eaadc10242ac120002';
const payloadOf = (id: string) => vectors.find((vector) => vector.id === id)?.payload;

/** A host and path of exactly so many characters. */
const urlOfLength = (length: number) => `pix.example.com/rec/${'a'.repeat(length - 20)}`;

describe("the central bank's own examples come out byte for byte", () => {
  it.each([
    ['V1', 'static', () => buildStaticCode({ merchant, pixKey })],
    ['V2', 'dynamic', () => buildDynamicCode({ merchant, url })],
    ['V3', 'recurrence only', () => buildRecurrenceCode({ merchant, recurrenceUrl })],
    [
      'V4',
      'static with recurrence',
      () => buildStaticCode({ merchant, pixKey, amount: centavos(10_050), recurrenceUrl }),
    ],
    ['V5', 'charge and recurrence', () => buildCompositeCode({ merchant, url, recurrenceUrl })],
    [
      'S2',
      'static with info, amount and txid',
      () =>
        buildStaticCode({
          merchant: { name: 'FULANO DE TAL', city: 'BRASILIA' },
          pixKey: 'fulano@example.com',
          info: 'Pedido 42',
          amount: centavos(1000),
          txid: 'PEDIDO42',
        }),
    ],
  ])('%s, %s', (id, _, build) => {
    expect(build()).toBe(payloadOf(id));
  });
});

describe('the merchant', () => {
  const built = (name: string, city: string) => buildStaticCode({ merchant: { name, city }, pixKey });

  it('loses accents, typographic signs and whatever ASCII has not', () => {
    expect(built('Padaria São João – Açúcar', 'SÃO LUÍS')).toContain('5925Padaria Sao Joao - Acucar6008SAO LUIS62');
    expect(built('Café ☕ “Ñandú”', 'Óbidos')).toContain('5912Cafe "Nandu"6006Obidos62');
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
  ])('without any character for its %s is an error that says so', (what, name, city) => {
    expect(() => built(name, city)).toThrow(what);
  });
});

describe('what does not fit is an error, never a corrupt code', () => {
  const build = (more: object) => () => buildStaticCode({ merchant, pixKey, ...more });

  it.each([
    ['a key of 78 characters', build({ pixKey: 'k'.repeat(78) }), 'Pix key'],
    ['an empty key', build({ pixKey: '' }), 'Pix key'],
    ['a key with an accent', build({ pixKey: 'joão@example.com' }), 'Pix key'],
    ['an info of 73 characters', build({ pixKey: 'k', info: 'i'.repeat(73) }), 'info'],
    ['an info of nothing', build({ info: '☕' }), 'Object 02'],
    ['key and info beyond the template', build({ pixKey: 'k'.repeat(40), info: 'i'.repeat(34) }), 'Object 26'],
    ['a txid of 26 characters', build({ txid: 't'.repeat(26) }), 'txid'],
    ['a txid with a sign', build({ txid: 'PEDIDO-42' }), 'txid'],
    ['an empty txid', build({ txid: '' }), 'txid'],
    ['an amount of zero', build({ amount: centavos(0) }), '0 centavos'],
    ['an amount below zero', build({ amount: centavos(-1) }), '-1 centavos'],
    ['an amount of 11 digits of reais', build({ amount: centavos(maxAmount + 1) }), 'centavos'],
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
  ])('%s', (_, attempt, message) => {
    expect(attempt).toThrow(message);
  });

  it('and what just fits is a code', () => {
    expect(build({ pixKey: 'k'.repeat(77) })()).toContain(`0177${'k'.repeat(77)}`);
    expect(build({ pixKey: 'k', info: 'i'.repeat(72) })()).toContain(`0272${'i'.repeat(72)}`);
    expect(build({ pixKey: 'k'.repeat(40), info: 'i'.repeat(33) })()).toContain('2699');
    expect(build({ txid: 't'.repeat(25) })()).toContain(`62290525${'t'.repeat(25)}`);
    expect(build({ amount: maxAmount })()).toContain('54139999999999.99');
    expect(buildDynamicCode({ merchant, url: urlOfLength(77) })).toContain('269900');
  });
});
