import type { Clock } from '../core/brasilia-time.ts';
import type { Store } from '../platform/table/store.ts';
import type { BankClient } from './api-pix/client.ts';
import { bankClient } from './api-pix/client.ts';
import type { Connected } from './api-pix/connected.ts';
import type { Exchanges, Identity } from './api-pix/exchange.ts';
import { exchanges } from './api-pix/exchange.ts';
import { gate } from './api-pix/gate.ts';
import { callsMemory } from './bank-calls.ts';
import type { BankConnection } from './connection.ts';
import { countUnknownKey, isAllowedAddress, writePause } from './connection.ts';
import type { KnownConnections } from './known-connections.ts';
import type { report } from './report.ts';
import { recurrenceLocations } from './recurrence-locations.ts';
import type { FetchSecret } from './secret.ts';
import { keptSecret } from './secret.ts';

/** The bank behind a connection of a company; undefined for one that has ended. @throws CorruptItem */
export type ConnectedOf = (companyId: string, connection: string) => Promise<Connected | undefined>;

type ConnectionsOptions = {
  readonly store: Store;
  readonly known: KnownConnections;
  readonly now: Clock;
  readonly fetchSecret: FetchSecret;
  /** Banks on this machine: only in the local environment. */
  readonly allowLocal: boolean;
  /** Where nobody runs the service, nobody is told. */
  readonly report: typeof report;
  /** The way to the banks; mTLS without. */
  readonly exchangesOf?: (identity: Identity) => Exchanges;
};

type OpenClient = { readonly of: string; readonly client: BankClient };

/** The connections of a process: of each one client with its token, its TLS sessions and its pauses. */
export function connections(options: ConnectionsOptions): ConnectedOf {
  const { store, known } = options;
  const clients = new Map<string, OpenClient>();
  return async (companyId, id) => {
    const connection = await known.find(companyId, id);
    if (connection === undefined || connection.endedAt !== undefined) return undefined;
    const { apiUrl, tokenUrl, secret } = connection;
    const of = JSON.stringify([apiUrl, tokenUrl, secret]);
    const open = clients.get(id);
    const { client } = open?.of === of ? open : { client: openClient(connection, options) };
    clients.set(id, { of, client });
    return {
      connection,
      client,
      recurrences: recurrenceLocations(store, connection),
      countUnknownKey: async (at) => {
        await countUnknownKey(store, connection, at);
        known.forget(companyId);
      },
    };
  };
}

function openClient(
  { id, companyId, apiUrl, tokenUrl, secret }: BankConnection,
  { store, known, now, fetchSecret, allowLocal, report, exchangesOf }: ConnectionsOptions,
): BankClient {
  if (![apiUrl, tokenUrl].every((url) => isAllowedAddress(url, allowLocal)))
    throw new Error('The address of a bank is one that this environment does not call.');
  const calls = callsMemory(store, { companyId, id }, now);
  return bankClient({
    apiUrl,
    tokenUrl,
    secret: keptSecret(secret, fetchSecret),
    met: calls.met,
    exchangesOf: exchangesOf ?? ((identity) => exchanges(identity, { allowLocal })),
    refused: (cause, operation) => {
      report('BankAccessRefused', { companyId, connectionId: id, cause, operation });
    },
    misled: (fields) => {
      report('AnswersAboutOthers', { companyId, connectionId: id, fields });
    },
    gate: gate({
      companyId,
      now,
      ofKind: calls.pauseOf,
      report: (what, where) => {
        report(what, { ...where, connectionId: id });
      },
      paused: async () => (await known.find(companyId, id))?.paused,
      write: async (next, seen) => {
        const isWritten = await writePause(store, { companyId, id }, next, seen);
        known.forget(companyId);
        return isWritten;
      },
    }),
  });
}
