import { bankAccountTypes } from '#shared/accounts/model.ts';
import type { BankAccountType } from '#shared/accounts/model.ts';

/**
 * The bank's treatment of a command that it has already: an error, the same reply again, or a second execution. The
 * last kind is never submitted twice without an operator.
 */
export type Repetition = 'REFUSED' | 'ANSWERED_AGAIN' | 'CARRIED_OUT_AGAIN';

/** Capabilities of a company's bank. */
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
  /** Owner data in a lookup of a key in the DICT. */
  readonly keyLookup: 'FULL' | 'MASKED' | 'NONE';
  readonly balance: boolean;
  /** Side that resends a recurring charge after a settlement error; `bank`: the service makes no resend. */
  readonly retryOwner: 'us' | 'bank';
  readonly repetition: Readonly<
    Record<'refund' | 'recurrence' | 'recurrenceCancellation' | 'recurringCharge' | 'payout', Repetition>
  >;
  /** Whether the bank must be asked what became of a command that it accepted (`shared/bank/polling.ts`). */
  readonly isPolled: boolean;
  /** Cause of the bank's transitions: the simulation, tools at a bank on this machine, else the bank itself. */
  readonly settlementDriver: 'simulation' | 'tools' | 'bank';
};

/** Capabilities of the simulated bank, which is not polled. */
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
  retryOwner: 'us',
  repetition: {
    refund: 'ANSWERED_AGAIN',
    recurrence: 'ANSWERED_AGAIN',
    recurrenceCancellation: 'ANSWERED_AGAIN',
    recurringCharge: 'ANSWERED_AGAIN',
    payout: 'ANSWERED_AGAIN',
  },
  isPolled: false,
  settlementDriver: 'simulation',
};
