import { describe, expect, it } from 'vitest';
import { buildCompositeCode, buildDynamicCode, buildRecurrenceCode } from '#shared/core/br-code/build.ts';
import { buildStaticCode } from '#test/support/static-code.ts';
import { crc16, encodeObject } from '#shared/core/br-code/tlv.ts';
import { brCodeText, parseBrCode } from '#shared/core/br-code/parse.ts';
import { centavos, maxAmount } from '#shared/core/money.ts';
import { fc } from '#test/support/properties.ts';

import vectors from '../br-code-vectors.json' with { type: 'json' };

const valid = vectors.filter((vector) => vector.valid);
const gui = encodeObject('00', 'br.gov.bcb.pix');
const key = encodeObject('01', 'fulano@example.com');
const charge = encodeObject('25', 'pix.example.com/cob/aaa');
const recurrence = encodeObject('25', 'pix.example.com/rec/aaa');

/**
 * Root objects by id, to which a case adds or changes some; `undefined` takes one away, an empty text leaves it empty.
 * CRC and frame are right.
 */
function code(changes: Record<string, string | undefined>): string {
  const plain = { '26': gui + key, '52': '0000', '53': '986', '58': 'BR', '59': 'F', '60': 'B' };
  const objects: Record<string, string | undefined> = { ...plain, ...changes };
  const written = Object.entries(objects).map(([id, value]) =>
    value === undefined ? '' : value === '' ? `${id}00` : encodeObject(id, value),
  );
  return signed(`000201${written.join('')}`);
}

function signed(body: string): string {
  return `${body}6304${crc16(`${body}6304`)}`;
}

const invalid = (reason: string) => ({ kind: 'INVALID', reason });

describe('a published code', () => {
  it.each(vectors)('$id ($kind) is parsed into its expected result', ({ payload, expected }) => {
    expect(parseBrCode(payload)).toStrictEqual(expected);
  });

  it.each(valid)('$id ends with the CRC of its other characters', ({ payload }) => {
    expect(crc16(payload.slice(0, -4))).toBe(payload.slice(-4));
  });

  it.each(valid)('$id is the same code with a lower-case CRC and with blanks around it', ({ payload, expected }) => {
    expect(parseBrCode(` \n${payload.slice(0, -4)}${payload.slice(-4).toLowerCase()}\t`)).toEqual(expected);
  });
});

describe('a static, dynamic or recurrence code', () => {
  const isStatic = { kind: 'STATIC', pixKey: 'fulano@example.com' };
  const isDynamic = { kind: 'DYNAMIC', url: 'pix.example.com/cob/aaa' };

  it.each(['11', '12'])('has the same kind when its point of initiation is %s', (initiation) => {
    expect(parseBrCode(code({ '01': initiation }))).toEqual(isStatic);
    expect(parseBrCode(code({ '01': initiation, '26': gui + charge }))).toEqual(isDynamic);
  });

  it('is parsed without a point of initiation', () => {
    expect(parseBrCode(code({ '26': gui + charge }))).toEqual(isDynamic);
  });

  it('is found in template 26 and in template 51, with the GUI in any case of letters', () => {
    const otherArrangement = encodeObject('00', 'br.com.outro') + encodeObject('01', 'abc');
    const shouted = encodeObject('00', 'Br.Gov.BCB.Pix') + key;
    expect(parseBrCode(code({ '26': otherArrangement, '51': shouted }))).toEqual(isStatic);
    expect(parseBrCode(code({ '26': shouted, '51': otherArrangement }))).toEqual(isStatic);
  });

  it('is refused as NOT_PIX when no template from 26 to 51 has the GUI', () => {
    expect(parseBrCode(code({ '26': undefined, '25': gui + key }))).toEqual(invalid('NOT_PIX'));
    expect(parseBrCode(code({ '26': undefined, '80': gui + recurrence }))).toEqual(invalid('NOT_PIX'));
  });

  it.each(['80', '85', '99'])(
    'is RECURRENCE_ONLY when template %s has a recurrence, and template 26 has no key and no charge',
    (id) => {
      const expected = { kind: 'RECURRENCE_ONLY', recurrenceUrl: 'pix.example.com/rec/aaa' };
      expect(parseBrCode(code({ '26': gui, [id]: gui + recurrence }))).toEqual(expected);
    },
  );

  it('has no recurrence when the template names another arrangement', () => {
    const otherArrangement = encodeObject('00', 'br.com.outro') + recurrence;
    expect(parseBrCode(code({ '80': otherArrangement }))).toEqual(isStatic);
    expect(parseBrCode(code({ '26': gui, '80': otherArrangement }))).toEqual(invalid('NOT_PIX'));
  });

  it('stays payable when only the offered recurrence cannot be read', () => {
    expect(parseBrCode(code({ '80': gui }))).toEqual(isStatic);
    expect(parseBrCode(code({ '26': gui + charge, '80': gui + encodeObject('25', 'https://x') }))).toEqual(isDynamic);
  });

  it('takes amount and txid from a static code only', () => {
    const more = { '54': '10.00', '62': encodeObject('05', 'PEDIDO42') };
    expect(parseBrCode(code(more))).toEqual({ ...isStatic, amount: 1000, txid: 'PEDIDO42' });
    expect(parseBrCode(code({ ...more, '54': 'nonsense', '26': gui + charge }))).toEqual(isDynamic);
  });

  it.each([
    ['10.', 1000],
    ['0010.', 1000],
    ['10.5', 1050],
    ['7', 700],
  ])('reads the amount %s', (text, amount) => {
    expect(parseBrCode(code({ '54': text }))).toEqual({ ...isStatic, amount });
  });

  it.each<[string, Record<string, string>]>([
    ['message', { '26': `${gui}${key}0200` }],
    ['txid', { '62': '0500' }],
    ['amount', { '54': '' }],
    ['additional data', { '62': '' }],
    ['template of another arrangement', { '27': '' }],
    ['recurrence', { '80': `${gui}2500` }],
    ['template of a recurrence', { '80': '' }],
    ['charge beside the key', { '26': `${gui}${key}2500` }],
    ['facilitator', { '26': `${gui}${key}0300` }],
  ])('is read as if an empty %s were not there', (_what, empty) => {
    expect(parseBrCode(code(empty))).toEqual(isStatic);
  });

  it('has an amount with leading zeros, and no txid when that is three asterisks or missing', () => {
    expect(parseBrCode(code({ '54': '0000000010.00', '62': encodeObject('05', '***') }))).toEqual({
      ...isStatic,
      amount: 1000,
    });
    expect(parseBrCode(code({ '62': encodeObject('07', 'T1') }))).toEqual(isStatic);
  });
});

describe('text in UTF-8', () => {
  const object = (id: string, length: number, value: string): string =>
    `${id}${String(length).padStart(2, '0')}${value}`;
  const inCharacters = (id: string, value: string): string => object(id, Array.from(value).length, value);
  const inBytes = (id: string, value: string): string => object(id, Buffer.byteLength(value), value);
  const written = (count: typeof inBytes, fields: { info: string; name: string; city: string }): string =>
    signed(
      [
        '000201',
        count('26', gui + key + count('02', fields.info)),
        '520400005303986540510.005802BR',
        count('59', fields.name) + count('60', fields.city),
        count('62', count('05', 'PEDIDO42')),
      ].join(''),
    );
  const donation = { info: 'Doação de inverno', name: 'Associação Irmã Dulce', city: 'SÃO LUÍS' };
  const paid = { kind: 'STATIC', pixKey: 'fulano@example.com', amount: 1000, txid: 'PEDIDO42' };

  it.each([
    ['characters', inCharacters],
    ['bytes', inBytes],
  ])('is read in message, name and city when lengths count %s', (_unit, count) => {
    expect(parseBrCode(written(count, donation))).toEqual({ ...paid, info: donation.info });
  });

  it('counts a character beyond the first plane once', () => {
    const info = '🎄 de Natal';
    expect(parseBrCode(written(inCharacters, { ...donation, info }))).toEqual({ ...paid, info });
  });

  it('has the checksum of its bytes', () => {
    const text = written(inCharacters, donation);
    expect(crc16('ção')).toBe('DDFE');
    expect(parseBrCode(`${text.slice(0, -4)}${text.endsWith('0000') ? '0001' : '0000'}`)).toEqual(invalid('WRONG_CRC'));
  });

  it('is read in the name of a dynamic code', () => {
    const expected = { kind: 'DYNAMIC', url: 'pix.example.com/cob/aaa' };
    expect(parseBrCode(code({ '26': gui + charge, '59': 'Padaria São João' }))).toEqual(expected);
  });

  // In bytes the name ends after the accents: what follows is an object of its own.
  it.each([
    ['an amount', '540550.00'],
    ['a txid', '62060502AB'],
  ])('is refused when its lengths in bytes give %s that its lengths in characters do not', (_what, hidden) => {
    const name = 'é'.repeat(hidden.length) + hidden;
    expect(parseBrCode(code({ '59': name }))).toEqual(invalid('AMBIGUOUS'));
  });

  it('is read when both counts of its lengths lead to one payment', () => {
    const postalCode = '610501310';
    const expected = { kind: 'STATIC', pixKey: 'fulano@example.com' };
    expect(parseBrCode(code({ '59': 'é'.repeat(9) + postalCode }))).toEqual(expected);
  });
});

it.each<[string, (text: string) => string]>([
  ['blanks around it', (text) => ` \r\n${text}\t\n`],
  ['line breaks inside', (text) => text.replaceAll(/.{20}/gu, '$&\r\n')],
  ['indented lines', (text) => text.replaceAll(/.{20}/gu, '$&\n  ')],
  ['a line break after a blank of its own', (text) => text.replace(' ', ' \n')],
])('a copied code with %s is parsed as the original text', (_name, copied) => {
  const text = code({ '59': 'Fulano de Tal' });
  expect(brCodeText(copied(text))).toBe(text);
  expect(parseBrCode(copied(text))).toEqual(parseBrCode(text));
});

it('a code with line breaks is left unchanged when its checksum is wrong without them', () => {
  const text = `${code({}).slice(0, 20)}\n${code({}).slice(21)}`;
  expect(brCodeText(text)).toBe(text);
  expect(parseBrCode(text)).toMatchObject({ kind: 'INVALID' });
});

it('a code of 512 characters is parsed when most of it is unknown objects', () => {
  const rest = 512 - code({}).length;
  const unknown = Object.fromEntries([65, 66, 67, 68].map((id) => [id, 'x'.repeat(80)]));
  const last = rest - 4 * 84 - 4;
  const longest = code({ ...unknown, 69: 'x'.repeat(last) });
  expect(longest).toHaveLength(512);
  expect(parseBrCode(longest)).toStrictEqual({ kind: 'STATIC', pixKey: 'fulano@example.com' });
});

it('a code is parsed when a template names no arrangement', () => {
  const nameless = encodeObject('01', 'abc');
  expect(parseBrCode(code({ '27': nameless, '80': nameless }))).toMatchObject({ kind: 'STATIC' });
});

describe('a code is refused', () => {
  const good = code({});

  it.each([
    ['no text', '', 'NOT_A_BR_CODE'],
    ['another format version', good.replace('000201', '000202'), 'NOT_A_BR_CODE'],
    ['no CRC', good.slice(0, -8), 'NOT_A_BR_CODE'],
    ['a character before it', `x${good}`, 'NOT_A_BR_CODE'],
    ['a character after it', `${good}x`, 'NOT_A_BR_CODE'],
    ['a CRC that is not hexadecimal', `${good.slice(0, -1)}G`, 'NOT_A_BR_CODE'],
    ['a wrong CRC', `${good.slice(0, -4)}${good.endsWith('0000') ? '0001' : '0000'}`, 'WRONG_CRC'],
    ['513 characters', good.padEnd(513, '0'), 'TOO_LONG'],
    ['a line end inside', good.replace('5901F', '5901\n'), 'UNREADABLE'],
    ['an invisible character', code({ '59': 'F\u200b' }), 'UNREADABLE'],
    ['half of a surrogate pair', code({ '59': 'F\ud83d' }), 'UNREADABLE'],
    ['a key beyond ASCII', code({ '26': gui + encodeObject('01', 'joão@example.com') }), 'NOT_ASCII'],
    ['a txid beyond ASCII', code({ '62': encodeObject('05', 'DOAÇÃO') }), 'NOT_ASCII'],
    ['an amount in other digits', code({ '54': '١٠.00' }), 'BAD_AMOUNT'],
    ['a charge beyond ASCII', code({ '26': gui + encodeObject('25', 'pix.example.com/ção') }), 'BAD_URL'],
    ['a length beyond the end', signed('0002015925x'), 'BROKEN_TLV'],
    ['a CRC inside the last object', signed(`${good.slice(0, -8)}6108`), 'BROKEN_TLV'],
    ['a malformed template of Pix', code({ '26': `${gui}0199a` }), 'BROKEN_TLV'],
    ['a malformed template of another arrangement', code({ '27': 'broken' }), 'BROKEN_TLV'],
    ['malformed additional data', code({ '62': '0599a' }), 'BROKEN_TLV'],
    ['an object twice', signed(`${good.slice(0, -8)}5901G`), 'DUPLICATE_OBJECT'],
    ['a key twice', code({ '26': gui + key + key }), 'DUPLICATE_OBJECT'],
    ['no merchant category', code({ '52': undefined }), 'MISSING_OBJECT'],
    ['no currency', code({ '53': undefined }), 'MISSING_OBJECT'],
    ['no country', code({ '58': undefined }), 'MISSING_OBJECT'],
    ['no merchant name', code({ '59': undefined }), 'MISSING_OBJECT'],
    ['no merchant city', code({ '60': undefined }), 'MISSING_OBJECT'],
    ['an empty merchant city', code({ '60': '' }), 'MISSING_OBJECT'],
    ['an empty key', code({ '26': `${gui}0100` }), 'NOT_PIX'],
    ['an empty template of Pix', code({ '26': '' }), 'NOT_PIX'],
    ['the currency of dollars', code({ '53': '840' }), 'NOT_BRAZILIAN'],
    ['another country', code({ '58': 'AR' }), 'NOT_BRAZILIAN'],
    ['the template of another arrangement only', code({ '26': encodeObject('00', 'br.com.outro') + key }), 'NOT_PIX'],
    ['neither key nor charge nor recurrence', code({ '26': gui }), 'NOT_PIX'],
    ['a facilitator of Pix Saque', code({ '26': gui + key + encodeObject('03', '60701190') }), 'CASH_OUT'],
    [
      'a facilitator of Pix Troco',
      code({ '54': '80.00', '26': gui + key + encodeObject('03', '00000000') }),
      'CASH_OUT',
    ],
    ['key and charge', code({ '26': gui + key + charge }), 'AMBIGUOUS'],
    ['two templates of Pix', code({ '27': gui + encodeObject('01', 'another@example.com') }), 'AMBIGUOUS'],
    ['two recurrences', code({ '80': gui + recurrence, '81': gui + recurrence }), 'AMBIGUOUS'],
    ['a charge with a scheme', code({ '26': gui + encodeObject('25', 'https://pix.example.com/a') }), 'BAD_URL'],
    ['a charge without a path', code({ '26': gui + encodeObject('25', 'pix.example.com') }), 'BAD_URL'],
    ['only a recurrence that is no address', code({ '26': gui, '80': gui + encodeObject('25', 'x') }), 'BAD_URL'],
    ['an amount of zero', code({ '54': '0.00' }), 'BAD_AMOUNT'],
    ['an amount of zero with a point', code({ '54': '0.' }), 'BAD_AMOUNT'],
    ['a point as amount', code({ '54': '.' }), 'BAD_AMOUNT'],
    ['an amount with two points', code({ '54': '10..' }), 'BAD_AMOUNT'],
    ['an amount with a comma', code({ '54': '10,00' }), 'BAD_AMOUNT'],
    ['an amount of 11 digits of reais', code({ '54': '10000000000.00' }), 'BAD_AMOUNT'],
  ])('when it has %s', (_, text, reason) => {
    expect(parseBrCode(text)).toEqual(invalid(reason));
  });
});

describe('a built code', () => {
  const host = fc.constantFrom('pix.example.com', 'qr.bank.com.br');
  const token = fc.stringMatching(/^[0-9a-f]{32}$/);
  const merchant = fc.record({
    name: fc.string().map((text) => `N${text}`),
    city: fc.string({ unit: 'grapheme' }).map((text) => `C${text}`),
  });
  const staticInput = fc.record(
    {
      merchant,
      pixKey: fc.stringMatching(/^[!-~]{1,40}$/),
      info: fc.stringMatching(/^[!-~]{1,33}$/),
      amount: fc.integer({ min: 1, max: maxAmount }).map(centavos),
      txid: fc.stringMatching(/^[A-Za-z0-9]{1,25}$/),
      recurrenceUrl: fc.tuple(host, token).map(([name, id]) => `${name}/rec/${id}`),
    },
    { requiredKeys: ['merchant', 'pixKey'] },
  );

  it('is parsed back into its input when it is static', () => {
    fc.assert(
      fc.property(staticInput, (input) => {
        const { merchant: _, ...expected } = input;
        expect(parseBrCode(buildStaticCode(input))).toEqual({ kind: 'STATIC', ...expected });
      }),
    );
  });

  it('is parsed back into its URLs, within 512 characters, when it is dynamic, recurrence or composite', () => {
    fc.assert(
      fc.property(merchant, host, token, token, (shop, name, one, other) => {
        const url = `${name}/qr/v2/cob/${one}`;
        const recurrenceUrl = `${name}/qr/v2/rec/${other}`;
        const composite = buildCompositeCode({ merchant: shop, url, recurrenceUrl });
        expect(parseBrCode(buildDynamicCode({ merchant: shop, url }))).toEqual({ kind: 'DYNAMIC', url });
        expect(parseBrCode(buildRecurrenceCode({ merchant: shop, recurrenceUrl }))).toEqual({
          kind: 'RECURRENCE_ONLY',
          recurrenceUrl,
        });
        expect(parseBrCode(composite)).toEqual({ kind: 'DYNAMIC', url, recurrenceUrl });
        expect(composite.length).toBeLessThanOrEqual(512);
      }),
    );
  });
});

describe('a received text', () => {
  it('is never taken for another code when one character was changed', () => {
    const mutation = fc.tuple(
      fc.constantFrom(...valid),
      fc.nat(),
      fc.oneof(fc.string({ minLength: 1, maxLength: 1 }), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })),
    );
    fc.assert(
      fc.property(mutation, ([{ payload, expected }, place, character]) => {
        const at = place % payload.length;
        const mutated = payload.slice(0, at) + character + payload.slice(at + 1);
        const read = parseBrCode(mutated);
        if (mutated.toUpperCase() === payload.toUpperCase() && at >= payload.length - 4) {
          expect(read).toEqual(expected);
        } else if (mutated !== payload && character <= '\x7f') {
          expect(read.kind).toBe('INVALID');
        } else if (mutated !== payload && read.kind !== 'INVALID') {
          // 16 bits cannot tell every change of several bytes: it is in a name, and the payment is the same.
          expect(read).toEqual(expected);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('is never taken for another code when two neighbours were exchanged', () => {
    fc.assert(
      fc.property(fc.constantFrom(...valid), fc.nat(), ({ payload, expected }, place) => {
        const at = place % (payload.length - 1);
        const [one, other] = [payload.charAt(at), payload.charAt(at + 1)];
        const read = parseBrCode(payload.slice(0, at) + other + one + payload.slice(at + 2));
        if (one === other) expect(read).toEqual(expected);
        else expect(read.kind).toBe('INVALID');
      }),
    );
  });

  it('is parsed without an exception when it has any characters', () => {
    const framed = fc.string({ unit: 'grapheme-ascii', maxLength: 400 }).map((text) => signed(`000201${text}`));
    const digits = fc.stringMatching(/^[0-9]{0,200}$/).map((text) => signed(`000201${text}`));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), framed, digits), (text) => {
        expect(['STATIC', 'DYNAMIC', 'RECURRENCE_ONLY', 'INVALID']).toContain(parseBrCode(text).kind);
      }),
      { numRuns: 500 },
    );
  });
});
