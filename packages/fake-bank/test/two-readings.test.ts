import { expect, test } from 'vitest';
import { amountText, cents } from '#fake-bank/amounts.ts';
import { readCode, writeCode } from '#fake-bank/codes.ts';
import * as bankIds from '#fake-bank/ids.ts';
import { readKey } from '#fake-bank/keys.ts';
import * as bankTime from '#fake-bank/time.ts';
import { buildCompositeCode, buildDynamicCode, buildRecurrenceCode } from '#shared/core/br-code/build.ts';
import { parseBrCode } from '#shared/core/br-code/parse.ts';
import * as serviceTime from '#shared/core/brasilia-time.ts';
import * as serviceIds from '#shared/core/identifiers.ts';
import { centavos, formatAmount, parseAmount } from '#shared/core/money.ts';
import { recognisePixKey } from '#shared/core/pix-key.ts';
import { fc } from '#test/support/properties.ts';
import { testIds } from '#test/support/test-ids.ts';

// The bank and the service have a codec each, written apart from BCB's manuals: both must read and write the same.
// Known differences: the service also joins a wrapped code and reads lengths that count bytes, which EMV does not.

const runs = { numRuns: 500 };
const milliseconds = fc.integer({ min: Date.UTC(2019, 2), max: Date.UTC(2100, 0) });
const instant = milliseconds.map((ms) => bankTime.instantAt(ms));
const day = instant.map(bankTime.brasiliaDay);
const hex = fc.stringMatching(/^[0-9a-f]{32}$/u);

/** The service's reading, with the field names of the bank. */
function serviceReading(text: string) {
  const code = parseBrCode(text);
  switch (code.kind) {
    case 'INVALID':
      return undefined;
    case 'STATIC': {
      const { pixKey: chave, amount, txid } = code;
      const valor = amount === undefined ? {} : { valor: formatAmount(amount) };
      return { kind: 'STATIC', chave, ...valor, ...(txid !== undefined && { txid }) };
    }
    case 'DYNAMIC': {
      const { url: location, recurrenceUrl: recLocation } = code;
      return { kind: 'DYNAMIC', location, ...(recLocation !== undefined && { recLocation }) };
    }
    case 'RECURRENCE_ONLY':
      return { kind: 'RECURRENCE', recLocation: code.recurrenceUrl };
  }
}

test('a code that one of the two writes is read by the other', () => {
  const name = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => `N${text}`);
  fc.assert(
    fc.property(name, name, hex, hex, (nome, cidade, charge, rec) => {
      const location = `pix.example.com/qr/v2/${charge}`;
      const recLocation = `pix.example.com/qr/v2/rec/${rec}`;
      const merchant = { name: nome, city: cidade };
      const charged = { kind: 'DYNAMIC', location };
      const both = { ...charged, recLocation };
      const authorized = { kind: 'RECURRENCE', recLocation };
      expect(readCode(buildDynamicCode({ merchant, url: location }))).toEqual(charged);
      expect(readCode(buildCompositeCode({ merchant, url: location, recurrenceUrl: recLocation }))).toEqual(both);
      expect(readCode(buildRecurrenceCode({ merchant, recurrenceUrl: recLocation }))).toEqual(authorized);
      const receiver = { nome, cidade };
      expect(serviceReading(writeCode(receiver, { location }))).toEqual(charged);
      expect(serviceReading(writeCode(receiver, { location, recLocation }))).toEqual(both);
      expect(serviceReading(writeCode(receiver, { recLocation }))).toEqual(authorized);
    }),
    runs,
  );
});

const object = (id: string, value: string): string => `${id}${String(value.length).padStart(2, '0')}${value}`;
/** In most codes. */
const often = (value: fc.Arbitrary<string>) => fc.oneof({ weight: 40, arbitrary: value }, fc.constant(''));
const seldom = (value: fc.Arbitrary<string>) => fc.oneof({ weight: 5, arbitrary: fc.constant('') }, value);
const field = (id: string, ...values: readonly string[]) =>
  fc.constantFrom(...values).map((value) => object(id, value));
const url = fc.constantFrom(
  'pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441',
  'pix.example.com/rec/2353c790eefb11eaadc10242ac120002',
  'other.example.com/rec/2353c790eefb11eaadc10242ac120002',
  `pix.example.com/rec/${'a'.repeat(57)}`,
  'https://pix.example.com/cob/1',
  'pix.example.com',
  'pix.example.com/a b',
);
const template = (ids: readonly string[], values: readonly fc.Arbitrary<string>[]) =>
  fc
    .tuple(
      fc.constantFrom(...ids),
      fc.constantFrom('br.gov.bcb.pix', 'BR.GOV.BCB.PIX', 'br.com.outro'),
      fc.tuple(...values),
    )
    .map(([id, gui, objects]) => object(id, `${object('00', gui)}${objects.join('')}`.slice(0, 99)));
const location = url.map((text) => object('25', text));
const payment = template(
  ['26', '27', '51'],
  [
    fc.oneof(field('01', '52998224725', 'Fulano@example.com', '+5511943214321'), location, location),
    seldom(fc.oneof(field('02', 'Pedido 42'), field('03', '12345678'), location)),
  ],
);
const offer = fc.oneof(
  { weight: 4, arbitrary: template(['80', '85', '99'], [often(location)]) },
  field('90', '0014br.gov.bcb.pix25', 'free text', object('00', 'br.com.outro')),
);
/** Codes with a right CRC, of objects that are mostly as the manual has them. */
const anyCode = fc
  .tuple(
    seldom(field('01', '11', '12')),
    fc.oneof({ weight: 4, arbitrary: payment }, field('26', object('00', 'br.gov.bcb.pix'))),
    seldom(payment),
    often(field('52', '0000', '5999')),
    fc.oneof({ weight: 40, arbitrary: field('53', '986') }, field('53', '840')),
    seldom(
      field('54', '10.00', '0.01', '10.5', '10', '10.', '.50', '0.00', '1,00', '007.00', '9999999999.99', '1.000'),
    ),
    fc.oneof({ weight: 40, arbitrary: field('58', 'BR') }, field('58', 'br', 'US')),
    often(field('59', 'Fulano de Tal', 'F', 'João Ação')),
    often(field('60', 'BRASILIA', 'B')),
    seldom(field('61', '70074900')),
    often(field('62', object('05', '***'), object('05', 'PEDIDO42'), object('05', 'RP-1'), '0507***')),
    seldom(offer),
    seldom(offer),
  )
  .map((objects) => signed(`000201${objects.join('')}6304`));

/** With its CRC-16/CCITT-FALSE. */
function signed(text: string): string {
  const bits = Array.from(Buffer.from(text)).flatMap((byte) => Array.from(byte.toString(2).padStart(8, '0'), Number));
  const step = (rest: number, bit: number): number => ((rest << 1) & 0xffff) ^ (rest >> 15 === bit ? 0 : 0x1021);
  return `${text}${bits.reduce(step, 0xffff).toString(16).toUpperCase().padStart(4, '0')}`;
}

test('a code of any objects means the same to both', () => {
  fc.assert(
    fc.property(anyCode, (text) => {
      expect(readCode(text), text).toEqual(serviceReading(text));
    }),
    { numRuns: 2000 },
  );
});

test('ids are the same when their time and what is random in them are', () => {
  fc.assert(
    fc.property(instant, fc.stringMatching(/^[0-9A-Z]{8}$/u), fc.boolean(), (now, ispb, retries) => {
      expect(bankIds.endToEndId(ispb, now, testIds())).toBe(serviceIds.endToEndId(ispb, now, testIds()));
      expect(bankIds.returnId(ispb, now, testIds())).toBe(serviceIds.returnId(ispb, now, testIds()));
      expect(bankIds.recurrenceId({ retries, ispb, now, ids: testIds() })).toBe(
        serviceIds.recurrenceId({ retriesAllowed: retries, ispb, instant: now, ids: testIds() }),
      );
    }),
  );
});

test('an amount is the same number of centavos to both, and the same text', () => {
  const any = fc.oneof(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 1, max: 999_999_999_999 }));
  fc.assert(
    fc.property(any, (count) => {
      expect(amountText(count)).toBe(formatAmount(centavos(count)));
      expect(cents(formatAmount(centavos(count)))).toBe(parseAmount(amountText(count)));
    }),
    runs,
  );
});

test('a key is of the same kind to both, or no key to both', () => {
  const valid = fc.constantFrom(
    ...['52998224725', '11222333000181', '12ABC34501DE35', '12abc34501de35', '+5511943214321', '+551133334444'],
    ...['+351912345678', 'Fulano@Example.com', 'a@b', '123e4567-e12b-12d1-a456-426655440000'],
  );
  const changed = fc.tuple(valid, fc.nat(), fc.stringMatching(/^[ -~é]?$/u)).map(([key, place, character]) => {
    const at = place % (key.length + 1);
    return `${key.slice(0, at)}${character}${key.slice(at + 1)}`;
  });
  const any = fc.oneof(valid, changed, fc.stringMatching(/^\+?\d{2,18}$/u), fc.emailAddress(), fc.uuid());
  fc.assert(
    fc.property(any, (text) => {
      const key = readKey(text);
      const kind = key?.kind === 'EVP' ? 'RANDOM' : key?.kind;
      const serviceKey = recognisePixKey(text);
      expect({ kind, chave: key?.chave }, text).toEqual({ kind: serviceKey?.type, chave: serviceKey?.key });
    }),
    { numRuns: 3000 },
  );
});

test('a time is the same instant and the same day of Brasilia to both', () => {
  fc.assert(
    fc.property(instant, day, fc.integer({ min: 0, max: 60 }), (now, from, count) => {
      expect(bankTime.brasiliaDay(now)).toBe(serviceTime.brasiliaDate(now));
      expect(bankTime.brasiliaMinute(now)).toBe(serviceTime.brasiliaMinuteOfDay(now));
      expect(bankTime.plusSeconds(now, count)).toBe(serviceTime.plusSeconds(now, count));
      expect(bankTime.plusDays(from, count)).toBe(serviceTime.plusDays(from, count));
      expect(bankTime.plusMonths(from, count)).toBe(serviceTime.plusMonths(from, count));
      expect(bankTime.nextWeekday(from)).toBe(serviceTime.nextWeekday(from));
      expect(bankTime.daysBetween(from, bankTime.plusMonths(from, count))).toBe(
        serviceTime.daysBetween(from, serviceTime.plusMonths(from, count)),
      );
    }),
    runs,
  );
});

test('a text is a time or a day to both, or to neither', () => {
  const parts = (...strings: readonly string[]) => fc.constantFrom(...strings);
  const dayText = parts('2026-11-26', '2028-02-29', '2026-02-29', '2026-04-31', '2026-13-01', '2026-00-10', '2026-1-1');
  const timeText = fc
    .tuple(
      dayText,
      parts('T', 't', ' ', ''),
      parts('00:00:00', '23:59:59', '24:00:00', '12:60:00', '12:00:60', '12:00', '12:00:00.5', '12:00:00.1234567'),
      parts('Z', 'z', '-03:00', '+05:30', '-0300', '+24:00', ''),
    )
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.oneof(dayText, timeText), (text) => {
      expect(bankTime.isDay(text), text).toBe(serviceTime.isLocalDate(text));
      expect(bankTime.readInstant(text), text).toBe(serviceTime.parseInstant(text));
    }),
    { numRuns: 1000 },
  );
});
