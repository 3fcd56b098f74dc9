import type { Instant } from '../core/brasilia-time.ts';
import type { Centavos } from '../core/money.ts';
import { subtractCentavos } from '../core/money.ts';
import type { Counterpart } from '../core/party.ts';

/** Why a payer claims money back (BCB, Mecanismo Especial de Devolução): fraud, or an error of a bank. */
export const disputeKinds = ['FRAUD', 'OPERATIONAL_ERROR'] as const;
export type DisputeKind = (typeof disputeKinds)[number];

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
  /** Of the payment. */
  readonly endToEndId: string;
  readonly kind: DisputeKind;
  readonly status: DisputeStatus;
  /** What the payer claims. */
  readonly amount: Centavos;
  /** What is blocked now: less than `amount` while the account has less. */
  readonly blockedAmount: Centavos;
  /** What went back. */
  readonly returnedAmount: Centavos;
  /** Until when the bank takes a defence, by the company's clock. */
  readonly dueAt: Instant;
  /** The words of the payer's bank. */
  readonly reason: string;
  readonly details?: string;
  /** Who claims the money, as the payment names them. */
  readonly payer?: Counterpart;
  readonly statusHistory: readonly { readonly status: DisputeStatus; readonly createdAt: Instant }[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** The connection to the bank that received the payment; absent for the simulated bank. */
  readonly connection?: string;
  readonly version: number;
};

/** The partner's answer to a claim. */
export type Defence = {
  readonly id: string;
  readonly disputeId: string;
  readonly text: string;
  readonly documents: readonly string[];
  readonly createdAt: Instant;
};

export type DisputeWithDefences = { readonly dispute: Dispute; readonly defences: readonly Defence[] };

export function isUndecided({ status }: Pick<Dispute, 'status'>): boolean {
  return undecided.includes(status);
}

/** What is claimed and not blocked yet. */
export function missingAmount({ amount, blockedAmount }: Pick<Dispute, 'amount' | 'blockedAmount'>): Centavos {
  return subtractCentavos(amount, blockedAmount);
}
