import { crc32, deflateSync } from 'node:zlib';
import { qrModules } from './qr-mask.ts';

const pixelsPerModule = 4;
/** The quiet zone that ISO/IEC 18004 asks for, in modules. */
const quietZone = 4;

/**
 * The QR code of a text as a PNG in base64, without a data-URI prefix. Error correction level M, as payment codes on
 * screens use it. The same text always gives the same bytes, so that a replayed answer is the answer.
 */
export function qrImageBase64(payload: string): string {
  const { size, modules } = qrModules(payload);
  const side = (size + 2 * quietZone) * pixelsPerModule;
  return png(side, pixelRows(modules, size, side)).toString('base64');
}

/** One bit a pixel, 1 is white; each row begins with the byte of its filter, 0 for none. */
function pixelRows(modules: Uint8Array, size: number, side: number): Buffer {
  const rowBytes = 1 + Math.ceil(side / 8);
  const rows = Buffer.alloc(rowBytes * side, 0xff);
  for (let row = 0; row < side; row += 1) rows[row * rowBytes] = 0;
  for (let y = 0; y < size; y += 1) {
    const at = (y + quietZone) * pixelsPerModule * rowBytes;
    for (let x = 0; x < size; x += 1) {
      if (modules[y * size + x] !== 1) continue;
      // Two modules a byte: an even quiet zone leaves the first four pixels to the even modules.
      const byte = at + 1 + Math.floor((x + quietZone) / 2);
      rows[byte] = (rows[byte] ?? 0) & (x % 2 === 0 ? 0x0f : 0xf0);
    }
    for (let copy = 1; copy < pixelsPerModule; copy += 1) rows.copy(rows, at + copy * rowBytes, at, at + rowBytes);
  }
  return rows;
}

/** PNG (ISO/IEC 15948) of a black and white square. A filter would make such rows longer, not shorter. */
function png(side: number, rows: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // One bit a sample, greyscale; compression, filter and interlace are 0.
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
