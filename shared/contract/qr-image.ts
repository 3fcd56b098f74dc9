import { crc32, deflateSync } from 'node:zlib';
import { encode } from 'uqr';

const pixelsPerModule = 4;
/** The quiet zone of ISO/IEC 18004, in modules. */
const quietZone = 4;

/**
 * The QR code of a text as a PNG in base64, at error correction level M. The same text gives the same bytes, for
 * replays.
 */
export function qrImageBase64(payload: string): string {
  const { size, data } = encode(payload, { ecc: 'M', boostEcc: false, border: quietZone });
  const side = size * pixelsPerModule;
  return png(side, pixelRows(data, side)).toString('base64');
}

/** Returns the rows of pixels: one bit per pixel, 1 is white. Each row begins with its filter byte, 0 for no filter. */
function pixelRows(modules: readonly (readonly boolean[])[], side: number): Buffer {
  const rows = modules.map((row) => {
    const pixels = Buffer.alloc(1 + Math.ceil(side / 8), 0xff);
    pixels[0] = 0;
    row.forEach((dark, x) => {
      // A byte holds two modules of four pixels each.
      const byte = 1 + Math.floor(x / 2);
      if (dark) pixels[byte] = (pixels[byte] ?? 0) & (x % 2 === 0 ? 0x0f : 0xf0);
    });
    return pixels;
  });
  return Buffer.concat(rows.flatMap((row) => Array.from({ length: pixelsPerModule }, () => row)));
}

/** Returns a black and white PNG (ISO/IEC 15948). It uses no filter, which would enlarge such rows. */
function png(side: number, rows: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // One bit per sample, greyscale. Compression, filter and interlace stay 0.
  header[8] = 1;
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND')]);
}

function chunk(type: string, content: Buffer = Buffer.alloc(0)): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(content.length, 0);
  ends.writeUInt32BE(crc32(typed), 4);
  return Buffer.concat([ends.subarray(0, 4), typed, ends.subarray(4)]);
}
