import jsqr from 'jsqr';
import { PNG } from 'pngjs';

/** The text of a QR code image, read by a decoder that knows nothing of the service. */
export function decodeImage(base64: string): string | undefined {
  const { data, width, height } = PNG.sync.read(Buffer.from(base64, 'base64'));
  return jsqr.default(new Uint8ClampedArray(data), width, height)?.data;
}

/** The objects of a BR Code or of one of its templates, by id: two digits of id, two of length, value. */
export function objectsOf(text: string): Readonly<Record<string, string>> {
  const objects: Record<string, string> = {};
  for (let at = 0; at < text.length;) {
    const length = Number(text.slice(at + 2, at + 4));
    objects[text.slice(at, at + 2)] = text.slice(at + 4, at + 4 + length);
    at += 4 + length;
  }
  return objects;
}

/** The checksum of a BR Code: CRC-16/CCITT-FALSE of everything before its four digits. */
export function checksumOf(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text.slice(0, -4), 'utf8')) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
