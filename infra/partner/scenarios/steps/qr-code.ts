import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import { renderUnicodeCompact } from 'uqr';
import { ToolFailure } from '#infra/partner/command-line.ts';
import type { Reporter } from '../reporter.ts';

/**
 * Shows the QR code that a payer reads, and checks that the image reads as the text.
 * @throws ToolFailure when there is no text, or the image is none or reads as something else.
 */
export function showQrCode(
  reporter: Reporter,
  { qrcodeData, qrcodeImageBase64 }: { readonly qrcodeData: string; readonly qrcodeImageBase64: string },
): void {
  reporter.check('there is a QR code', qrcodeData !== '' && qrcodeImageBase64 !== '', 'its text or its image is empty');
  reporter.say(renderUnicodeCompact(qrcodeData, { ecc: 'M', border: 2 }));
  reporter.say(qrcodeData);
  const read = readImage(qrcodeImageBase64);
  reporter.check('the image reads as the text', read === qrcodeData, read ?? 'it shows no QR code');
}

function readImage(base64: string): string | undefined {
  try {
    const { data, width, height } = PNG.sync.read(Buffer.from(base64, 'base64'));
    return jsqr.default(new Uint8ClampedArray(data), width, height)?.data;
  } catch {
    throw new ToolFailure(
      'The image of the QR code is no PNG.',
      'qrcodeImageBase64 is one in base64, without a prefix.',
    );
  }
}
