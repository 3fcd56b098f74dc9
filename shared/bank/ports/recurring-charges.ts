import type { LocalDate } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import type { Acceptance, CommandOutcome, FoundCommand, UncheckedPort } from '../outcome.ts';
import { AcceptanceShape, checkOutcome, checkFound } from '../outcome.ts';

/** One charge of a rec for a day: the `cobr` of the BCB's API Pix. */
type ChargeInstruction = {
  /** The `txid` of the cobr, the same on every repetition. */
  readonly reference: string;
  readonly recurrenceId: string;
  readonly endToEndId: string;
  readonly amount: Centavos;
  readonly settlementDate: LocalDate;
  readonly description?: string;
  /** `txid` of the cobr that a new attempt or a resend repeats. */
  readonly repeats?: string;
};

/** A request to cancel a cobr before the payer's bank collects it. */
type ChargeWithdrawal = {
  /** The same on every repetition, and not the cobr's own. */
  readonly reference: string;
  readonly charge: string;
  readonly reason: string;
};

export type RecurringCommand = ChargeInstruction | ChargeWithdrawal;

export type RecurringCharges = {
  /** Who sends a cobr again after a settlement error: with `bank` the service makes no resend. */
  readonly whoResends: 'us' | 'bank';
  readonly schedule: (charge: ChargeInstruction) => Promise<CommandOutcome<Acceptance>>;
  readonly withdraw: (withdrawal: ChargeWithdrawal) => Promise<CommandOutcome<Acceptance>>;
  /** The command of a reference. */
  readonly find: (command: RecurringCommand) => Promise<FoundCommand<Acceptance>>;
};

/** This port alone, for small bundles. */
export type ChargeBank = { readonly recurringCharges: RecurringCharges };

/** The unchecked port; `whoResends` is a property of the adapter. */
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
