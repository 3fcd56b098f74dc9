import type { Document, DocumentType } from '#shared/core/document.ts';
import { isValidDocument } from '#shared/core/document.ts';
import type { Draws } from '#test/model/bank-books.ts';

type Person = {
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly document: Document;
};

/** No other word of the service or its log holds this. */
const surname = 'Quixabeira';
const firstNames = ['Ana', 'Caetano', 'Iolanda', 'Jurema', 'Tião', 'Úrsula'] as const;
const personalNumbers = new Set<string>();

/** A person or a company that exists nowhere else, with a valid document. */
export function person(draws: Draws, type: DocumentType): Person {
  const number = draws.between(100_000, 999_999);
  const found: Person = {
    name: `${draws.one(firstNames)} ${surname} ${number}`,
    email: `${surname.toLowerCase()}${number}@people.example.com`,
    phone: `+55119${draws.between(10_000_000, 99_999_999)}`,
    document: documentOf(draws, type),
  };
  personalNumbers.add(found.phone).add(found.phone.slice(1)).add(found.document.number);
  return found;
}

function documentOf(draws: Draws, type: DocumentType): Document {
  const letters = draws.chance(0.3) ? 'AB' : '12';
  const base =
    type === 'CPF'
      ? String(draws.between(100_000_000, 999_999_999))
      : `${draws.between(100_000, 999_999)}${letters}0001`;
  for (let check = 0; check < 100; check += 1) {
    const number = `${base}${String(check).padStart(2, '0')}`;
    if (isValidDocument(type, number)) return { type, number };
  }
  return documentOf(draws, type);
}

/** Whether a text holds or is something of a person here. */
export function isPersonal(text: string): boolean {
  return personalNumbers.has(text) || text.includes(surname) || text.includes(surname.toLowerCase());
}
