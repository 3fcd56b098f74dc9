import type { BankClient, BankRequest } from '#shared/bank/calls/bank-client.ts';
import type { ClientTools, DialectCalls, ReadSecret } from '#shared/bank/calls/client.ts';
import { clientTools, dialectClient } from '#shared/bank/calls/client.ts';
import type { Exchanges, Identity } from '#shared/bank/calls/exchange.ts';
import { callTimeoutMs, exchanges, identityPool } from '#shared/bank/calls/exchange.ts';
import { unavailable } from '#shared/bank/calls/outcomes.ts';
import type { Exchange } from '#shared/bank/calls/response.ts';
import type { Connected } from '#shared/bank/connected.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import { recurrenceLocations } from '#shared/bank/recurrence-locations.ts';
import { SecretUnavailable } from '#shared/bank/secret.ts';
import type { Clock } from '#shared/core/brasilia-time.ts';
import { pick } from '#shared/core/pick.ts';
import type { OpenTools } from '../manifest.ts';
import type { BankSecret } from './credentials.ts';
import { parseSecret } from './credentials.ts';
import { qitechJson } from './json.ts';
import { kindOf, operationOf } from './operation.ts';
import { behindGateway, isMissing, judge, metBy } from './response.ts';
import { signedHeaders } from './signature.ts';

type Signing = {
  readonly apiUrl: string;
  readonly now: Clock;
  readonly exchangesOf: (identity: Identity) => Exchanges;
};

/** Opens the client of a connection, with its TLS sessions and its pauses. */
export function open(connection: BankConnection, tools: OpenTools): Pick<Connected, 'client' | 'recurrences'> {
  const { allowLocal, store, now, exchangesOf } = tools;
  const signing = {
    apiUrl: connection.apiUrl,
    now,
    exchangesOf: exchangesOf ?? ((identity: Identity) => exchanges(identity, { parse: qitechJson, allowLocal })),
  };
  const client = signingClient(signing, clientTools(connection, tools, parseSecret));
  return { client, recurrences: recurrenceLocations(store, connection) };
}

/** Creates the client of one connection: each of its calls is signed. No error contains a key. */
function signingClient(signing: Signing, tools: ClientTools<BankSecret>): BankClient {
  return dialectClient(tools, (secret) => signedCalls(signing, secret));
}

function signedCalls({ apiUrl, now, exchangesOf }: Signing, secret: ReadSecret<BankSecret>): DialectCalls {
  const poolOf = identityPool(exchangesOf);
  const send = async ({ method, path, body, signal }: BankRequest): Promise<Exchange> => {
    const known = await secret(false);
    const text = body === undefined ? undefined : JSON.stringify(body);
    const exchange = await poolOf(pick(known, 'authorities'))({
      method,
      url: `${apiUrl}${path}`,
      signal: signal ?? AbortSignal.timeout(callTimeoutMs),
      headers: {
        ...signedHeaders({ method, uri: path, body: text }, known, now()),
        accept: 'application/json',
        ...(text !== undefined && { 'content-type': 'application/json' }),
      },
      ...(text !== undefined && { body: text }),
    });
    return behindGateway(exchange);
  };
  return {
    send,
    judge,
    isMissing,
    metBy,
    operationOf,
    kindOf,
    // The bank knows us by a key, which does not expire.
    certificateExpiry: () => Promise.resolve(undefined),
    authorize: async () => {
      try {
        const { clientId } = await secret(true);
        const callOutcome = judge(await send({ method: 'GET', path: `/test/${encodeURIComponent(clientId)}` }));
        if (callOutcome.is !== 'OK') throw unavailable(callOutcome);
        return { scope: '' };
      } catch (error) {
        throw error instanceof SecretUnavailable ? new BankUnavailable(error.message) : error;
      }
    },
  };
}
