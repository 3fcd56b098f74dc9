import type { Instant } from '../core/brasilia-time.ts';
import type { BankClient } from './bank-client.ts';
import type { BankConnection } from './connection.ts';
import type { RecurrenceMemory } from './recurrence-locations.ts';

/** A company's bank: its connection, its client, and what is remembered beside the bank. */
export type Connected = {
  readonly connection: BankConnection;
  readonly client: BankClient;
  readonly recurrences: RecurrenceMemory;
  /** Counts a payout that was refused for an unknown key. */
  readonly countUnknownKey: (at: Instant) => Promise<void>;
};
