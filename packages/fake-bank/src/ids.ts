import { randomInt, randomUUID } from 'node:crypto';
import { brasiliaDay, utcMinute } from './time.ts';
import type { Instant } from './time.ts';

/** Source of the random parts of ids: `randomIds`, or a fixed sequence in tests. */
export type Ids = {
  /** A UUID in lower case. */
  readonly uuid: () => string;
  /** Returns `length` characters of `[A-Za-z0-9]`. */
  readonly alphanumeric: (length: number) => string;
  /** Returns `length` decimal digits. */
  readonly digits: (length: number) => string;
};

const decimals = '0123456789';
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

export const randomIds: Ids = {
  uuid: randomUUID,
  alphanumeric: (length) => draw(`${decimals}${letters}${letters.toLowerCase()}`, length),
  digits: (length) => draw(decimals, length),
};

function draw(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}

/** Number of characters at the end of an id, which make it unique in its minute or day. */
const sequenceLength = 11;

/**
 * Returns the EndToEndIdentification of a Pix (SPI, pacs.008): `E`, the ISPB of the payer's bank, the minute in UTC,
 * and 11 characters of `[A-Za-z0-9]`.
 */
export function endToEndId(ispb: string, now: Instant, ids: Ids): string {
  return `E${ispb}${utcMinute(now)}${ids.alphanumeric(sequenceLength)}`;
}

/** Returns the ReturnIdentification of a devolução (SPI, pacs.004): like an end-to-end id, but with `D`. */
export function returnId(ispb: string, now: Instant, ids: Ids): string {
  return `D${ispb}${utcMinute(now)}${ids.alphanumeric(sequenceLength)}`;
}

/**
 * Returns the id of a recurrence (API Pix 2.9, RecId): `RR` if attempts after the due date are allowed, else `RN`; then
 * the ISPB of the receiver's bank, the day of creation in Brasilia, and 11 characters of `[A-Za-z0-9]`.
 */
export function recurrenceId(options: { retries: boolean; ispb: string; now: Instant; ids: Ids }): string {
  const day = brasiliaDay(options.now).replaceAll('-', '');
  return `R${options.retries ? 'R' : 'N'}${options.ispb}${day}${options.ids.alphanumeric(sequenceLength)}`;
}
