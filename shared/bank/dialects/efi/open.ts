import { bankJson } from './bank-json.ts';
import { clientTools } from '#shared/bank/calls/client.ts';
import { exchanges } from '#shared/bank/calls/exchange.ts';
import type { Connected } from '#shared/bank/connected.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { recurrenceLocations } from '#shared/bank/recurrence-locations.ts';
import type { OpenTools } from '../manifest.ts';
import { bankClient } from './client.ts';
import { EfiAddress } from './connecting.ts';
import { parseSecret } from './credentials.ts';

/** Opens the client of a connection, with its token, its TLS sessions and its pauses. */
export function open(connection: BankConnection, tools: OpenTools): Pick<Connected, 'client' | 'recurrences'> {
  const { apiUrl } = connection;
  const { tokenUrl } = EfiAddress.parse(connection);
  const { allowLocal, store, exchangesOf } = tools;
  const client = bankClient({
    apiUrl,
    tokenUrl,
    exchangesOf: exchangesOf ?? ((identity) => exchanges(identity, { parse: bankJson, allowLocal })),
    ...clientTools(connection, tools, parseSecret),
  });
  return { client, recurrences: recurrenceLocations(store, connection) };
}
