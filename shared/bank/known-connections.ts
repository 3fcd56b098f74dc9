import { nowMs } from '../platform/clock.ts';
import type { Store } from '../platform/table/store.ts';
import type { BankConnection } from './connection.ts';
import { readConnection } from './connection.ts';

/** The connections of companies as a process knows them. */
export type KnownConnections = {
  /** Undefined: the company has no bank of its own. @throws CorruptItem */
  readonly of: (companyId: string) => Promise<BankConnection | undefined>;
  /** After a write of this process's own. */
  readonly forget: (companyId: string) => void;
};

/** A connection is read again after so long: what an operator or another process changed. */
const readEveryMs = 5000;
/**
 * The same of none where companies without connection have the simulated bank: almost all of them, and no money goes a
 * wrong way meanwhile.
 */
const simulatedForMs = 60_000;

type Known = {
  readonly readAtMs: number;
  readonly connection: Promise<BankConnection | undefined>;
  keptMs: number;
};

/** @param hasSimulatedBank Whether a company without connection has the simulated bank. */
export function knownConnections(store: Store, hasSimulatedBank: boolean): KnownConnections {
  const known = new Map<string, Known>();
  const forget = (companyId: string): void => {
    known.delete(companyId);
  };
  const read = (companyId: string): Promise<BankConnection | undefined> => {
    const connection = readConnection(store, companyId);
    const entry: Known = { readAtMs: nowMs(), connection, keptMs: readEveryMs };
    known.set(companyId, entry);
    connection.then(
      (found) => {
        if (found === undefined && hasSimulatedBank) entry.keptMs = simulatedForMs;
      },
      // A read that failed is not kept.
      () => {
        if (known.get(companyId) === entry) forget(companyId);
      },
    );
    return connection;
  };
  return {
    of: (companyId) => {
      const one = known.get(companyId);
      return one !== undefined && nowMs() - one.readAtMs < one.keptMs ? one.connection : read(companyId);
    },
    forget,
  };
}
