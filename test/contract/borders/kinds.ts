import { crc16, encodeObject } from '#shared/core/br-code/tlv.ts';

/**
 * The borders of a kind of field, written by hand from what was promised to partners and never computed from a schema:
 * the smallest and largest values that are accepted, and those one beyond with their issue.
 */
export type Kind = {
  readonly accepted: readonly [unknown, ...unknown[]];
  /** Of a value with two faults both issues, with a blank between. `where`: another field that is named. */
  readonly refused: readonly (readonly [value: unknown, issues: string, where?: string])[];
};

const times = (count: number, character = 'x'): string => character.repeat(count);

/** A text of 1 to `most` characters; one beyond Unicode's first plane is one character (JSON Schema, RFC 8259). */
const characters = (most: number): Kind => ({
  accepted: ['x', times(most), times(most, '😀')],
  refused: [
    ['', 'TOO_SHORT'],
    [times(most + 1), 'TOO_LONG'],
    [times(most + 1, '😀'), 'TOO_LONG'],
  ],
});

/** The same of letters and digits alone. */
const plain = (most: number): Kind => ({
  accepted: ['1', times(most, '1')],
  refused: [
    ['', 'TOO_SHORT'],
    [times(most + 1, '1'), 'TOO_LONG'],
  ],
});

/** A whole number of a body. */
const whole = (least: number, most: number): Kind => ({
  accepted: [least, most],
  refused: [
    [least - 1, 'OUT_OF_RANGE'],
    [most + 1, 'OUT_OF_RANGE'],
  ],
});

/** A UUID has 36 places, in either case. */
export const uuid: Kind = {
  accepted: ['00000000-0000-0000-0000-000000000000', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF'],
  refused: [
    ['00000000-0000-0000-0000-00000000000', 'INVALID_FORMAT'],
    ['00000000-0000-0000-0000-0000000000000', 'INVALID_FORMAT'],
    ['g0000000-0000-0000-0000-000000000000', 'INVALID_FORMAT'],
    ['', 'INVALID_FORMAT'],
  ],
};

/** 1 to 255 printable characters of ASCII. */
export const key: Kind = {
  accepted: ['!', '~', times(255)],
  refused: [
    ['', 'TOO_SHORT'],
    [times(256), 'TOO_LONG'],
    ['\u001f', 'INVALID_FORMAT'],
    ['\u007f', 'INVALID_FORMAT'],
  ],
};

/** 4.3 of the specification: a UUID, at most 64 characters. */
export const uuidKey: Kind = {
  accepted: uuid.accepted,
  refused: [
    ['', 'TOO_SHORT'],
    [times(35, '0'), 'INVALID_FORMAT'],
    [times(64, '0'), 'INVALID_FORMAT'],
    [times(65, '0'), 'TOO_LONG'],
  ],
};

export const externalId: Kind = {
  ...characters(64),
  refused: [...characters(64).refused, [` ${times(63)}`, 'INVALID_FORMAT'], [`${times(63)} `, 'INVALID_FORMAT']],
};
export const name = characters(140);
export const description = characters(140);
export const eventName = characters(100);
export const partOfEmail = characters(254);
export const cursor = characters(1024);
/** Of a path: whatever is no id of an order is 404, not 400. */
export const orderId: Kind = { accepted: ['x', times(4000)], refused: [] };
export const endToEndId = characters(64);
export const document = plain(40);

/** 2 characters of scheme and slashes are not counted apart: the whole text has at most 2048. */
export const url: Kind = {
  accepted: ['x', `https://partner.example.com/${times(2020)}`],
  refused: [
    ['', 'TOO_SHORT'],
    [`https://partner.example.com/${times(2021)}`, 'TOO_LONG'],
  ],
};

/** 4.7 of the specification: 1 to 100. */
export const limit: Kind = {
  accepted: ['1', '100'],
  refused: [
    ['0', 'OUT_OF_RANGE'],
    ['101', 'OUT_OF_RANGE'],
    ['-1', 'INVALID_TYPE'],
  ],
};

/** One centavo to 9 999 999 999.99, as a text or as a number. */
export const amount: Kind = {
  accepted: ['0.01', 0.01, '9999999999.99', 9_999_999_999.99],
  refused: [
    ['0.00', 'INVALID_FORMAT'],
    [0, 'INVALID_FORMAT'],
    ['0.009', 'INVALID_FORMAT'],
    ['10000000000.00', 'INVALID_FORMAT'],
    [10_000_000_000, 'INVALID_FORMAT'],
  ],
};

/** 11 digits of a CPF. */
export const cpf: Kind = {
  accepted: ['00000000191', '52998224725'],
  refused: [
    ['', 'TOO_SHORT INVALID_FORMAT'],
    ['0000000191', 'INVALID_FORMAT'],
    ['000000000191', 'INVALID_FORMAT'],
    [times(15, '0'), 'TOO_LONG INVALID_FORMAT'],
  ],
};

/** 14 places of a CNPJ. */
export const cnpj: Kind = {
  accepted: ['00000000000191', '12ABC34501DE35'],
  refused: [
    ['', 'TOO_SHORT INVALID_FORMAT'],
    ['0000000000191', 'INVALID_FORMAT'],
    ['000000000000191', 'TOO_LONG INVALID_FORMAT'],
  ],
};

/** Days that can be computed with. */
export const day: Kind = {
  accepted: ['1900-01-01', '2999-12-31'],
  refused: [
    ['1899-12-31', 'INVALID_FORMAT'],
    ['3000-01-01', 'INVALID_FORMAT'],
    ['2030-02-29', 'INVALID_FORMAT'],
    ['2030-00-10', 'INVALID_FORMAT'],
    ['2030-13-10', 'INVALID_FORMAT'],
  ],
};

/** The same, of a day that may not be before 1900-01-01 either. */
export const endDay: Kind = {
  accepted: day.accepted,
  refused: [['1899-12-31', 'INVALID_FORMAT OUT_OF_RANGE'], ...day.refused.slice(1)],
};

/** Years of four digits; the offset counts. */
export const moment: Kind = {
  accepted: ['1900-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '2030-01-01T00:00:00+23:59'],
  refused: [
    ['1899-12-31T23:59:59.999Z', 'INVALID_FORMAT'],
    ['10000-01-01T00:00:00Z', 'INVALID_FORMAT'],
    ['9999-12-31T23:59:59-00:01', 'INVALID_FORMAT'],
    ['2030-01-01T24:00:00Z', 'INVALID_FORMAT'],
    ['2030-01-01T00:60:00Z', 'INVALID_FORMAT'],
    ['2030-01-01T00:00:60Z', 'INVALID_FORMAT'],
    ['2030-01-01T00:00:00+24:00', 'INVALID_FORMAT'],
  ],
};

/** A minute to 30 days. */
export const lifeOfPayIn = whole(60, 2_592_000);
/** Nothing to 7 days. */
export const overlap = whole(0, 604_800);
/** Nothing to ten years. */
export const advance = whole(0, 316_224_000);

/** The DICT's keys: an e-mail of 77 characters, a phone of 3 to 15 digits. */
export const pixKey: Kind = {
  accepted: ['a@b', `${times(71)}@b.com`, '+123', `+${times(15, '5')}`, '52998224725', '11222333000181'],
  refused: [
    ['', 'TOO_SHORT INVALID_FORMAT'],
    [`${times(72)}@b.com`, 'TOO_LONG INVALID_FORMAT'],
    ['+12', 'INVALID_FORMAT'],
    [`+${times(16, '5')}`, 'INVALID_FORMAT'],
  ],
};

/** Of type EMAIL. */
export const emailKey: Kind = {
  accepted: ['a@b', `${times(71)}@b.com`],
  refused: [
    ['', 'TOO_SHORT INVALID_FORMAT'],
    [`${times(72)}@b.com`, 'TOO_LONG INVALID_FORMAT'],
  ],
};

/** Of type CNPJ, of 14 places in a text that may have 77. */
export const cnpjKey: Kind = {
  accepted: cnpj.accepted,
  refused: [
    ['0000000000191', 'INVALID_FORMAT'],
    ['000000000000191', 'INVALID_FORMAT'],
    [times(78, '0'), 'TOO_LONG INVALID_FORMAT'],
  ],
};

/** Of type PHONE. */
export const phoneKey: Kind = {
  accepted: ['+123', `+${times(15, '5')}`],
  refused: [
    ['+12', 'INVALID_FORMAT'],
    [`+${times(16, '5')}`, 'INVALID_FORMAT'],
  ],
};

/** A static code of so many characters: two reserved templates fill it up. */
function brCode(length: number): string {
  const account = encodeObject('26', encodeObject('00', 'br.gov.bcb.pix') + encodeObject('01', 'maria@example.com'));
  const shown = encodeObject('59', 'MARIA') + encodeObject('60', 'SAO PAULO');
  const start = `${encodeObject('00', '01')}${account}520400005303986${encodeObject('58', 'BR')}${shown}`;
  const filled = ['65', '66', '67', '68', '69'].reduce((text, id) => {
    const left = length - 8 - text.length;
    return left < 5 ? text : text + encodeObject(id, times(left - 4 > 99 ? Math.min(99, left - 9) : left - 4));
  }, start);
  return `${filled}6304${crc16(`${filled}6304`)}`;
}

/** 512 characters of a BR Code, and with the blanks around it 600. */
export const qrCode: Kind = {
  accepted: [brCode(140), brCode(512), `${times(44, ' ')}${brCode(512)}${times(44, ' ')}`],
  refused: [
    ['', 'TOO_SHORT INVALID_FORMAT'],
    [brCode(513), 'TOO_LONG'],
    [`${times(44, ' ')}${brCode(512)}${times(45, ' ')}`, 'TOO_LONG'],
  ],
};

const grammar = (accepted: Kind['accepted'], ...refused: readonly string[]): Kind => ({
  accepted,
  refused: refused.map((value) => [value, 'INVALID_FORMAT']),
});
export const ispb = grammar(['00000000', 'ZZZZZZZZ'], '', times(7, '0'), times(9, '0'));
/** COMPE numbers that banks have. */
export const bankNumber: Kind = {
  accepted: ['1', '001', '757'],
  refused: [
    ['', 'INVALID_FORMAT INVALID_VALUE'],
    ['0001', 'INVALID_FORMAT INVALID_VALUE'],
  ],
};
export const branchNumber = grammar(['0', '9999', '9999-X', '99999'], '', '99999-X', '999999');
export const code = grammar(['000000', '999999'], '', '00000', '0000000');
export const accountNumber: Kind = {
  accepted: ['0', times(20, '9'), `${times(18, '9')}-X`],
  refused: [
    ['', 'INVALID_FORMAT'],
    [times(21, '9'), 'TOO_LONG'],
    [`${times(19, '9')}-X`, 'TOO_LONG'],
  ],
};

/** The answer to a claim, up to 1000 characters. */
export const defence = characters(1000);

const evidence = (path: string): string => `https://partner.example.com/${path}`;
const some = (count: number): readonly string[] => Array.from({ length: count }, (_, place) => evidence(String(place)));
/** None to five. */
export const documents: Kind = { accepted: [[], some(5)], refused: [[some(6), 'TOO_LONG']] };
/** `https`, up to 2048 characters. */
export const documentUrl: Kind = {
  accepted: ['https://a', `https://${times(2040)}`],
  refused: [
    [`https://${times(2041)}`, 'TOO_LONG'],
    ['http://partner.example.com/1', 'INVALID_FORMAT'],
    ['https:///1', 'INVALID_FORMAT'],
    ['', 'TOO_SHORT INVALID_FORMAT'],
  ],
};

const endpoint = (type: string) => ({ type, endpoint: 'https://partner.example.com/webhooks' });
const types = ['PAYIN', 'PAYIN_REFUND', 'PAYOUT', 'CREDIT', 'DISPUTE'];

/** None, or one of each type; the sixth can only repeat a type, and a list of 21 is not even looked through. */
export const endpoints: Kind = {
  accepted: [[], types.map(endpoint)],
  refused: [[[...types, 'PAYIN'].map(endpoint), 'INVALID_VALUE', 'events.5.type']],
};
