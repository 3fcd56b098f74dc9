import { createHash } from 'node:crypto';
import type { Account } from '#shared/accounts/model.ts';
import { orderOfLocation } from '#shared/core/br-code/location.ts';
import { holderOf } from '../holder.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import type { BankData } from '#shared/core/party.ts';
import type { PixKey } from '#shared/core/pix-key.ts';
import type { RequestContext } from '../outcome.ts';
import { BankUnavailable } from '../outcome.ts';
import type { Charge, KeyOwner, UncheckedDirectory } from '../ports/directory.ts';
import { mismatchingOwner, reservedCharges, reservedKeys } from './reserved.ts';
import { bankByIspb } from '#shared/core/bank-directory.ts';
import type { Document, DocumentType } from '#shared/core/document.ts';
import { isValidDocument, parseDocument } from '#shared/core/document.ts';

/** A charge of the calling company, as its payer sees it. */
type OwnCharge = {
  readonly id: string;
  readonly accountId: string;
  readonly status: string;
  readonly conciliationId: string;
  readonly amount: Centavos;
  readonly expireDateTime: Instant;
};

/**
 * The calling company's accounts and charges. An account is found by its id as a random key, by its holder's other
 * keys, and by bank, branch and number.
 */
type Environment = {
  readonly pixHost: string;
  readonly account: (companyId: string, accountId: string) => Promise<Account | undefined>;
  readonly accountOfKey: (companyId: string, key: PixKey) => Promise<Account | undefined>;
  readonly accountAt: (companyId: string, bank: BankData) => Promise<Account | undefined>;
  readonly charge: (companyId: string, orderId: string) => Promise<OwnCharge | undefined>;
};

/**
 * Creates the directory of the simulated bank. It knows the calling company's own accounts by all their keys, and its
 * own charges. Any other valid key or location gets a fake owner, always the same, and a fake charge without an amount.
 * It does not know the accounts of other companies.
 */
export function simulatedDirectory(environment: Environment): UncheckedDirectory {
  return {
    resolveKey: ({ key }, context) => ownerOf(key, context, environment),
    resolveAccount: async (bank, { companyId }) => {
      const account = await environment.accountAt(companyId, bank);
      return account && holderOf(account);
    },
    resolveCharge: ({ url }, context) => chargeAt(url, context, environment),
  };
}

async function ownerOf(key: PixKey, context: RequestContext, environment: Environment): Promise<KeyOwner | undefined> {
  if (key.key === reservedKeys.notFound) return undefined;
  if (key.key === reservedKeys.unavailable)
    throw new BankUnavailable('The simulated bank is unavailable for this reserved value.');
  if (key.key === reservedKeys.ownerMismatch) return { ...fakeOwner(key), ...mismatchingOwner };
  if (key.type !== 'RANDOM') {
    const account = await environment.accountOfKey(context.companyId, key);
    return (account && holderOf(account)) ?? fakeOwner(key);
  }
  const account =
    (await environment.account(context.companyId, key.key)) ?? (await environment.accountOfKey(context.companyId, key));
  // The key of a closed account does not exist.
  return account?.status === 'CLOSED' ? undefined : ((account && holderOf(account)) ?? fakeOwner(key));
}

async function chargeAt(url: string, context: RequestContext, environment: Environment): Promise<Charge | undefined> {
  const reserved = url.slice(url.lastIndexOf('/') + 1);
  if (reserved === reservedCharges.notFound) return undefined;
  if (reserved === reservedCharges.expired) return { state: 'EXPIRED' };
  if (reserved === reservedCharges.notPayable) return { state: 'NOT_PAYABLE' };
  if (reserved === reservedCharges.unavailable)
    throw new BankUnavailable('The simulated bank is unavailable for this reserved value.');
  const orderId = orderOfLocation(environment.pixHost, url);
  const charge = orderId === undefined ? undefined : await environment.charge(context.companyId, orderId);
  return charge === undefined ? fakeCharge(url) : ownCharge(charge, context, environment);
}

async function ownCharge(charge: OwnCharge, context: RequestContext, environment: Environment): Promise<Charge> {
  if (charge.status === 'EXPIRED') return { state: 'EXPIRED' };
  if (charge.status !== 'PENDING') return { state: 'NOT_PAYABLE' };
  if (charge.expireDateTime <= context.at) return { state: 'EXPIRED' };
  const key: PixKey = { type: 'RANDOM', key: charge.accountId };
  const owner = await ownerOf(key, context, environment);
  if (owner === undefined) return { state: 'NOT_PAYABLE' };
  return { state: 'OPEN', key, owner, txid: charge.conciliationId, amount: charge.amount, payInId: charge.id };
}

function fakeCharge(url: string): Charge {
  const hex = createHash('sha256').update(url).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)];
  const key: PixKey = { type: 'RANDOM', key: parts.join('-') };
  return { state: 'OPEN', key, owner: fakeOwner(key), txid: hex.slice(32) };
}

/** ISPBs of the banks of fake payers and receivers. */
export const simulatedIspbs = ['00000000', '60701190', '18236120', '60746948', '90400888', '00360305'] as const;

const firstNames = ['Ana', 'Bruno', 'Carla', 'Davi', 'Elisa', 'Fábio', 'Helena', 'João', 'Lívia', 'Marcos'] as const;
const lastNames = ['Almeida', 'Barbosa', 'Cardoso', 'Duarte', 'Fonseca', 'Gonçalves', 'Moreira', 'Ribeiro'] as const;
const trades = ['Alimentos', 'Comércio', 'Engenharia', 'Logística', 'Papelaria', 'Serviços', 'Tecnologia'] as const;

/** A CPF or CNPJ directly before the `@`, at the beginning or after a dot, plus, hyphen or underscore. */
const documentInAddress = /(?:^|[.+_-])([0-9]{11}|[0-9a-z]{12}[0-9]{2})@/;

/**
 * Returns the fake owner of a key, always the same one, with a valid document: that of a CPF or CNPJ key, or the one in
 * an e-mail key (`maria.52998224725@example.com`), so that a caller can choose an owner that `receiver` matches.
 */
function fakeOwner({ type, key }: PixKey): KeyOwner {
  const digits = digitsOf(key);
  const document = documentOfKey({ type, key }) ?? fakeDocument(digits(0, 8) % 2 === 0 ? 'CPF' : 'CNPJ', digits);
  const pickFrom = (from: readonly string[], at: number): string => from[digits(at, 4) % from.length] ?? '';
  const person = `${pickFrom(firstNames, 0)} ${pickFrom(lastNames, 4)}`;
  const ispb = pickFrom(simulatedIspbs, 8);
  const bank = bankByIspb(ispb);
  return {
    name: document.type === 'CPF' ? person : `${pickFrom(lastNames, 4)} ${pickFrom(trades, 12)} Ltda`,
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

/** Returns a document of digits from the key's digest, with valid check digits. */
function fakeDocument(type: DocumentType, digits: Digits): Document {
  const base = type === 'CPF' ? pad(digits(32, 8) % 1_000_000_000, 9) : `${pad(digits(32, 8) % 100_000_000, 8)}0001`;
  for (let check = 0; check < 100; check += 1) {
    const number = base + pad(check, 2);
    if (isValidDocument(type, number)) return { type, number };
  }
  // Only nine equal digits have no valid check digits.
  return { type: 'CPF', number: '52998224725' };
}

type Digits = (at: number, length: number) => number;

/** Returns a function of numbers from a text's digest, by their position and length in its 64 hexadecimal digits. */
function digitsOf(text: string): Digits {
  const digest = createHash('sha256').update(text).digest('hex');
  return (at, length) => Number.parseInt(digest.slice(at, at + length), 16);
}

function pad(number: number, length: number): string {
  return String(number).padStart(length, '0');
}
