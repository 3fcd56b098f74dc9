/** EMV QRCPS-MPM: an object is a two-digit id, a two-digit length and its value; a template's value is objects. */

/** The objects of one level by id, in their order. */
export type TlvObjects = ReadonlyMap<string, string>;

export type TlvError = 'BROKEN_TLV' | 'DUPLICATE_OBJECT';

const maxLength = 99;
const header = /^[0-9]{4}$/;

/** Encodes one object. @throws RangeError unless the value has 1 to 99 characters */
export function encodeObject(id: string, value: string): string {
  if (value.length < 1 || value.length > maxLength)
    throw new RangeError(`Object ${id} of a BR Code has 1 to ${maxLength} characters, not ${value.length}`);
  return `${id}${String(value.length).padStart(2, '0')}${value}`;
}

/** The unit of a length: EMV counts characters, but some writers count the bytes of UTF-8. */
export type LengthUnit = 'CHARACTERS' | 'BYTES';

/**
 * Decodes a whole text as objects. It is strict, so that two readers never take one code for two different payments. An
 * empty object is omitted, but its id counts as used.
 */
export function decodeObjects(text: string, unit: LengthUnit = 'CHARACTERS'): TlvObjects | TlvError {
  const units = unitsOf(text, unit);
  const ids = new Set<string>();
  const objects = new Map<string, string>();
  for (let at = 0; at < units.length;) {
    const head = units.slice(at, at + 4).join('');
    if (!header.test(head)) return 'BROKEN_TLV';
    const id = head.slice(0, 2);
    const end = at + 4 + Number(head.slice(2));
    if (end > units.length || units[end] === '') return 'BROKEN_TLV';
    if (ids.has(id)) return 'DUPLICATE_OBJECT';
    ids.add(id);
    const value = units.slice(at + 4, end).join('');
    if (value !== '') objects.set(id, value);
    at = end;
  }
  return objects;
}

/** Returns the bytes in UTF-8. It uses no Node API, because browsers read codes, too. */
function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/**
 * Returns the characters of a text. For lengths in bytes, a character of several bytes is followed by empty strings.
 */
function unitsOf(text: string, unit: LengthUnit): readonly string[] {
  const characters = Array.from(text);
  if (unit === 'CHARACTERS') return characters;
  return characters.flatMap((character) => [
    character,
    ...Array.from({ length: bytesOf(character).length - 1 }, () => ''),
  ]);
}

/** CRC-16/CCITT-FALSE, for object 63. */
const polynomial = 0x1021;
const start = 0xffff;

/** Returns the CRC of the UTF-8 bytes as four upper-case hexadecimal digits; `123456789` gives `29B1`. */
export function crc16(text: string): string {
  let crc = start;
  for (const byte of bytesOf(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) {
      crc = crc & 0x8000 ? ((crc << 1) ^ polynomial) & 0xffff : (crc << 1) & 0xffff;
    }
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
