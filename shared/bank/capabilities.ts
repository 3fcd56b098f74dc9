import { bankAccountTypes } from '#shared/accounts/model.ts';
import type { BankAccountType } from '#shared/accounts/model.ts';

/**
 * What the bank does with a command that it has already: it says so, it answers it again, or it carries it out again.
 * The last kind is never submitted twice without an operator.
 */
export type Repetition = 'REFUSED' | 'ANSWERED_AGAIN' | 'CARRIED_OUT_AGAIN';

/** What a company's bank can do. */
export type Capabilities = {
  readonly charges: boolean;
  readonly refunds: boolean;
  readonly recurrences: boolean;
  readonly payouts: {
    readonly byKey: boolean;
    readonly staticCode: boolean;
    readonly dynamicCode: boolean;
    /** Whether several payments may pay one dynamic code: otherwise each would pay it as a whole. */
    readonly dynamicCodeInParts: boolean;
    /** Types of the receiver's account that a PIX by account may go to; empty: none. */
    readonly accountTypes: readonly BankAccountType[];
    readonly ted: boolean;
    readonly cancel: boolean;
  };
  /** What a lookup of a key in the DICT tells of its owner. */
  readonly keyLookup: 'FULL' | 'MASKED' | 'NONE';
  readonly balance: boolean;
  /** Who sends a recurring charge again after a settlement error: with `bank` the service makes no resend. */
  readonly whoResends: 'us' | 'bank';
  readonly repetition: Readonly<
    Record<'refund' | 'recurrence' | 'recurrenceCancellation' | 'recurringCharge' | 'payout', Repetition>
  >;
  /** Whether the bank must be asked what became of a command that it accepted (`shared/bank/polling.ts`). */
  readonly isPolled: boolean;
  /** Who moves what the bank has: the simulation here, tools at a bank on this machine, else the bank by itself. */
  readonly whoMoves: 'simulation' | 'tools' | 'bank';
};

/** Everything, told at once: the simulated bank. */
export const allCapabilities: Capabilities = {
  charges: true,
  refunds: true,
  recurrences: true,
  payouts: {
    byKey: true,
    staticCode: true,
    dynamicCode: true,
    dynamicCodeInParts: true,
    accountTypes: bankAccountTypes,
    ted: true,
    cancel: true,
  },
  keyLookup: 'FULL',
  balance: false,
  whoResends: 'us',
  repetition: {
    refund: 'ANSWERED_AGAIN',
    recurrence: 'ANSWERED_AGAIN',
    recurrenceCancellation: 'ANSWERED_AGAIN',
    recurringCharge: 'ANSWERED_AGAIN',
    payout: 'ANSWERED_AGAIN',
  },
  isPolled: false,
  whoMoves: 'simulation',
};
