import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import { renderUnicodeCompact } from 'uqr';
import type { Telling } from '#infra/partner/terminal/telling.ts';

/** Shows the QR code that a payer reads, and checks that the image reads as the text. */
export function showQrCode(
  tell: Telling,
  { qrcodeData, qrcodeImageBase64 }: { readonly qrcodeData: string; readonly qrcodeImageBase64: string },
): void {
  tell.say(renderUnicodeCompact(qrcodeData, { ecc: 'M', border: 2 }));
  tell.say(qrcodeData);
  const { data, width, height } = PNG.sync.read(Buffer.from(qrcodeImageBase64, 'base64'));
  const read = jsqr.default(new Uint8ClampedArray(data), width, height)?.data;
  tell.check('the image reads as the text', read === qrcodeData, read);
}
