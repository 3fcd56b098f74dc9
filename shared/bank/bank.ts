import type { Charges } from './ports/charges.ts';
import type { Directory } from './ports/directory.ts';
import type { Payouts } from './ports/payouts.ts';
import type { Recurrences } from './ports/recurrences.ts';
import type { Refunds } from './ports/refunds.ts';

/**
 * The bank behind the service, a port for each thing it can do. Questions have an answer or throw `BankUnavailable`.
 * Commands carry a reference of ours, stable for ever, and have an end (`CommandEnd`).
 */
export type Bank = {
  readonly directory: Directory;
  readonly payouts: Payouts;
  readonly charges: Charges;
  readonly recurrences: Recurrences;
  readonly refunds: Refunds;
};
