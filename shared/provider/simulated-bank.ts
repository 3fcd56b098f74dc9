import { createHash } from 'node:crypto';
import type { Account } from '../domain/account.ts';
import { brazilianDocument } from '../domain/account.ts';
import { orderOfLocation } from '../domain/charge-location.ts';
import { ownerBankOf } from '../domain/owner-bank.ts';
import type { PayIn } from '../domain/pay-in.ts';
import type { PixKey } from '../domain/pix-key.ts';
import type { Asking, Charge, Instruction, KeyOwner, Submission } from './bank.ts';
import { BankUnavailable } from './bank.ts';
import type { UncheckedBank } from './checked-bank.ts';
import { madeUpOwner } from './made-up-owner.ts';

/**
 * Keys with which every outcome can be tried. The domain is reserved for documentation (RFC 2606): none is a real key.
 */
export const RESERVED_KEYS = {
  notFound: 'key-not-found@bank.example',
  /** Belongs to a company that no `receiver` in a test is likely to be. */
  ownerMismatch: 'owner-mismatch@bank.example',
  /** The bank cannot be asked: 503, and the same request with the same key may be repeated. */
  unavailable: 'unavailable@bank.example',
  /** The payout is created, then the bank refuses to send it: `ERROR`. */
  refused: 'refused@bank.example',
  /** The payout is created, but the bank does not answer when it is handed over: it stays `PENDING` and is tried again. */
  silent: 'silent@bank.example',
} as const;

/** Account numbers of payouts to an account (`bankAccount`), TED included, with the outcomes of the keys of these names. */
export const RESERVED_ACCOUNTS = { refused: '00000404', silent: '00000503' } as const;

/** Last segments of the address in a dynamic QR code. */
export const RESERVED_CHARGES = {
  notFound: 'charge-not-found',
  expired: 'charge-expired',
  notPayable: 'charge-not-payable',
  unavailable: 'bank-unavailable',
} as const;

const MISMATCHING_OWNER = { name: 'Outra Pessoa Ltda', document: { type: 'CNPJ', number: '11222333000181' } } as const;

/** What the simulation knows of the environment: the accounts and charges of the company that asks. */
export type Directory = {
  readonly pixHost: string;
  readonly account: (companyId: string, accountId: string) => Promise<Account | undefined>;
  readonly charge: (companyId: string, orderId: string) => Promise<PayIn | undefined>;
};

/**
 * A bank that settles nothing by itself and keeps no memory. It knows the company's own accounts, each under the random
 * key that is its id, and the company's own charges; every other well-formed key or address has a made-up owner, always
 * the same one, and a made-up charge lets the payer choose the amount.
 */
export function simulatedBank(directory: Directory): UncheckedBank {
  return {
    resolveKey: (key, asking) => ownerOf(key, asking, directory),
    resolveCharge: (url, asking) => chargeAt(url, asking, directory),
    submit: (instruction) => submission(instruction),
    cancel: () => Promise.resolve({ canceled: true }),
  };
}

async function ownerOf(key: PixKey, asking: Asking, directory: Directory): Promise<KeyOwner | undefined> {
  if (key.key === RESERVED_KEYS.notFound) return undefined;
  if (key.key === RESERVED_KEYS.unavailable) throw new BankUnavailable('The simulated bank was asked not to answer.');
  if (key.key === RESERVED_KEYS.ownerMismatch) return { ...madeUpOwner(key), ...MISMATCHING_OWNER };
  const account = key.type === 'RANDOM' ? await directory.account(asking.companyId, key.key) : undefined;
  return (account && holderOf(account)) ?? madeUpOwner(key);
}

async function chargeAt(url: string, asking: Asking, directory: Directory): Promise<Charge | undefined> {
  const reserved = url.slice(url.lastIndexOf('/') + 1);
  if (reserved === RESERVED_CHARGES.notFound) return undefined;
  if (reserved === RESERVED_CHARGES.expired) return { state: 'EXPIRED' };
  if (reserved === RESERVED_CHARGES.notPayable) return { state: 'NOT_PAYABLE' };
  if (reserved === RESERVED_CHARGES.unavailable)
    throw new BankUnavailable('The simulated bank was asked not to answer.');
  const orderId = orderOfLocation(directory.pixHost, url);
  const payIn = orderId === undefined ? undefined : await directory.charge(asking.companyId, orderId);
  return payIn === undefined ? madeUpCharge(url) : ownCharge(payIn, asking, directory);
}

async function ownCharge(payIn: PayIn, asking: Asking, directory: Directory): Promise<Charge> {
  if (payIn.status === 'EXPIRED') return { state: 'EXPIRED' };
  if (payIn.status !== 'PENDING') return { state: 'NOT_PAYABLE' };
  if (payIn.expireDateTime <= asking.at) return { state: 'EXPIRED' };
  const key: PixKey = { type: 'RANDOM', key: payIn.accountId };
  const owner = await ownerOf(key, asking, directory);
  if (owner === undefined) return { state: 'NOT_PAYABLE' };
  return { state: 'OPEN', key, owner, txid: payIn.conciliationId, amount: payIn.amount };
}

function madeUpCharge(url: string): Charge {
  const hex = createHash('sha256').update(url).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)];
  const key: PixKey = { type: 'RANDOM', key: parts.join('-') };
  return { state: 'OPEN', key, owner: madeUpOwner(key), txid: hex.slice(32) };
}

function holderOf(account: Account): KeyOwner | undefined {
  const document = brazilianDocument(account);
  return document && { name: account.fullName, document, bank: ownerBankOf(account).bank };
}

function submission({ receiver }: Instruction): Promise<Submission> {
  const named: readonly (string | undefined)[] = [
    receiver.pix?.key,
    receiver.pix === undefined ? receiver.bank?.account : undefined,
  ];
  if (named.includes(RESERVED_KEYS.silent) || named.includes(RESERVED_ACCOUNTS.silent))
    return Promise.reject(new BankUnavailable('The simulated bank was asked not to answer.'));
  if (named.includes(RESERVED_KEYS.refused) || named.includes(RESERVED_ACCOUNTS.refused))
    return Promise.resolve({ accepted: false, reason: 'The account of the receiver does not exist.' });
  return Promise.resolve({ accepted: true });
}
