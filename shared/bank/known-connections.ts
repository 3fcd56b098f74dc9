import { nowMs } from '../platform/clock.ts';
import type { Store } from '../platform/table/store.ts';
import type { BankConnection, CompanyBanks } from './connection.ts';
import { liveConnections, readBanks } from './connection.ts';

/** The connections of companies as a process knows them. */
export type KnownConnections = {
  /** Returns a company's connections; none: it has no bank of its own. @throws CorruptItem */
  readonly list: (companyId: string) => Promise<CompanyBanks>;
  /** One of them, whatever it serves now: a command keeps its connection. @throws CorruptItem */
  readonly find: (companyId: string, id: string) => Promise<BankConnection | undefined>;
  /** After a write of this process's own. */
  readonly forget: (companyId: string) => void;
};

/** Time after which connections are read again, for changes by an operator or another process. */
const readEveryMs = 5000;
/**
 * The same of none where companies without connection have the simulated bank: almost all of them. What is given to
 * that bank meanwhile stays with it.
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
    // A connection is never removed: one that is not known was made since.
    find: async (companyId, id) => among(await banksOf(companyId), id) ?? among(await read(companyId), id),
    forget,
  };
}
