import { createHash } from 'node:crypto';
import { bankByIspb } from '#shared/core/bank-directory.ts';
import type { Document, DocumentType } from '#shared/core/document.ts';
import { isValidDocument, parseDocument } from '#shared/core/document.ts';
import type { PixKey } from '#shared/core/pix-key.ts';
import type { KeyOwner } from '../ports/directory.ts';

/** ISPBs of institutions at which the simulation's fake payers and receivers have their accounts. */
export const simulatedIspbs = ['00000000', '60701190', '18236120', '60746948', '90400888', '00360305'] as const;

const firstNames = ['Ana', 'Bruno', 'Carla', 'Davi', 'Elisa', 'Fábio', 'Helena', 'João', 'Lívia', 'Marcos'] as const;
const lastNames = ['Almeida', 'Barbosa', 'Cardoso', 'Duarte', 'Fonseca', 'Gonçalves', 'Moreira', 'Ribeiro'] as const;
const trades = ['Alimentos', 'Comércio', 'Engenharia', 'Logística', 'Papelaria', 'Serviços', 'Tecnologia'] as const;

/** A taxpayer's number in front of the `@`, alone or behind a dot, plus, hyphen or underscore. */
const documentInAddress = /(?:^|[.+_-])([0-9]{11}|[0-9a-z]{12}[0-9]{2})@/;

/**
 * The owner of a key that the environment does not know: always the same one for the same key, with a valid document. A
 * CPF or CNPJ key belongs to that taxpayer; so does an e-mail key with a CPF or CNPJ before its `@`
 * (`maria.52998224725@example.com`), which lets a caller choose an owner for whom `receiver` matches.
 */
export function fakeOwner({ type, key }: PixKey): KeyOwner {
  const digits = digitsOf(key);
  const document = documentOfKey({ type, key }) ?? fakeDocument(digits(0, 8) % 2 === 0 ? 'CPF' : 'CNPJ', digits);
  const one = (from: readonly string[], at: number): string => from[digits(at, 4) % from.length] ?? '';
  const person = `${one(firstNames, 0)} ${one(lastNames, 4)}`;
  const ispb = one(simulatedIspbs, 8);
  const bank = bankByIspb(ispb);
  return {
    name: document.type === 'CPF' ? person : `${one(lastNames, 4)} ${one(trades, 12)} Ltda`,
    document,
    bank: {
      ispb,
      ...(bank && { name: bank.name }),
      branch: pad(digits(16, 4) % 10_000, 4),
      account: pad(digits(20, 8) % 100_000_000, 8),
      accountType: 'CHECKING_ACCOUNT',
      ...(bank && { code: bank.code }),
    },
  };
}

function documentOfKey({ type, key }: PixKey): Document | undefined {
  if (type === 'CPF' || type === 'CNPJ') return { type, number: key };
  const number = type === 'EMAIL' ? documentInAddress.exec(key)?.[1]?.toUpperCase() : undefined;
  return number === undefined ? undefined : parseDocument(number);
}

/** Nine or eight digits of the key's digest, and the only check digits that go with them. */
function fakeDocument(type: DocumentType, digits: Digits): Document {
  const base = type === 'CPF' ? pad(digits(32, 8) % 1_000_000_000, 9) : `${pad(digits(32, 8) % 100_000_000, 8)}0001`;
  for (let check = 0; check < 100; check += 1) {
    const number = base + pad(check, 2);
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

function pad(number: number, length: number): string {
  return String(number).padStart(length, '0');
}
