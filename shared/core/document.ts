import { isValidCnpj } from '@brazilian-utils/brazilian-utils/is-valid-cnpj';
import { isValidCpf } from '@brazilian-utils/brazilian-utils/is-valid-cpf';

/** CPF identifies a person, CNPJ a company. */
export const documentTypes = ['CPF', 'CNPJ'] as const;
export type DocumentType = (typeof documentTypes)[number];

/** A document without mask: 11 digits of a CPF, or 14 characters of a CNPJ. */
export type Document = { type: DocumentType; number: string };

const cpfGrammar = /^[0-9]{11}$/;
const cnpjGrammar = /^[0-9A-Z]{12}[0-9]{2}$/;

/**
 * Whether the number is valid: no mask, correct check digits, not one digit repeated. A CNPJ may have capital letters
 * in its first 12 places (IN RFB 2.229/2024). The library also accepts masks, blanks and lower case, but this service
 * allows only one spelling of a number.
 */
export function isValidDocument(type: DocumentType, number: string): boolean {
  switch (type) {
    case 'CPF':
      return cpfGrammar.test(number) && isValidCpf(number);
    case 'CNPJ':
      return cnpjGrammar.test(number) && isValidCnpj(number, { version: 2 });
  }
}

/** Returns a number with capital letters, its only valid spelling. Only ASCII letters change. */
export function capitalDocument(number: string): string {
  return number.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());
}

/** Returns a number that was checked before, with its type, which its length shows. */
export function typedDocument(number: string): Document {
  return { type: number.length === 11 ? 'CPF' : 'CNPJ', number };
}

/** Returns the CPF or CNPJ of a number, with letters in either case; undefined for any other text. */
export function parseDocument(text: string): Document | undefined {
  const number = capitalDocument(text);
  const type = documentTypes.find((known) => isValidDocument(known, number));
  return type && { type, number };
}
