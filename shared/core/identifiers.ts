import { brasiliaDate, compactDate, utcMinuteStamp } from './brasilia-time.ts';
import type { Instant } from './brasilia-time.ts';

/** Source of random identifiers, passed as an argument, so that the domain code stays pure. */
export type Ids = {
  /** An unguessable UUID, lower case. */
  readonly uuid: () => string;
  /** A UUID whose last byte is `00`: the payments of a batch use the values 1 to 90. */
  readonly orderId: () => string;
  /** Exactly `length` characters of `[A-Za-z0-9]`. */
  readonly alphanumeric: (length: number) => string;
  /** Exactly `length` characters of `[0-9]`. */
  readonly digits: (length: number) => string;
};

/** The maximum of payments of one payout. The last byte of the id distinguishes them. */
export const maxChildren = 90;

const uuidGrammar = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const ispbGrammar = /^[0-9A-Z]{8}$/;

/** Whether a text is a UUID of any version, in either case (RFC 9562, 4). */
export function isUuid(text: string): boolean {
  return uuidGrammar.test(text);
}

/**
 * Returns the id of a batch's payment by its sequence number (1 to 90): the order's id with the number as its last
 * byte.
 * @throws RangeError
 */
export function childOrderId(orderId: string, sequence: number): string {
  if (!isUuid(orderId) || !orderId.endsWith('00')) throw new RangeError(`Invalid order id: ${orderId}`);
  if (!Number.isInteger(sequence) || sequence < 1 || sequence > maxChildren)
    throw new RangeError(`A batch has no payment ${sequence}`);
  return `${orderId.slice(0, -2)}${sequence.toString(16).padStart(2, '0')}`;
}

/** Returns the sequence number of a batch's payment, 1 to 90; undefined for any other id. */
export function childSequence(id: string): number | undefined {
  if (!isUuid(id)) return undefined;
  const sequence = Number.parseInt(id.slice(-2), 16);
  return sequence >= 1 && sequence <= maxChildren ? sequence : undefined;
}

export function isChildOrderId(id: string): boolean {
  return childSequence(id) !== undefined;
}

/** The order of a batch's payment; any other id unchanged. */
export function parentOrderId(id: string): string {
  return isChildOrderId(id) ? `${id.slice(0, -2)}00` : id;
}

/**
 * The end-to-end id of a Pix payment: `E`, the payer's ISPB, the UTC minute, 11 characters (BCB, SPI, pacs.008). 32
 * characters, case matters.
 */
export function endToEndId(ispb: string, instant: Instant, ids: Ids): string {
  return `E${requireIspb(ispb)}${utcMinuteStamp(instant)}${ids.alphanumeric(11)}`;
}

/**
 * Returns a new return id of a return (devolução, `rtrId`): as an end-to-end id, with a leading `D` (BCB, API Pix,
 * Devolucao).
 */
export function returnId(ispb: string, instant: Instant, ids: Ids): string {
  return `D${requireIspb(ispb)}${utcMinuteStamp(instant)}${ids.alphanumeric(11)}`;
}

/**
 * Returns the id of a rec (`idRec`, 29 characters): `RR` if retries after the due date are allowed, else `RN`; the
 * ISPB; the day in Brasilia; 11 characters (BCB, Manual de Padrões, Annex IV, 2.1.1).
 */
export function recurrenceId(options: {
  retriesAllowed: boolean;
  ispb: string;
  instant: Instant;
  ids: Pick<Ids, 'alphanumeric'>;
}): string {
  const day = compactDate(brasiliaDate(options.instant));
  return `R${options.retriesAllowed ? 'R' : 'N'}${requireIspb(options.ispb)}${day}${options.ids.alphanumeric(11)}`;
}

/** Returns a new `txid` of 32 hexadecimal digits. The BCB's API Pix allows 26 to 35 alphanumerics. */
export function transactionId(ids: Ids): string {
  return ids.uuid().replaceAll('-', '');
}

/** Returns 32 hexadecimal digits as the UUID that they are; another text as it is. */
export function withHyphens(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, '$1-$2-$3-$4-$5');
}

/**
 * Returns the order id in a `txid` of 32 hexadecimal digits ending in `00`: the UUID with its hyphens. @throws
 * RangeError
 */
export function orderIdOf(txid: string): string {
  if (!/^[0-9a-f]{30}00$/u.test(txid)) throw new RangeError(`Invalid order reference: ${txid}`);
  return withHyphens(txid);
}

/** The control number of a TED (NumCtrlSTR): `STR`, the day in Brasilia, 9 digits. */
export function strControlNumber(instant: Instant, ids: Ids): string {
  return `STR${compactDate(brasiliaDate(instant))}${ids.digits(9)}`;
}

/** Checks the ISPB from the configuration, so that no id contains a malformed one. @throws RangeError */
function requireIspb(ispb: string): string {
  if (!ispbGrammar.test(ispb)) throw new RangeError(`Invalid ISPB: ${ispb}`);
  return ispb;
}
