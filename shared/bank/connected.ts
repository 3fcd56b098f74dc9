import type { Instant } from '../core/brasilia-time.ts';
import type { BankClient } from './calls/bank-client.ts';
import type { BankConnection } from './connection.ts';
import type { RecurrenceMemory } from './recurrence-locations.ts';

/** A company's bank: its connection, its client, and the stored locations of its recs. */
export type Connected = {
  readonly connection: BankConnection;
  readonly client: BankClient;
  readonly recurrences: RecurrenceMemory;
  /** Counts a payout that the bank refused because the DICT does not have its key. */
  readonly countUnknownKey: (at: Instant) => Promise<void>;
};
