import { PNG } from 'pngjs';
import { encode } from 'uqr';

const pixelsPerModule = 4;
/** The quiet zone that ISO/IEC 18004 asks for, in modules. */
const quietZone = 4;
const black = 0;
const white = 255;

/**
 * The QR code of a text as a greyscale PNG in base64, without a data-URI prefix. Error correction level M, as payment
 * codes on screens use it. The same text always gives the same bytes, so that a replayed answer is the answer.
 */
export function qrImageBase64(payload: string): string {
  const { data: modules, size } = encode(payload, { ecc: 'M', boostEcc: false, border: quietZone });
  const side = size * pixelsPerModule;
  const image = new PNG({ width: side, height: side, colorType: 0, inputColorType: 0, inputHasAlpha: false });
  image.data = Buffer.alloc(side * side, white);
  for (let y = 0; y < side; y++) {
    const row = modules[Math.floor(y / pixelsPerModule)] ?? [];
    for (let x = 0; x < side; x++) {
      if (row[Math.floor(x / pixelsPerModule)]) image.data[y * side + x] = black;
    }
  }
  return PNG.sync.write(image, { colorType: 0, inputColorType: 0, inputHasAlpha: false }).toString('base64');
}
