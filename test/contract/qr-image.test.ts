import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { qrImageBase64 } from '#shared/contract/qr-image.ts';
import { fc } from '../support/properties.ts';

const payload =
  '00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd441' +
  '5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***' +
  '80740014br.gov.bcb.pix2552pix.example.com/rec/2353c790eefb11eaadc10242ac1200026304FB42';

function read(base64: string): string | undefined {
  const { data, width, height } = PNG.sync.read(Buffer.from(base64, 'base64'));
  return jsqr.default(new Uint8ClampedArray(data), width, height)?.data;
}

describe('the QR image', () => {
  it('reads as the text it was made of', () => {
    expect(read(qrImageBase64(payload))).toBe(payload);
  });

  it('reads as any printable text of the length of a code', () => {
    const strings = fc.string({ unit: 'grapheme-ascii', minLength: 20, maxLength: 350 });
    fc.assert(
      fc.property(strings, (text) => {
        expect(read(qrImageBase64(text))).toBe(text);
      }),
      { numRuns: 10 },
    );
  });

  it('is a PNG in base64 without a data-URI prefix, small enough for an answer', () => {
    const image = qrImageBase64(payload);
    expect(image).toMatch(/^iVBORw0KGgo[A-Za-z0-9+/]+={0,2}$/);
    expect(image.length).toBeLessThan(8 * 1024);
  });

  it('has the same bytes each time, so that a replay is the first answer', () => {
    expect(qrImageBase64(payload)).toBe(qrImageBase64(payload));
  });

  it('has a white margin of four modules', () => {
    const { data, width } = PNG.sync.read(Buffer.from(qrImageBase64(payload), 'base64'));
    const brightness = (x: number, y: number) => data[(y * width + x) * 4];
    expect([brightness(0, 0), brightness(15, 15), brightness(16, 16)]).toEqual([255, 255, 0]);
  });
});
