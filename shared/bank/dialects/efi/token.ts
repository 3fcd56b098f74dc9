import * as z from 'zod';
import { pick } from '#shared/core/pick.ts';
import { nowMs } from '#shared/platform/clock.ts';
import type { Exchange } from './response.ts';
import type { BankSecret } from './credentials.ts';
import type { Exchanges, Identity } from './exchange.ts';

/** Some banks write the seconds as text. What is no time makes the token a short one, never none. */
const TokenBody = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().catch(300),
  scope: z.string().catch(''),
});
type Token = { readonly bearer: string; readonly scope: string; readonly renewAtMs: number };

/** A token is renewed so long before its end, that none ends on its way. */
const renewalMs = 60_000;
export const callTimeoutMs = 3000;

/** The pool of the current certificate and authorities: rotated ones open another. */
export function identityPool(exchangesOf: (identity: Identity) => Exchanges): (identity: Identity) => Exchanges {
  let open: { readonly identity: Identity; readonly exchange: Exchanges } | undefined;
  return (identity) => {
    const { certificate, key, authorities } = identity;
    const isSame =
      open?.identity.certificate === certificate &&
      open.identity.key === key &&
      open.identity.authorities === authorities;
    if (open === undefined || !isSame) open = { identity, exchange: exchangesOf(identity) };
    return open.exchange;
  };
}

type Tokens = {
  /** The token of all calls; another one than the `refused`. @throws TokenRefused, SecretUnavailable */
  readonly current: (refused?: string) => Promise<Token>;
  /** A new one. @throws TokenRefused, SecretUnavailable */
  readonly renew: (isStale: boolean) => Promise<Token>;
};

type TokenOptions = {
  readonly tokenUrl: string;
  readonly secret: (isStale: boolean) => Promise<BankSecret>;
  readonly poolOf: (identity: Identity) => Exchanges;
};

/** OAuth 2.0 client credentials by the connection's certificate: one request for all calls that wait for a token. */
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
    // One that failed is not kept.
    next.catch(() => void (token = token === next ? undefined : token));
    return next;
  };
  const current = async (refused?: string): Promise<Token> => {
    const seen = token;
    const known = await seen;
    if (known !== undefined && known.bearer !== refused && nowMs() < known.renewAtMs) return known;
    // Of all that wait one asks.
    return token === seen ? renew(refused !== undefined) : current(refused);
  };
  return { current, renew };
}

const OAuthError = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/u) });

/** No token: nothing that needs one was sent. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
  readonly exchange: Exchange;

  constructor(exchange: Exchange) {
    super(exchange.status === 'NOT_CONNECTED' ? exchange.cause : `The bank issued no token (${reasonOf(exchange)}).`);
    this.exchange = exchange;
  }

  /** Returns the command's exchange: surely not carried out. An error that the bank will not fix is one of access. */
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
