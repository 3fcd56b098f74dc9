import { isValidCnpj } from '@brazilian-utils/brazilian-utils/is-valid-cnpj';
import { isValidCpf } from '@brazilian-utils/brazilian-utils/is-valid-cpf';

/** CPF identifies a person, CNPJ a company. */
export const documentTypes = ['CPF', 'CNPJ'] as const;
export type DocumentType = (typeof documentTypes)[number];

/** A taxpayer: 11 digits of a CPF, or 14 characters of a CNPJ, without a mask. */
export type Document = { type: DocumentType; number: string };

const cpfGrammar = /^[0-9]{11}$/;
const cnpjGrammar = /^[0-9A-Z]{12}[0-9]{2}$/;

/**
 * Whether the number could be issued: bare characters, check digits right, not one digit repeated. A CNPJ may have
 * capital letters in its first 12 places (IN RFB 2.229/2024). The library forgives masks, blanks and lower case; one
 * taxpayer must have one spelling here, so they are refused first.
 */
export function isValidDocument(type: DocumentType, number: string): boolean {
  switch (type) {
    case 'CPF':
      return cpfGrammar.test(number) && isValidCpf(number);
    case 'CNPJ':
      return cnpjGrammar.test(number) && isValidCnpj(number, { version: 2 });
  }
}

/** The document that a number without its type is, CPF or CNPJ; undefined for any other text. */
export function parseDocument(number: string): Document | undefined {
  const type = documentTypes.find((known) => isValidDocument(known, number));
  return type && { type, number };
}
