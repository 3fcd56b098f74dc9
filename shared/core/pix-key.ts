import { isValidDocument } from './document.ts';
import { isUuid } from './identifiers.ts';

export const pixKeyTypes = ['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'RANDOM'] as const;

/** A key as the DICT spells it. */
export type PixKey = { readonly type: (typeof pixKeyTypes)[number]; readonly key: string };

const maxLength = 77;
const printableAscii = /^[\x21-\x7e]+$/;

/** E.164 has at most 15 digits; the pattern of the DICT API begins at 3. */
const phone = /^\+[1-9][0-9]{2,14}$/;

/**
 * `+55`, Anatel's area code and the number: mobile, nine digits beginning with 9; fixed line, eight beginning with 2 to
 * 5.
 */
const brazilianPhone =
  /^\+55(?:1[1-9]|2[12478]|3[1-578]|4[1-9]|5[1345]|6[1-9]|7[134579]|8[1-9]|9[1-9])(?:9[0-9]{8}|[2-5][0-9]{7})$/;

/** The DICT API's own pattern. The length is checked before. */
const email =
  /^[a-z0-9.!#$&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * Recognises a PIX key by its form (BCB, DICT API and Manual Operacional do DICT); undefined for any other text. The
 * key gets the DICT's case: lower for e-mails and random keys, upper for a CNPJ. 11 bare digits are a CPF: a phone
 * begins with `+`.
 */
export function recognisePixKey(text: string): PixKey | undefined {
  // ASCII only: a change of case could turn other characters into ASCII letters.
  if (text.length > maxLength || !printableAscii.test(text)) return undefined;
  const lower = text.toLowerCase();
  const upper = text.toUpperCase();
  if (isValidDocument('CPF', text)) return { type: 'CPF', key: text };
  if (isValidDocument('CNPJ', upper)) return { type: 'CNPJ', key: upper };
  if (phone.test(text)) return { type: 'PHONE', key: text };
  if (isUuid(text)) return { type: 'RANDOM', key: lower };
  if (email.test(lower)) return { type: 'EMAIL', key: lower };
  return undefined;
}

/** Whether two strings are the same PIX key. Strings that do not have the form of a key must be equal. */
export function samePixKey(a: string, b: string): boolean {
  return (recognisePixKey(a)?.key ?? a) === (recognisePixKey(b)?.key ?? b);
}

/**
 * Whether a key code may be sent to this phone: to a valid Brazilian number, or abroad if the environment allows it.
 * SMS fraud abroad is expensive.
 */
export function mayGetCode(phone: string, phonesAbroad: boolean): boolean {
  return phone.startsWith('+55') ? brazilianPhone.test(phone) : phonesAbroad;
}
