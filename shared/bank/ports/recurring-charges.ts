import type { LocalDate } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import type { Acceptance, CommandOutcome, FoundCommand, UncheckedPort } from '../outcome.ts';
import { AcceptanceShape, checkOutcome, checkFound } from '../outcome.ts';

/** One charge of a recurrence, to be collected on a day (BCB, API Pix, CobR). */
type ChargeInstruction = {
  /** Ours, the same on every repetition: the charge's `txid`. */
  readonly reference: string;
  readonly recurrenceId: string;
  readonly endToEndId: string;
  readonly amount: Centavos;
  readonly settlementDate: LocalDate;
  readonly description?: string;
  /** Of a new attempt, or of a resend, the `txid` of the charge that it repeats. */
  readonly repeats?: string;
};

/** A request that the bank of the payer shall not collect a charge. */
type ChargeWithdrawal = {
  /** Ours, the same on every repetition: another one than the charge's. */
  readonly reference: string;
  readonly charge: string;
  readonly reason: string;
};

/** A command of either kind. */
export type RecurringCommand = ChargeInstruction | ChargeWithdrawal;

export type RecurringCharges = {
  /** Who sends a charge again after a settlement error: with `bank` the service makes no resend of its own. */
  readonly whoResends: 'us' | 'bank';
  readonly schedule: (charge: ChargeInstruction) => Promise<CommandOutcome<Acceptance>>;
  readonly withdraw: (withdrawal: ChargeWithdrawal) => Promise<CommandOutcome<Acceptance>>;
  /** What became of a command that was submitted, or may have been, by its reference. */
  readonly find: (command: RecurringCommand) => Promise<FoundCommand<Acceptance>>;
};

/** The part of the bank that charges recurrences. Who charges carries this port and no other: a bundle stays small. */
export type ChargeBank = { readonly recurringCharges: RecurringCharges };

/** A bank's recurring charges before their answers were looked at; who resends is a property of its adapter. */
export type UncheckedRecurringCharges = UncheckedPort<Omit<RecurringCharges, 'whoResends'>> &
  Pick<RecurringCharges, 'whoResends'>;

export function checkedRecurringCharges(charges: UncheckedRecurringCharges): RecurringCharges {
  return {
    whoResends: charges.whoResends,
    schedule: (charge) => checkOutcome(AcceptanceShape, () => charges.schedule(charge)),
    withdraw: (withdrawal) => checkOutcome(AcceptanceShape, () => charges.withdraw(withdrawal)),
    find: (command) => checkFound(AcceptanceShape, () => charges.find(command)),
  };
}
