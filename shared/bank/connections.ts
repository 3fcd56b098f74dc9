import type { Clock } from '../core/brasilia-time.ts';
import type { Store } from '../platform/table/store.ts';
import type { BankConnection } from './connection.ts';
import { countUnknownKey, isAllowedAddress, writePause } from './connection.ts';
import { open } from './dialects/dialects.ts';
import type { Connected } from '#shared/bank/connected.ts';
import type { OpenTools } from './dialects/manifest.ts';
import type { KnownConnections } from './known-connections.ts';

/** Returns the bank behind a connection of a company; undefined for a connection that has ended. @throws CorruptItem */
export type ConnectedOf = (companyId: string, connection: string) => Promise<Connected | undefined>;

type ConnectionsOptions = Omit<OpenTools, 'paused' | 'writePause'> & {
  readonly store: Store;
  readonly known: KnownConnections;
  readonly now: Clock;
};

type Opened = Pick<Connected, 'client' | 'recurrences'>;
type KnownClient = { readonly key: string; readonly opened: Opened };

/** Opens the connections of a process. Each has one client with its token, its TLS sessions and its pauses. */
export function connections(options: ConnectionsOptions): ConnectedOf {
  const { store, known } = options;
  const clients = new Map<string, KnownClient>();
  return async (companyId, id) => {
    const connection = await known.find(companyId, id);
    if (connection === undefined || connection.endedAt !== undefined) return undefined;
    const { apiUrl, tokenUrl, secret } = connection;
    const identity = JSON.stringify([apiUrl, tokenUrl, secret]);
    const before = clients.get(id);
    const opened = before?.key === identity ? before.opened : openClient(connection, options);
    clients.set(id, { key: identity, opened });
    return {
      ...opened,
      connection,
      countUnknownKey: async (at) => {
        await countUnknownKey(store, connection, at);
        known.forget(companyId);
      },
    };
  };
}

function openClient(connection: BankConnection, { known, ...tools }: ConnectionsOptions): Opened {
  const { id, companyId, dialect, apiUrl, tokenUrl } = connection;
  if (![apiUrl, tokenUrl ?? apiUrl].every((url) => isAllowedAddress(url, tools.allowLocal)))
    throw new Error('This environment must not call the address of the bank.');
  return open[dialect](connection, {
    ...tools,
    paused: async () => (await known.find(companyId, id))?.paused,
    writePause: async (next, seen) => {
      const isWritten = await writePause(tools.store, { companyId, id }, next, seen);
      known.forget(companyId);
      return isWritten;
    },
  });
}
