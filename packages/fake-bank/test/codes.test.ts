import { describe, expect, test } from 'vitest';
import { readCode, writeCode } from '#fake-bank/codes.ts';
import vectors from '#test/core/br-code-vectors.json' with { type: 'json' };
import { fc } from '#test/support/properties.ts';

const payloadOf = (id: string): string => vectors.find((vector) => vector.id === id)?.payload ?? '';
const receiver = { nome: 'Fulano de Tal', cidade: 'BRASILIA' };
const location = 'pix.example.com/8b3da2f39a4140d1a91abd93113bd441';
const recLocation = 'pix.example.com/rec/2353c790eefb11eaadc10242ac120002';
const evp = '123e4567-e12b-12d1-a456-426655440000';

describe('a written code', () => {
  test.each([
    ['V2', { location }],
    ['V3', { recLocation }],
    ['V5', { location, recLocation }],
  ] as const)("is BCB's example %s byte for byte", (id, locations) => {
    expect(writeCode(receiver, locations)).toBe(payloadOf(id));
  });

  test.each([
    ['Padaria São João & Açúcar', 'São Luís', '5925Padaria Sao Joao & Acucar6008Sao Luis62'],
    [' Café ☕ ', 'x'.repeat(16), `5904Cafe6015${'x'.repeat(15)}62`],
    [`${'x'.repeat(24)} yz`, 'SAO JOSE DOS CAMPOS', `5924${'x'.repeat(24)}6015SAO JOSE DOS CA62`],
  ])('has the name %s in ASCII, cut to 25 and 15 characters', (nome, cidade, part) => {
    expect(writeCode({ nome, cidade }, { location })).toContain(part);
  });

  test('is refused when no ASCII character of a name is left, or when a location has 78 characters', () => {
    expect(() => writeCode({ ...receiver, nome: '北京' }, { location })).toThrow(RangeError);
    const longest = `pix.example.com/${'a'.repeat(61)}`;
    expect(readCode(writeCode(receiver, { location: longest }))).toEqual({ kind: 'DYNAMIC', location: longest });
    expect(() => writeCode(receiver, { location: `${longest}a` })).toThrow(RangeError);
  });

  test('is read as what was written', () => {
    const token = fc.stringMatching(/^[0-9a-f]{32}$/u);
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map((text) => `N${text}`);
    fc.assert(
      fc.property(name, name, token, token, (nome, cidade, charge, rec) => {
        const both = { location: `pix.example.com/qr/v2/${charge}`, recLocation: `pix.example.com/qr/v2/rec/${rec}` };
        expect(readCode(writeCode({ nome, cidade }, both))).toEqual({ kind: 'DYNAMIC', ...both });
        const only = { recLocation: both.recLocation };
        expect(readCode(writeCode({ nome, cidade }, only))).toEqual({ kind: 'RECURRENCE', ...only });
      }),
    );
  });
});

describe('a code', () => {
  const rec = (path: string): string => `pix.example.com/${path}`;
  test.each([
    ['V1', { kind: 'STATIC', chave: evp }],
    ['V2', { kind: 'DYNAMIC', location }],
    ['V3', { kind: 'RECURRENCE', recLocation }],
    ['V4', { kind: 'STATIC', chave: evp, valor: '100.50' }],
    ['V5', { kind: 'DYNAMIC', location, recLocation }],
    ['V6', { kind: 'RECURRENCE', recLocation: rec('qr/v2/rec/2353c790eefb11eaadc10242ac120002') }],
    ['V9', { kind: 'DYNAMIC', location: rec('qr/93598be0-1bd0-4997-8318-81776a1d8a99') }],
    ['V10', { kind: 'STATIC', chave: 'rayane@alvoz.com.br' }],
    ['V11', { kind: 'STATIC', chave: evp, valor: '123.45', txid: 'RP12345678-2019' }],
    ['V12', { kind: 'STATIC', chave: evp, valor: '123.45', txid: 'RP12345678-2019' }],
    ['S1', { kind: 'DYNAMIC', location: rec('qr/v2/9d36b84fc70b478fb95c12729b90ca25') }],
    ['S2', { kind: 'STATIC', chave: 'fulano@example.com', valor: '10.00', txid: 'PEDIDO42' }],
    ['S3', { kind: 'STATIC', chave: 'a@b.co' }],
    ['S4', { kind: 'RECURRENCE', recLocation: rec('rec/aaa') }],
  ])('is read when it is the example %s', (id, code) => {
    expect(readCode(payloadOf(id))).toEqual(code);
  });

  test.each(vectors.filter(({ valid }) => !valid).map(({ id }) => id))('is not read when it is %s', (id) => {
    expect(payloadOf(id)).not.toBe('');
    expect(readCode(payloadOf(id))).toBeUndefined();
  });

  test('is read when its CRC is in lower case', () => {
    const text = payloadOf('V3');
    expect(readCode(`${text.slice(0, -4)}${text.slice(-4).toLowerCase()}`)).toEqual(readCode(text));
  });

  test('is not read when one of its characters is another', () => {
    const valid = vectors.filter((vector) => vector.valid).map(({ payload }) => payload);
    fc.assert(
      fc.property(fc.constantFrom(...valid), fc.nat(), fc.stringMatching(/^[ -~]$/u), (payload, place, character) => {
        const at = place % payload.length;
        const changed = `${payload.slice(0, at)}${character}${payload.slice(at + 1)}`;
        fc.pre(changed.toUpperCase() !== payload.toUpperCase());
        expect(readCode(changed)).toBeUndefined();
      }),
    );
  });

  test('is not read when it is any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
        expect(readCode(text)).toBeUndefined();
        expect(readCode(`000201${text}6304ABCD`)).toBeUndefined();
      }),
    );
  });
});
