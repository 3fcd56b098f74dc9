import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import { centavos } from '#shared/core/money.ts';
import type { RequestError } from '#shared/core/errors.ts';
import { forbiddenByState } from '#shared/core/errors.ts';
import type { BankData, Counterpart } from '#shared/core/party.ts';
import { pick } from '#shared/core/pick.ts';

/** A partner can send money only from an `ACTIVE` account. `INACTIVE` can become `ACTIVE` again, `CLOSED` is final. */
export const accountStatuses = ['ACTIVE', 'INACTIVE', 'CLOSED'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

/** An account's money: sums of its ledger entries. Only what the bank takes brings `available` below zero. */
export type Balance = {
  readonly accountId: string;
  /** A copy of the account's status: one condition on the balance requires both money and an active account. */
  readonly accountStatus: AccountStatus;
  readonly available: Centavos;
  /** Reserved for payouts and refunds that are not final. */
  readonly reserved: Centavos;
  /** Held back while the bank examines a claim of a payer. An item without it has 0. */
  readonly blocked: Centavos;
  readonly updatedAt: Instant;
};

/** The maximum of `available` and of `reserved`: 45 trillion BRL. A double is exact up to the sum of both. */
export const maxBalancePart = centavos(4_500_000_000_000_000);

/**
 * Shards of a balance, each an item with a part of the money. DynamoDB runs one transaction at a time on an item, so
 * several shards carry more payments a second. An account has one unless an operator asks for more.
 */
export const maxShards = 32;

/** One shard. `shards`, in the first, is their number; `moves` counts the moves of money to and from other shards. */
export type Shard = Balance & { readonly shards?: number; readonly moves?: number };

/** The maximum of `available` and of `reserved` of a shard but the first, so that the sums stay exact numbers. */
export const maxShardPart = centavos(Math.floor(maxBalancePart / maxShards));

/**
 * The kinds of entries. Payments of a batch that settle together are one entry: `PAYOUT_MOVED` if only some were paid.
 */
export const ledgerKinds = [
  'OPENING',
  'DEPOSIT',
  'PAY_IN',
  'REFUND_RESERVED',
  'REFUND_SETTLED',
  'REFUND_RETURNED',
  'REFUND',
  'REFUND_RECEIVED',
  'PAYOUT_RESERVED',
  'PAYOUT_PAID',
  'PAYOUT_RETURNED',
  'PAYOUT_MOVED',
  'PAYOUT_RECEIVED',
  'PAYOUT_RETURNED_LATE',
  'UNMATCHED_CREDIT',
  'BANK_FEE',
  'MED_BLOCKED',
  'MED_RELEASED',
  'MED_RETURNED',
] as const;
export type LedgerKind = (typeof ledgerKinds)[number];

/**
 * Whose order the entries of a kind have. `OTHER`: of the company's account on the other side of a transfer. Their
 * `orderId` connects both sides for the comparison of orders and entries, and no partner sees it.
 */
const orderOwners: Readonly<Record<LedgerKind, 'NONE' | 'OWN' | 'OTHER'>> = {
  OPENING: 'NONE',
  DEPOSIT: 'NONE',
  PAY_IN: 'OWN',
  REFUND_RESERVED: 'OWN',
  REFUND_SETTLED: 'OWN',
  REFUND_RETURNED: 'OWN',
  REFUND: 'OWN',
  REFUND_RECEIVED: 'OTHER',
  PAYOUT_RESERVED: 'OWN',
  PAYOUT_PAID: 'OWN',
  PAYOUT_RETURNED: 'OWN',
  PAYOUT_MOVED: 'OWN',
  PAYOUT_RECEIVED: 'OTHER',
  PAYOUT_RETURNED_LATE: 'OWN',
  UNMATCHED_CREDIT: 'OWN',
  BANK_FEE: 'OWN',
  MED_BLOCKED: 'OWN',
  MED_RELEASED: 'OWN',
  MED_RETURNED: 'OWN',
};

/** Returns the order that an entry names: one of its own account alone. */
export function ownOrderOf({
  kind,
  orderId,
}: Pick<EntryReferences, 'orderId'> & { readonly kind: LedgerKind }): string | undefined {
  return orderOwners[kind] === 'OWN' ? orderId : undefined;
}

/** References of an entry, so that it explains itself: they have no other place. Each is a fact of its booking. */
export type EntryReferences = {
  /** The order that moved the money. Not always one of the entry's account: see `ownOrderOf`. */
  readonly orderId?: string;
  readonly refundId?: string;
  /** The credit that the money came or goes back with. */
  readonly creditId?: string;
  /** The claim of the payer for which the bank blocks, releases or returns the money. */
  readonly disputeId?: string;
  /** Id of the payment, or of the return, that moved the money. Of several payments of a batch, that of the first. */
  readonly endToEndId?: string;
  readonly controlNumber?: string;
  readonly counterparty?: EntryCounterparty;
};

/** The other side of the payment, as short as it can be told: an entry stays within one write unit. */
export type EntryCounterparty = {
  readonly name: string;
  /** CPF or CNPJ. */
  readonly document: string;
  readonly bank?: Pick<BankData, 'ispb' | 'branch' | 'account'>;
};

/** The largest size of branch and account together that is stored, bytes: the longest that a request can name. */
const bankNumberBytes = 26;

/** Returns the other side of a payment for its entry, without an account whose number is longer than any real one. */
export function counterpartyOf({ name, document, bank }: Counterpart): EntryCounterparty {
  const party = { name, document: document.number };
  const isShort = bank !== undefined && Buffer.byteLength(`${bank.branch ?? ''}${bank.account}`) <= bankNumberBytes;
  return isShort ? { ...party, bank: pick(bank, 'ispb', 'branch', 'account') } : party;
}

/** One change of a balance, never changed itself. Its three parts are differences in centavos. */
export type LedgerEntry = EntryReferences & {
  readonly id: string;
  readonly accountId: string;
  readonly kind: LedgerKind;
  readonly available: Centavos;
  readonly reserved: Centavos;
  /** An item without it has 0. */
  readonly blocked: Centavos;
  readonly at: Instant;
};

export function accountNotActive(status: AccountStatus): RequestError {
  return forbiddenByState('accountId', 'INVALID_VALUE', `The account is ${status}; it must be ACTIVE.`);
}
