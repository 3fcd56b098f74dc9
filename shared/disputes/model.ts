import type { Instant } from '../core/brasilia-time.ts';
import type { DisputeKind } from '../core/dispute-kind.ts';
import type { Centavos } from '../core/money.ts';
import { subtractCentavos } from '../core/money.ts';
import type { Counterpart } from '../core/party.ts';

/** `ACCEPTED`: the claim is accepted, and money goes back. `CANCELED`: the payer's bank withdrew it. */
export const disputeStatuses = ['OPEN', 'DEFENDED', 'ACCEPTED', 'REJECTED', 'CANCELED'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

/** Statuses in which the bank has not decided. */
const undecided: readonly DisputeStatus[] = ['OPEN', 'DEFENDED'];

/**
 * A received payment that its payer claims back through the banks (MED). Until the bank has decided, it blocks the
 * money in the account.
 */
export type Dispute = {
  readonly id: string;
  readonly accountId: string;
  /** The pay-in that the payment paid. */
  readonly orderId?: string;
  /** The credit, if no open charge expected the payment. */
  readonly creditId?: string;
  /** End-to-end id of the disputed payment. */
  readonly endToEndId: string;
  readonly kind: DisputeKind;
  readonly status: DisputeStatus;
  /** The amount that the payer claims. */
  readonly amount: Centavos;
  /** The amount that is blocked now: less than `amount` while the account has less. */
  readonly blockedAmount: Centavos;
  /** The amount that went back. */
  readonly returnedAmount: Centavos;
  /** The time until which the bank takes a defence, by the company's clock. */
  readonly dueAt: Instant;
  /** The words of the payer's bank. */
  readonly reason: string;
  readonly details?: string;
  /** The payer who claims the money, as the payment names them. */
  readonly payer?: Counterpart;
  readonly statusHistory: readonly { readonly status: DisputeStatus; readonly createdAt: Instant }[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** The connection to the bank that received the payment; absent for the simulated bank. */
  readonly connection?: string;
  /** The bank's id of the claim; absent at the simulated bank, and while the bank lists none. */
  readonly claimId?: string;
  /** When the claim was created at the bank. */
  readonly claimedAt?: Instant;
  readonly version: number;
};

/** `SENT`: the bank has it. `REFUSED`: the bank does not take it. */
export const defenceStatuses = ['PENDING', 'SENT', 'REFUSED'] as const;
type DefenceStatus = (typeof defenceStatuses)[number];

/** The partner's answer to a claim. */
export type Defence = {
  readonly id: string;
  readonly disputeId: string;
  readonly text: string;
  readonly documents: readonly string[];
  /** Absent at the simulated bank, which takes every defence at once. */
  readonly status?: DefenceStatus;
  /** Why the bank refused it. */
  readonly errorMessage?: string;
  readonly createdAt: Instant;
  /** The client whose request it is. */
  readonly createdBy?: string;
};

/** Whether a defence waits for the bank. */
export function isPending({ status }: Pick<Defence, 'status'>): boolean {
  return status === 'PENDING';
}

export type DisputeWithDefences = { readonly dispute: Dispute; readonly defences: readonly Defence[] };

export function isUndecided({ status }: Pick<Dispute, 'status'>): boolean {
  return undecided.includes(status);
}

/** Returns the amount that is claimed and not blocked yet. */
export function missingAmount({ amount, blockedAmount }: Pick<Dispute, 'amount' | 'blockedAmount'>): Centavos {
  return subtractCentavos(amount, blockedAmount);
}
