import { brasiliaDate, compactDate, utcMinuteStamp } from './brasilia-time.ts';
import type { Instant } from './brasilia-time.ts';

/** Random identifiers; passed in, so that the domain stays pure and tests repeatable. */
export type Ids = {
  /** An unguessable UUID, lower case. */
  readonly uuid: () => string;
  /** A UUID whose last byte is `00`, which leaves room for the ids of a batch's children. */
  readonly orderId: () => string;
  /** Exactly so many characters of `[A-Za-z0-9]`. */
  readonly alphanumeric: (length: number) => string;
  /** Exactly so many characters of `[0-9]`. */
  readonly digits: (length: number) => string;
};

/** The most payments into which one payout is split: one byte of the id tells them apart. */
export const maxChildren = 90;

const uuidGrammar = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const ispbGrammar = /^[0-9A-Z]{8}$/;

/** Whether the text is a UUID of any version, in either case (RFC 9562, 4). */
export function isUuid(text: string): boolean {
  return uuidGrammar.test(text);
}

/**
 * The id of the payment with this place (1 to 90) in a batch: the order's own id with the place as its last byte.
 * Whoever holds a child's id knows its order without looking it up.
 *
 * @throws RangeError when the first id is not an order's, or the place is none.
 */
export function childOrderId(orderId: string, sequence: number): string {
  if (!isUuid(orderId) || !orderId.endsWith('00')) throw new RangeError(`Not the id of an order: ${orderId}`);
  if (!Number.isInteger(sequence) || sequence < 1 || sequence > maxChildren) {
    throw new RangeError(`A batch has no payment ${sequence}`);
  }
  return `${orderId.slice(0, -2)}${sequence.toString(16).padStart(2, '0')}`;
}

/** The place of a batch's payment, 1 to 90; `undefined` for every id that is not one of a batch's payments. */
export function childSequence(id: string): number | undefined {
  if (!isUuid(id)) return undefined;
  const sequence = Number.parseInt(id.slice(-2), 16);
  return sequence >= 1 && sequence <= maxChildren ? sequence : undefined;
}

export function isChildOrderId(id: string): boolean {
  return childSequence(id) !== undefined;
}

/** The order to which a batch's payment belongs; any other id is given back unchanged. */
export function parentOrderId(id: string): string {
  return isChildOrderId(id) ? `${id.slice(0, -2)}00` : id;
}

/**
 * The end-to-end id of a Pix payment: `E`, the ISPB of the participant that makes it, the minute in UTC, and 11
 * characters (BCB, SPI message pacs.008). 32 characters, case matters.
 */
export function endToEndId(ispb: string, instant: Instant, ids: Ids): string {
  return `E${requireIspb(ispb)}${utcMinuteStamp(instant)}${ids.alphanumeric(11)}`;
}

/**
 * The end-to-end ids of a payout's payments. They differ in the last two digits alone, a payment's place in its batch,
 * or `00` for a payout that is one payment: so each leads to its order.
 *
 * @param count of the payments of the batch; 0 for a payout that is not split
 */
export function payoutEndToEndIds(
  { ispb, instant, ids }: { readonly ispb: string; readonly instant: Instant; readonly ids: Ids },
  count: number,
): readonly [string, ...string[]] {
  const stem = `E${requireIspb(ispb)}${utcMinuteStamp(instant)}${ids.alphanumeric(9)}`;
  const place = (sequence: number): string => `${stem}${String(sequence).padStart(2, '0')}`;
  const others = Array.from({ length: Math.max(0, count - 1) }, (_, index) => place(index + 2));
  return [place(count === 0 ? 0 : 1), ...others];
}

/** What the end-to-end ids of one payout have in common. */
export function endToEndStem(id: string): string {
  return id.slice(0, -2);
}

/** The end-to-end id of a refund (`rtrId`): as that of a payment, with a leading `D` (BCB, Pix API, Devolucao). */
export function returnId(ispb: string, instant: Instant, ids: Ids): string {
  return `D${requireIspb(ispb)}${utcMinuteStamp(instant)}${ids.alphanumeric(11)}`;
}

/**
 * The id of a recurrence (`idRec`, 29 characters): `R`, then `R` when charges may be tried again after their due date
 * or else `N`, the ISPB, the day in Brasilia, and 11 characters (BCB, Manual de Padrões, Annex IV, 2.1.1).
 */
export function recurrenceId(of: {
  retriesAllowed: boolean;
  ispb: string;
  instant: Instant;
  ids: Pick<Ids, 'alphanumeric'>;
}): string {
  const day = compactDate(brasiliaDate(of.instant));
  return `R${of.retriesAllowed ? 'R' : 'N'}${requireIspb(of.ispb)}${day}${of.ids.alphanumeric(11)}`;
}

/** The `txid` of a charge: 32 hexadecimal digits, within the 26 to 35 alphanumerics of the BCB's Pix API. */
export function transactionId(ids: Ids): string {
  return ids.uuid().replaceAll('-', '');
}

/**
 * The order whose charge has this `txid`, where the `txid` is 32 hexadecimal digits that end in `00`: a UUID without
 * its hyphens. So a callback that names the charge leads to the order without an index.
 */
export function orderIdOf(txid: string): string {
  const parts = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{10}00)$/.exec(txid)?.slice(1);
  if (parts === undefined) throw new RangeError(`Not a reference of an order: ${txid}`);
  return parts.join('-');
}

/** The control number of a TED (NumCtrlSTR, 20 characters): `STR`, the day in Brasilia, and 9 digits. */
export function strControlNumber(instant: Instant, ids: Ids): string {
  return `STR${compactDate(brasiliaDate(instant))}${ids.digits(9)}`;
}

/** Configuration gives the ISPB: a wrong one must stop here, before it is part of ids that cannot be taken back. */
function requireIspb(ispb: string): string {
  if (!ispbGrammar.test(ispb)) throw new RangeError(`Not an ISPB: ${ispb}`);
  return ispb;
}
