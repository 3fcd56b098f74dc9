import type { Clock } from '../core/brasilia-time.ts';
import { nowMs } from '../platform/clock.ts';
import type { Store } from '../platform/table/store.ts';
import type { BankClient } from './api-pix/client.ts';
import { bankClient } from './api-pix/client.ts';
import type { Connected } from './api-pix/connected.ts';
import { gate } from './api-pix/gate.ts';
import type { BankConnection } from './connection.ts';
import { countUnknownKey, isAllowedAddress, readConnection, writePause } from './connection.ts';
import { recurrenceLocations } from './recurrence-locations.ts';
import type { FetchSecret } from './secret.ts';
import { keptSecret } from './secret.ts';

/** The bank of a company; undefined for one without a connection. @throws CorruptItem */
export type ConnectedOf = (companyId: string) => Promise<Connected | undefined>;

type ConnectionsOptions = {
  readonly store: Store;
  readonly now: Clock;
  readonly fetchSecret: FetchSecret;
  /** Banks on this machine: only in the local environment. */
  readonly allowLocal: boolean;
};

/** A connection, or that there is none, is read again after so long: what an operator or another process changed. */
const readEveryMs = 5000;

type Known = { readAtMs: number; connection: Promise<BankConnection | undefined>; client?: OpenClient };
type OpenClient = { readonly of: string; readonly client: BankClient };

/** The connections of a process: of each company one client with its token, its TLS sessions and its pauses. */
export function connections(options: ConnectionsOptions): ConnectedOf {
  const { store } = options;
  const known = new Map<string, Known>();
  const current = (companyId: string): Known => {
    const one = known.get(companyId);
    if (one !== undefined && nowMs() - one.readAtMs < readEveryMs) return one;
    const connection = readConnection(store, companyId);
    const next = { ...one, readAtMs: nowMs(), connection };
    known.set(companyId, next);
    // A read that failed is not kept.
    connection.catch(() => {
      next.readAtMs = -Infinity;
    });
    return next;
  };
  /** After a write of this process's own. */
  const forget = (companyId: string): void => {
    const one = known.get(companyId);
    if (one !== undefined) one.readAtMs = -Infinity;
  };
  return async (companyId) => {
    const entry = current(companyId);
    const connection = await entry.connection;
    if (connection === undefined) return undefined;
    const { apiUrl, tokenUrl, secret } = connection;
    const of = JSON.stringify([apiUrl, tokenUrl, secret]);
    if (entry.client?.of !== of) entry.client = { of, client: openClient(connection, options, { current, forget }) };
    return {
      ...{ connection, client: entry.client.client, recurrences: recurrenceLocations(store, companyId) },
      countUnknownKey: async (at) => {
        await countUnknownKey(store, connection, at);
        forget(companyId);
      },
    };
  };
}

function openClient(
  { companyId, apiUrl, tokenUrl, secret }: BankConnection,
  { store, now, fetchSecret, allowLocal }: ConnectionsOptions,
  { current, forget }: { readonly current: (id: string) => Known; readonly forget: (id: string) => void },
): BankClient {
  if (![apiUrl, tokenUrl].every((url) => isAllowedAddress(url, allowLocal)))
    throw new Error('The address of a bank is one that this environment does not call.');
  return bankClient({
    ...{ apiUrl, tokenUrl, secret: keptSecret(secret, fetchSecret) },
    gate: gate({
      ...{ companyId, now },
      paused: async () => (await current(companyId).connection)?.paused,
      write: async (next, seen) => {
        const isWritten = await writePause(store, companyId, next, seen);
        forget(companyId);
        return isWritten;
      },
    }),
  });
}
