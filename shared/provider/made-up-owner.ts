import { createHash } from 'node:crypto';
import { bankByIspb } from '../domain/bank.ts';
import type { Document, DocumentType } from '../domain/document.ts';
import { isValidDocument } from '../domain/document.ts';
import type { PixKey } from '../domain/pix-key.ts';
import type { KeyOwner } from './bank.ts';

const FIRST_NAMES = ['Ana', 'Bruno', 'Carla', 'Davi', 'Elisa', 'Fábio', 'Helena', 'João', 'Lívia', 'Marcos'] as const;
const LAST_NAMES = ['Almeida', 'Barbosa', 'Cardoso', 'Duarte', 'Fonseca', 'Gonçalves', 'Moreira', 'Ribeiro'] as const;
const TRADES = ['Alimentos', 'Comércio', 'Engenharia', 'Logística', 'Papelaria', 'Serviços', 'Tecnologia'] as const;
const ISPBS = ['00000000', '60701190', '18236120', '60746948', '90400888', '00360305'] as const;

/** A taxpayer's number in front of the `@`, alone or behind a dot, plus, hyphen or underscore. */
const documentInAddress = /(?:^|[.+_-])([0-9]{11}|[0-9a-z]{12}[0-9]{2})@/;

/**
 * The owner of a key that the environment does not know: always the same one for the same key, with a valid document. A
 * CPF or CNPJ key belongs to that taxpayer; so does an e-mail key with a CPF or CNPJ before its `@`
 * (`maria.52998224725@example.com`), which lets a caller choose an owner for whom `receiver` matches.
 */
export function madeUpOwner({ type, key }: PixKey): KeyOwner {
  const digits = digitsOf(key);
  const document = documentOfKey({ type, key }) ?? madeUpDocument(digits(0, 8) % 2 === 0 ? 'CPF' : 'CNPJ', digits);
  const one = (from: readonly string[], at: number): string => from[digits(at, 4) % from.length] ?? '';
  const person = `${one(FIRST_NAMES, 0)} ${one(LAST_NAMES, 4)}`;
  const ispb = one(ISPBS, 8);
  const bank = bankByIspb(ispb);
  return {
    name: document.type === 'CPF' ? person : `${one(LAST_NAMES, 4)} ${one(TRADES, 12)} Ltda`,
    document,
    bank: {
      ispb,
      ...(bank && { name: bank.name }),
      branch: padded(digits(16, 4) % 10_000, 4),
      account: padded(digits(20, 8) % 100_000_000, 8),
      accountType: 'CHECKING_ACCOUNT',
      ...(bank && { code: bank.code }),
    },
  };
}

function documentOfKey({ type, key }: PixKey): Document | undefined {
  if (type === 'CPF' || type === 'CNPJ') return { type, number: key };
  const number = type === 'EMAIL' ? documentInAddress.exec(key)?.[1]?.toUpperCase() : undefined;
  if (number === undefined) return undefined;
  const types: readonly DocumentType[] = ['CPF', 'CNPJ'];
  const named = types.find((known) => isValidDocument(known, number));
  return named && { type: named, number };
}

/** Nine or eight digits of the key's digest, and the only check digits that go with them. */
function madeUpDocument(type: DocumentType, digits: Digits): Document {
  const base =
    type === 'CPF' ? padded(digits(32, 8) % 1_000_000_000, 9) : `${padded(digits(32, 8) % 100_000_000, 8)}0001`;
  for (let check = 0; check < 100; check += 1) {
    const number = base + padded(check, 2);
    if (isValidDocument(type, number)) return { type, number };
  }
  // Only nine equal digits have no check digits that make them valid.
  return { type: 'CPF', number: '52998224725' };
}

type Digits = (at: number, length: number) => number;

/** Numbers cut out of the digest of a text, by their place in its 64 hexadecimal digits. */
function digitsOf(text: string): Digits {
  const digest = createHash('sha256').update(text).digest('hex');
  return (at, length) => Number.parseInt(digest.slice(at, at + length), 16);
}

function padded(number: number, length: number): string {
  return String(number).padStart(length, '0');
}
