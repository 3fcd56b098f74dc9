import { describe, expect, test } from 'vitest';
import { PackedMembers, packMembers, PackedText, packText } from '#shared/platform/table/packed.ts';
import { fc } from '../support/properties.ts';

describe('a packed text', () => {
  test('is given back as it was, to the byte', () => {
    const texts = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 3000 }), fc.json(), fc.constant(''));
    fc.assert(
      fc.property(texts, (text) => {
        expect(PackedText.parse(packText(text))).toBe(text);
      }),
    );
  });

  test('can be read for ever: items hold what this was packed with', () => {
    const kept = Buffer.from('01ab86310e2fc79b4e6a01', 'hex');
    expect(PackedText.parse(new Uint8Array(kept))).toBe('{"code":"ç","event":"ORDER-PAYOUT.PAID"}');
    const pieces = [
      '"settlementDate":"',
      'INITIAL',
      '00020101021226840014br.gov.bcb.pix25',
      '"@gmail.com"',
      'PAYMENT_ACCOUNT',
    ];
    expect(PackedText.parse(new Uint8Array(Buffer.from('01c36caae8406b641d62ea081d949c81660b00', 'hex')))).toBe(
      pieces.join(),
    );
  });

  test.each([
    ['text', 'a'],
    ['nothing', undefined],
    ['no bytes', new Uint8Array()],
    ['another version', Uint8Array.of(2, ...packText('a').slice(1))],
    ['a piece of one', packText('a text that is cut').slice(0, 8)],
    ['zeros without end', new Uint8Array(100)],
  ])('is not read from %s', (_, stored) => {
    expect(PackedText.safeParse(stored).success).toBe(false);
  });
});

describe('packed members', () => {
  test('are given back in their order, without what is undefined', () => {
    const members = { b: 'é', a: { list: [1, null] } };
    const read = PackedMembers.parse(packMembers({ ...members, absent: undefined }));
    expect(JSON.stringify(read)).toBe(JSON.stringify(members));
  });

  test('are not read from a text that is no JSON', () => {
    expect(PackedMembers.safeParse(packText('{"a":')).success).toBe(false);
  });
});
