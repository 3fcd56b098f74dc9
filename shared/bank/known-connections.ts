import { nowMs } from '../platform/clock.ts';
import type { Store } from '../platform/table/store.ts';
import type { BankConnection, CompanyBanks } from './connection.ts';
import { liveConnections, readBanks } from './connection.ts';

/** The connections of companies as a process knows them. */
export type KnownConnections = {
  /** Returns a company's connections; empty for a company without a bank of its own. @throws CorruptItem */
  readonly list: (companyId: string) => Promise<CompanyBanks>;
  /** Returns a connection, even if it serves no account now: a command keeps its connection. @throws CorruptItem */
  readonly find: (companyId: string, id: string) => Promise<BankConnection | undefined>;
  /** Drops a company's connections from memory, after this process changed them. */
  readonly forget: (companyId: string) => void;
};

/**
 * Milliseconds after which connections are read again, because an operator or another process may have changed them.
 */
const readEveryMs = 5000;
/**
 * The same for a company without live connections where the simulated bank serves such companies: almost all of them.
 * Commands that the simulated bank gets in this time stay with it.
 */
const simulatedForMs = 60_000;

type Known = {
  readonly readAtMs: number;
  readonly banks: Promise<CompanyBanks>;
  keptMs: number;
};

/** @param hasSimulatedBank Whether a company without connection has the simulated bank. */
export function knownConnections(store: Store, hasSimulatedBank: boolean): KnownConnections {
  const known = new Map<string, Known>();
  const forget = (companyId: string): void => {
    known.delete(companyId);
  };
  const read = (companyId: string): Promise<CompanyBanks> => {
    const banks = readBanks(store, companyId);
    const entry: Known = { readAtMs: nowMs(), banks, keptMs: readEveryMs };
    known.set(companyId, entry);
    banks.then(
      (found) => {
        if (liveConnections(found).length === 0 && hasSimulatedBank) entry.keptMs = simulatedForMs;
      },
      // A read that failed is not kept.
      () => {
        if (known.get(companyId) === entry) forget(companyId);
      },
    );
    return banks;
  };
  const banksOf = (companyId: string): Promise<CompanyBanks> => {
    const entry = known.get(companyId);
    return entry !== undefined && nowMs() - entry.readAtMs < entry.keptMs ? entry.banks : read(companyId);
  };
  const among = ({ connections }: CompanyBanks, id: string) => connections.find((connection) => connection.id === id);
  return {
    list: banksOf,
    // A connection is never removed. An id that is not in memory may belong to a newer connection, so it is read again.
    find: async (companyId, id) => among(await banksOf(companyId), id) ?? among(await read(companyId), id),
    forget,
  };
}
