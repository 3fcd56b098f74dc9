import { bankAccountTypes } from '#shared/accounts/model.ts';
import type { BankAccountType } from '#shared/accounts/model.ts';
import type { PixKey } from '#shared/core/pix-key.ts';

/**
 * The bank's response to a command that it has already: an error, the same reply again, or a second execution. A
 * command of the last kind is submitted again only after an operator allows it.
 */
export type Repetition = 'REFUSED' | 'ANSWERED_AGAIN' | 'CARRIED_OUT_AGAIN';

/** Capabilities of a company's bank. */
export type Capabilities = {
  readonly charges: boolean;
  readonly refunds: boolean;
  /** Whether the bank lists the claims of payers (MED) and takes defences. */
  readonly claims: boolean;
  readonly recurrences: boolean;
  readonly payouts: {
    readonly byKey: boolean;
    readonly staticCode: boolean;
    readonly dynamicCode: boolean;
    /** Whether several payments may each pay a part of one dynamic code. Otherwise each would pay the whole amount. */
    readonly dynamicCodeInParts: boolean;
    /** Account types that a PIX to an account may go to. Empty: the bank takes no PIX to an account. */
    readonly accountTypes: readonly BankAccountType[];
    readonly ted: boolean;
    /** Account types that a TED may go to. */
    readonly tedAccountTypes: readonly BankAccountType[];
    readonly cancel: boolean;
  };
  /** Types of PIX keys that the bank registers for an account. */
  readonly keys: readonly PixKey['type'][];
  /**
   * Owner data in a lookup of a key in the DICT. `MASKED`: the name, and whether a document that we send is the
   * owner's.
   */
  readonly keyLookup: 'FULL' | 'MASKED' | 'NONE';
  readonly balance: boolean;
  /** Side that resends a recurring charge after a settlement error; `bank`: the service makes no resend. */
  readonly retryOwner: 'us' | 'bank';
  readonly repetition: Readonly<
    Record<
      | 'refund'
      | 'defence'
      | 'key'
      | 'recurrence'
      | 'recurrenceCancellation'
      | 'recurringCharge'
      /** A Pix by key or code, a Pix to an account, a TED. */
      | 'payout'
      | 'accountPayout'
      | 'ted',
      Repetition
    >
  >;
  /** Whether the service must poll the bank for the result of an accepted command (`shared/bank/polling.ts`). */
  readonly isPolled: boolean;
  /** The cause of the bank's transitions: the simulation, the tools (a bank on this machine), or the bank itself. */
  readonly settlementDriver: 'simulation' | 'tools' | 'bank';
};

/** Capabilities of the simulated bank, which is not polled. */
export const allCapabilities: Capabilities = {
  charges: true,
  refunds: true,
  claims: true,
  recurrences: true,
  payouts: {
    byKey: true,
    staticCode: true,
    dynamicCode: true,
    dynamicCodeInParts: true,
    accountTypes: bankAccountTypes,
    ted: true,
    tedAccountTypes: bankAccountTypes,
    cancel: true,
  },
  keys: ['EMAIL', 'PHONE', 'CNPJ', 'RANDOM'],
  keyLookup: 'FULL',
  balance: false,
  retryOwner: 'us',
  repetition: {
    refund: 'ANSWERED_AGAIN',
    defence: 'ANSWERED_AGAIN',
    key: 'ANSWERED_AGAIN',
    recurrence: 'ANSWERED_AGAIN',
    recurrenceCancellation: 'ANSWERED_AGAIN',
    recurringCharge: 'ANSWERED_AGAIN',
    payout: 'ANSWERED_AGAIN',
    accountPayout: 'ANSWERED_AGAIN',
    ted: 'ANSWERED_AGAIN',
  },
  isPolled: false,
  settlementDriver: 'simulation',
};

/**
 * Returns the side that makes a resend after a settlement error. The simulated bank moves nothing by itself: the
 * service makes the resend for it, also where it stands for a bank that makes its own.
 */
export function resenderOf({
  retryOwner,
  settlementDriver,
}: Pick<Capabilities, 'retryOwner' | 'settlementDriver'>): Capabilities['retryOwner'] {
  return settlementDriver === 'simulation' ? 'us' : retryOwner;
}
