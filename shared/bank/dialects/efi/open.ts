import { callsMemory } from '#shared/bank/bank-calls.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { keptSecret } from '#shared/bank/secret.ts';
import type { OpenTools } from '../manifest.ts';
import { bankClient } from './client.ts';
import type { Connected } from '#shared/bank/connected.ts';
import { parseSecret } from './credentials.ts';
import { exchanges } from './exchange.ts';
import { gate } from './gate.ts';
import { recurrenceLocations } from '#shared/bank/recurrence-locations.ts';

/** Opens the client of a connection, with its token, its TLS sessions and its pauses. */
export function open(
  connection: BankConnection,
  { store, now, fetchSecret, allowLocal, report, paused, writePause, exchangesOf }: OpenTools,
): Pick<Connected, 'client' | 'recurrences'> {
  const { id, companyId, apiUrl, tokenUrl, secret } = connection;
  const calls = callsMemory(store, { companyId, id }, now);
  const client = bankClient({
    apiUrl,
    tokenUrl,
    secret: keptSecret(secret, fetchSecret, parseSecret),
    met: calls.met,
    exchangesOf: exchangesOf ?? ((identity) => exchanges(identity, { allowLocal })),
    refused: (cause, operation) => {
      report('BankAccessRefused', { companyId, connectionId: id, cause, operation });
    },
    misled: (fields) => {
      report('AnswersAboutOthers', { companyId, connectionId: id, fields });
    },
    notKnown: (field, value) => {
      report('BankValuesUnknown', { companyId, connectionId: id, field, value });
    },
    gate: gate({
      companyId,
      now,
      ofKind: calls.pauseOf,
      report: (name, where) => {
        report(name, { ...where, connectionId: id });
      },
      paused,
      write: writePause,
    }),
  });
  return { client, recurrences: recurrenceLocations(store, connection) };
}
