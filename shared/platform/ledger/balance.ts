import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import { centavos } from '#shared/core/money.ts';
import type { RequestError } from '#shared/core/errors.ts';
import { forbiddenByState } from '#shared/core/errors.ts';

/** A partner can send money only from an `ACTIVE` account. `INACTIVE` can become `ACTIVE` again, `CLOSED` is final. */
export const accountStatuses = ['ACTIVE', 'INACTIVE', 'CLOSED'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

/** An account's money: sums of its ledger entries. Only a fee of the bank takes `available` below zero. */
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
] as const;
export type LedgerKind = (typeof ledgerKinds)[number];

/** One change of a balance, never changed itself. Its three parts are differences in centavos. */
export type LedgerEntry = {
  readonly id: string;
  readonly accountId: string;
  readonly kind: LedgerKind;
  /** Absent for an opening and a deposit. */
  readonly orderId?: string;
  readonly available: Centavos;
  readonly reserved: Centavos;
  /** An item without it has 0. */
  readonly blocked: Centavos;
  readonly at: Instant;
};

export function accountNotActive(status: AccountStatus): RequestError {
  return forbiddenByState('accountId', 'INVALID_VALUE', `The account is ${status}; it must be ACTIVE.`);
}
