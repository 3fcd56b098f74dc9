import { isValidDocument } from './document.ts';
import { isUuid } from './identifiers.ts';

export const pixKeyTypes = ['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'RANDOM'] as const;

/** A key of the DICT, spelled as the DICT stores it. */
export type PixKey = { readonly type: (typeof pixKeyTypes)[number]; readonly key: string };

const maxLength = 77;
const printableAscii = /^[\x21-\x7e]+$/;

/** E.164 has at most 15 digits; the pattern of the DICT API begins at 3. */
const phone = /^\+[1-9][0-9]{2,14}$/;

/**
 * Country, area code as Anatel assigned them, and a number: of a mobile nine digits that begin with 9, of a fixed line
 * eight that begin with 2 to 5.
 */
const brazilianPhone =
  /^\+55(?:1[1-9]|2[12478]|3[1-578]|4[1-9]|5[1345]|6[1-9]|7[134579]|8[1-9]|9[1-9])(?:9[0-9]{8}|[2-5][0-9]{7})$/;

/** The DICT API's own pattern; it has no `%`. The length is bounded before it is tried. */
const email =
  /^[a-z0-9.!#$&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * The type of a Pix key by its form alone (BCB, DICT API and Manual Operacional do DICT), or `undefined` when no key
 * has this form. The case of letters is brought to the DICT's (addresses and random keys lower, CNPJ upper); nothing
 * else is repaired. 11 bare digits are a CPF and never a phone, which always begins with `+`.
 */
export function recognisePixKey(text: string): PixKey | undefined {
  // Beyond ASCII, changing the case would turn some characters into letters that were not written.
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

/**
 * Whether a code may go to this phone, which has the form of a key: one of Brazil, or of another country where the
 * environment allows it. Elsewhere messages are dear, and whoever sells numbers there earns by every one.
 */
export function mayGetCode(phone: string, phonesAbroad: boolean): boolean {
  return phone.startsWith('+55') ? brazilianPhone.test(phone) : phonesAbroad;
}
