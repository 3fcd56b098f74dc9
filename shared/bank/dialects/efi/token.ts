import * as z from 'zod';
import { pick } from '#shared/core/pick.ts';
import { nowMs } from '#shared/platform/clock.ts';
import type { BankSecret } from './credentials.ts';
import { callTimeoutMs } from '#shared/bank/calls/exchange.ts';
import type { Exchanges, Identity } from '#shared/bank/calls/exchange.ts';
import type { Exchange } from '#shared/bank/calls/response.ts';

/** Some banks send `expires_in` as text. A value that is no number of seconds counts as 300. */
const TokenBody = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().catch(300),
  scope: z.string().catch(''),
});
type Token = { readonly bearer: string; readonly scope: string; readonly renewAtMs: number };

/** Milliseconds before its expiry at which a token is renewed, so that no token expires during a call. */
const renewalMs = 60_000;

type Tokens = {
  /**
   * Returns the token of all calls, renewed if it expires soon or is the `refused` one. @throws TokenRefused,
   * SecretUnavailable
   */
  readonly current: (refused?: string) => Promise<Token>;
  /** Requests a new token. @throws TokenRefused, SecretUnavailable */
  readonly renew: (isStale: boolean) => Promise<Token>;
};

type TokenOptions = {
  readonly tokenUrl: string;
  readonly secret: (isStale: boolean) => Promise<BankSecret>;
  readonly poolOf: (identity: Identity) => Exchanges;
};

/**
 * Gets tokens by OAuth 2.0 client credentials and the connection's certificate. All calls that wait share one request.
 */
export function tokens({ tokenUrl, secret, poolOf }: TokenOptions): Tokens {
  let token: Promise<Token> | undefined;

  const fetchToken = async (isStale: boolean): Promise<Token> => {
    const known = await secret(isStale);
    const basic = Buffer.from(`${known.clientId}:${known.clientSecret}`).toString('base64');
    const exchange = await poolOf(known)({
      method: 'POST',
      url: tokenUrl,
      body: '{"grant_type":"client_credentials"}',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/json', accept: 'application/json' },
      signal: AbortSignal.timeout(callTimeoutMs),
    });
    const { data } = TokenBody.safeParse('body' in exchange ? exchange.body : undefined);
    if (exchange.status !== 200 || data === undefined) throw new TokenRefused(exchange);
    const lifeMs = data.expires_in * 1000;
    const renewAtMs = nowMs() + lifeMs - Math.min(renewalMs, lifeMs / 2);
    return { bearer: data.access_token, scope: data.scope, renewAtMs };
  };

  const renew = (isStale: boolean): Promise<Token> => {
    const next = fetchToken(isStale);
    token = next;
    // A failed request is not kept.
    next.catch(() => void (token = token === next ? undefined : token));
    return next;
  };
  const current = async (refused?: string): Promise<Token> => {
    const seen = token;
    const known = await seen;
    if (known !== undefined && known.bearer !== refused && nowMs() < known.renewAtMs) return known;
    // Only the first waiting call requests a new token.
    return token === seen ? renew(refused !== undefined) : current(refused);
  };
  return { current, renew };
}

const OAuthError = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/u) });

/** The bank issued no token: no call that needs one was sent. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
  readonly exchange: Exchange;

  constructor(exchange: Exchange) {
    super(exchange.status === 'NOT_CONNECTED' ? exchange.cause : `The bank issued no token (${reasonOf(exchange)}).`);
    this.exchange = exchange;
  }

  /**
   * Returns the exchange of the call that needed the token: surely not carried out. A status below 500 is an access
   * error.
   */
  asExchange(): Exchange {
    const { exchange, message: cause } = this;
    if (exchange.status === 'NOT_CONNECTED') return exchange;
    if (exchange.status === 429)
      return { status: 'NOT_CONNECTED', cause, retryAfterSeconds: exchange.retryAfterSeconds ?? 1 };
    if (exchange.status === 'NO_ANSWER') return { status: 'NOT_CONNECTED', cause };
    const isAccess = exchange.status < 500;
    return { status: 'NOT_CONNECTED', cause, ...(isAccess && { isAccess }), ...pick(exchange, 'retryAfterSeconds') };
  }
}

function reasonOf(exchange: Exclude<Exchange, { readonly status: 'NOT_CONNECTED' }>): string {
  if (exchange.status === 'NO_ANSWER') return 'no response';
  const { status, body } = exchange;
  if (status === 200) return '200, unreadable response';
  // RFC 6749, 5.2: the client is refused by 400 or 401.
  const { data } = OAuthError.safeParse(status === 400 ? body : undefined);
  return data === undefined ? `${status}` : `${status} ${data.error}`;
}
