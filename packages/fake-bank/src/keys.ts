/** A Pix key, as the DICT spells it. */
export type Key = { readonly kind: 'CPF' | 'CNPJ' | 'PHONE' | 'EMAIL' | 'EVP'; readonly chave: string };

/** BCB, API do DICT, `Key`: random keys are UUIDs of any version. */
const evp = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u;
/** BCB, API do DICT, `Key`: E.164 with the plus sign, which tells a phone from a CPF. */
const phone = /^\+[1-9]\d{2,15}$/u;
/** BCB, API do DICT, `Key`. */
const email =
  /^[a-z0-9.!#$&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/u;
const maxLength = 77;

/** Reads a key in the DICT's letter case; undefined for any other text (BCB, Manual Operacional do DICT, 1). */
export function readKey(text: string): Key | undefined {
  if (text.length > maxLength || /[^!-~]/u.test(text)) return undefined;
  const lower = text.toLowerCase();
  const upper = text.toUpperCase();
  if (isCpf(text)) return { kind: 'CPF', chave: text };
  if (isCnpj(upper)) return { kind: 'CNPJ', chave: upper };
  if (phone.test(text)) return { kind: 'PHONE', chave: text };
  if (evp.test(lower)) return { kind: 'EVP', chave: lower };
  return email.test(lower) ? { kind: 'EMAIL', chave: lower } : undefined;
}

function isCpf(text: string): boolean {
  return /^(?!(.)\1*$)\d{11}$/u.test(text) && endsWithCheckDigits(text, 11);
}

/** Whether the text is a CNPJ; a CNPJ may have letters since July 2026 (Receita Federal, IN RFB 2.229/2024). */
function isCnpj(text: string): boolean {
  return /^(?!(.)\1*$)[0-9A-Z]{12}\d{2}$/u.test(text) && endsWithCheckDigits(text, 9);
}

/**
 * Whether the last two digits are the check digits of the text: modulo 11, with the weights 2, 3, … from the right up
 * to the highest, then again from 2. A letter counts by its distance from `0` in ASCII.
 */
function endsWithCheckDigits(text: string, highestWeight: number): boolean {
  return [text.length - 2, text.length - 1].every((place) => {
    const sum = Array.from(text.slice(0, place))
      .toReversed()
      .reduce((total, character, index) => {
        const value = character.charCodeAt(0) - '0'.charCodeAt(0);
        return total + value * (2 + (index % (highestWeight - 1)));
      }, 0);
    const rest = sum % 11;
    return Number(text[place]) === (rest < 2 ? 0 : 11 - rest);
  });
}
