import { bankJson } from './bank-json.ts';
import { certificateExpiry } from '#shared/bank/certificate.ts';
import type { BankClient, BankRequest } from '#shared/bank/calls/bank-client.ts';
import type { ClientTools, DialectCalls, ReadSecret } from '#shared/bank/calls/client.ts';
import { dialectClient } from '#shared/bank/calls/client.ts';
import type { Exchanges, Identity } from '#shared/bank/calls/exchange.ts';
import { callTimeoutMs, exchanges, identityPool } from '#shared/bank/calls/exchange.ts';
import type { Exchange } from '#shared/bank/calls/response.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import { SecretUnavailable } from '#shared/bank/secret.ts';
import type { BankSecret } from './credentials.ts';
import { kindOf, operationOf } from './operation.ts';
import { isMissing, judge, metBy } from './response.ts';
import { TokenRefused, tokens } from './token.ts';

type Addresses = {
  readonly apiUrl: string;
  readonly tokenUrl: string;
  /** Opens the transport to the bank. Default: mTLS. */
  readonly exchangesOf?: (identity: Identity) => Exchanges;
};

/** Creates the client of one connection. No error contains its token. */
export function bankClient({
  apiUrl,
  tokenUrl,
  exchangesOf = (identity) => exchanges(identity, { parse: bankJson }),
  ...tools
}: Addresses & ClientTools<BankSecret>): BankClient {
  return dialectClient(tools, (secret) => callsWithToken({ apiUrl, tokenUrl, exchangesOf }, secret));
}

/**
 * One pool of connections and one token for all concurrent calls. After a 401 a call gets a new token and is sent
 * again, once.
 */
function callsWithToken(
  { apiUrl, tokenUrl, exchangesOf }: Required<Addresses>,
  secret: ReadSecret<BankSecret>,
): DialectCalls {
  const poolOf = identityPool(exchangesOf);
  const { current, renew } = tokens({ tokenUrl, secret, poolOf });
  const send = async ({ method, path, body, signal }: BankRequest, bearer: string): Promise<Exchange> => {
    const call = poolOf(await secret(false));
    return call({
      method,
      url: `${apiUrl}${path}`,
      signal: signal ?? AbortSignal.timeout(callTimeoutMs),
      headers: {
        authorization: `Bearer ${bearer}`,
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  };
  return {
    judge,
    isMissing,
    metBy,
    operationOf,
    kindOf,
    send: async (request) => {
      try {
        const { bearer } = await current();
        const first = await send(request, bearer);
        return first.status === 401 ? await send(request, (await current(bearer)).bearer) : first;
      } catch (error) {
        // Only the request for a token was sent.
        if (error instanceof TokenRefused) return error.asExchange();
        throw error;
      }
    },
    certificateExpiry: async () => certificateExpiry((await secret(false)).certificate),
    authorize: async () => {
      try {
        return await renew(true);
      } catch (error) {
        const isKnown = error instanceof TokenRefused || error instanceof SecretUnavailable;
        throw isKnown ? new BankUnavailable(error.message) : error;
      }
    },
  };
}
