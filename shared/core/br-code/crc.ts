/** CRC-16/CCITT-FALSE: what EMV QRCPS-MPM puts into object 63. */
const polynomial = 0x1021;
const start = 0xffff;

/** Four upper-case hexadecimal digits over ASCII text; `123456789` gives `29B1`. */
export function crc16(text: string): string {
  let crc = start;
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at) << 8;
    for (let bit = 0; bit < 8; bit++) {
      crc = crc & 0x8000 ? ((crc << 1) ^ polynomial) & 0xffff : (crc << 1) & 0xffff;
    }
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
