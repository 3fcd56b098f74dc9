import { certificateExpiry } from '#shared/bank/certificate.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import type { BankClient, BankRequest, CallOutcome } from '#shared/bank/bank-client.ts';
import type { Exchange } from './response.ts';
import type { Met } from '#shared/bank/bank-calls.ts';
import { accessErrorOf, isMissing, judge, metBy } from './response.ts';
import type { BankSecret } from './credentials.ts';
import { SecretUnavailable } from '#shared/bank/secret.ts';
import type { Exchanges, Identity } from './exchange.ts';
import { exchanges } from './exchange.ts';
import type { Gate } from './gate.ts';
import { kindOf, operationOf } from './operation.ts';
import { callTimeoutMs, identityPool, TokenRefused, tokens } from './token.ts';

type ClientOptions = {
  readonly apiUrl: string;
  readonly tokenUrl: string;
  /** Reads the secret. `isStale`: the bank refused the known secret. */
  readonly secret: (isStale: boolean) => Promise<BankSecret>;
  readonly gate: Gate;
  /** Called when a person must act: the bank refuses the secret, the certificate, the authority or a scope. */
  readonly refused: (cause: string, operation: string) => void;
  /** Stores whether the bank refused or carried out an operation. Never throws. */
  readonly met?: (operation: string, met: Met) => Promise<void>;
  readonly misled: BankClient['misled'];
  readonly notKnown: BankClient['notKnown'];
  /** Opens the transport to the bank. Default: mTLS. */
  readonly exchangesOf?: (identity: Identity) => Exchanges;
};

/**
 * Creates the client of one connection: one pool of connections and one token for all concurrent calls. After a 401 it
 * gets a new token and sends the call again, once. After the bank refused the access it reads the secret again, because
 * an operator may have replaced it. No error contains the token or the secret.
 */
export function bankClient(options: ClientOptions): BankClient {
  const { apiUrl, tokenUrl, gate, refused, misled, notKnown, met, exchangesOf = exchanges } = options;
  const poolOf = identityPool(exchangesOf);
  let isSecretRefused = false;
  const secret = (isStale: boolean): Promise<BankSecret> => options.secret(isStale || isSecretRefused);
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
  const sendWithToken = async (request: BankRequest): Promise<Exchange> => {
    try {
      const { bearer } = await current();
      const first = await send(request, bearer);
      const last = first.status === 401 ? await send(request, (await current(bearer)).bearer) : first;
      return last;
    } catch (error) {
      // Only the request for a token was sent.
      if (error instanceof TokenRefused) return error.asExchange();
      if (error instanceof SecretUnavailable) return { status: 'NOT_CONNECTED', cause: error.message, isAccess: true };
      throw error;
    }
  };
  const call = (request: BankRequest): Promise<Exchange> =>
    gate(async () => {
      const exchange = await sendWithToken(request);
      const operation = operationOf(request);
      const accessError = accessErrorOf(exchange);
      if (accessError !== undefined) refused(accessError, operation);
      // A 403 is a missing scope: a new secret would not help.
      if (accessError !== undefined && exchange.status !== 403) isSecretRefused = true;
      else if (typeof exchange.status === 'number' && exchange.status < 500) isSecretRefused = false;
      const accessOutcome = metBy(exchange);
      if (accessOutcome !== undefined) await met?.(operation, accessOutcome);
      return exchange;
    }, kindOf(request));

  const question: BankClient['question'] = async (request) => {
    const exchange = await call(request);
    return isMissing(exchange) ? { is: 'MISSING' } : judge(exchange, 'QUESTION');
  };

  return {
    command: async (request) => judge(await call(request)),
    question,
    misled,
    notKnown,
    query: async (request) => {
      const callOutcome = await question(request);
      if (callOutcome.is === 'MISSING') return undefined;
      if (callOutcome.is === 'OK') return callOutcome.body;
      throw unavailable(callOutcome);
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

/** Returns the error of a question that has no usable response. */
export function unavailable(callOutcome: Exclude<CallOutcome, { readonly is: 'OK' }>): BankUnavailable {
  if (callOutcome.is === 'REFUSED') return new BankUnavailable(`The bank rejected the query: ${callOutcome.code}.`);
  const cause = callOutcome.is === 'NOT_NOW' ? callOutcome.cause : 'The bank response is missing or unreadable.';
  return new BankUnavailable(cause, callOutcome.retryAfterSeconds);
}
