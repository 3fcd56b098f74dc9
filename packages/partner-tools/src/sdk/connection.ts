import { setTimeout as sleep } from 'node:timers/promises';

export type Connection = Credentials & {
  /** The service's address, without a path. */
  readonly baseUrl: string;
  /** Largest number of calls for one request, the first one included; default: 5. */
  readonly attempts?: number;
  /** Time limit of one call, milliseconds; default: 30 000. The service responds within 29 seconds. */
  readonly timeoutMs?: number;
  /** Another `fetch`: for a proxy, or for tests. */
  readonly fetch?: typeof fetch;
};

/** The generated client's settings: requests carry a token and are retried where that is safe. */
export function configure({
  baseUrl,
  attempts = 5,
  timeoutMs = 30_000,
  fetch: send = fetch,
  ...credentials
}: Connection): { readonly baseUrl: string; readonly fetch: typeof fetch } {
  const retrying = retryRequests(send, { attempts, timeoutMs, isSafe: isSafeToRepeat });
  // A token request may always be repeated: a second token does no harm.
  const token = keepToken(credentials, retryRequests(send, { attempts, timeoutMs, isSafe: () => true }));
  const withToken = async (request: Request, refused?: string): Promise<{ response: Response; used: string }> => {
    const used = await token(refused);
    const authorized = new Request(request.clone());
    authorized.headers.set('authorization', `Bearer ${used}`);
    return { response: await retrying(authorized), used };
  };
  return {
    baseUrl: baseUrl.replace(/\/+$/u, ''),
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { response, used } = await withToken(request);
      // 401: the request was not carried out, so it may be sent again with a new token. The client may have a new
      // secret, or the clocks differ.
      return response.status === 401 ? (await withToken(request, used)).response : response;
    },
  };
}

type Fetch = typeof fetch;

type RetryOptions = Required<Pick<Connection, 'attempts' | 'timeoutMs'>> & {
  /** Whether a request takes effect once, however often it is sent. */
  readonly isSafe: (request: Request) => boolean;
};

/** Seconds. For a longer `retry-after` the caller gets the response. */
const longestWait = 60;

/**
 * Returns a `fetch` that retries a request with the same idempotency key: after 429, and where a repetition is safe
 * also after 503, 504 and a broken connection. It waits for `retry-after`, else half a second, one second, two, ….
 */
function retryRequests(send: Fetch, { attempts, timeoutMs, isSafe }: RetryOptions): Fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const safe = isSafe(request);
    const once = withoutSimulation(request);
    for (let attempt = 1; ; attempt++) {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
      const response = await send(new Request((attempt === 1 ? request : once).clone(), { signal })).catch(
        (error: unknown) => {
          if (!safe || attempt >= attempts || request.signal.aborted) throw error;
          return undefined;
        },
      );
      const again = response === undefined || response.status === 429 || (safe && [503, 504].includes(response.status));
      const seconds = waitOf(response, attempt);
      if (response !== undefined && (!again || attempt >= attempts || seconds > longestWait)) return response;
      await response?.arrayBuffer();
      await sleep(seconds * 1000, undefined, { signal: request.signal });
    }
  };
}

/**
 * Simulated failures of a request, outside production. With `lost-reply` the service carries the request out and
 * responds 504.
 */
export type Simulated = 'lost-reply' | 'unavailable' | 'too-many-requests' | `slow=${number}`;
const simulation = 'x-simulate';

/** Adds the header that simulates a failure of a call. A retry is sent without it and succeeds. */
export function simulating<H extends object>(fault: Simulated, headers: H): H & { readonly [simulation]: Simulated } {
  return { ...headers, [simulation]: fault };
}

function withoutSimulation(request: Request): Request {
  if (!request.headers.has(simulation)) return request;
  const again = new Request(request.clone());
  again.headers.delete(simulation);
  return again;
}

/**
 * Whether a repetition is safe: for GET, for an idempotency key, and for PUT except that of a simulation tool. Any
 * other request may take effect twice.
 */
function isSafeToRepeat({ method, headers, url }: Request): boolean {
  if (method === 'GET' || headers.has('idempotency-key')) return true;
  return method === 'PUT' && !new URL(url).pathname.startsWith('/order-tools/');
}

function waitOf(response: Response | undefined, attempt: number): number {
  const retryAfter = response?.headers.get('retry-after');
  const seconds =
    typeof retryAfter === 'string' && /^\d+$/u.test(retryAfter) ? Number(retryAfter) : 0.25 * 2 ** attempt;
  // Jitter: clients must not all retry at the same time.
  return seconds * (1 + 0.2 * Math.random());
}

type Credentials = {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** `api://app-order-<environment>/.default` */
  readonly scope: string;
};

type Kept = { readonly token: string; readonly untilMs: number };

/** A token's use ends this long before its expiry. */
const spareSeconds = 60;

/**
 * Gets tokens by client credentials (RFC 6749, 4.4) and caches each until a minute before its expiry. Concurrent
 * callers share one request. A caller that names a rejected token gets another.
 */
function keepToken(credentials: Credentials, send: Fetch): (refused?: string) => Promise<string> {
  let asked: Promise<Kept> | undefined;
  const ask = (): Promise<Kept> => {
    const pendingToken = requestToken(credentials, send);
    asked = pendingToken;
    pendingToken.catch(() => {
      if (asked === pendingToken) asked = undefined;
    });
    return pendingToken;
  };
  return async (refused) => {
    const before = asked;
    const kept = await (before ?? ask());
    if (kept.token !== refused && performance.now() < kept.untilMs) return kept.token;
    // The first caller that finds it expired requests the next one; the others wait for it.
    const next = asked === undefined || asked === before ? ask() : asked;
    return (await next).token;
  };
}

async function requestToken(credentials: Credentials, send: Fetch): Promise<Kept> {
  const { tokenUrl, clientId, clientSecret, scope } = credentials;
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope };
  const response = await send(tokenUrl, { method: 'POST', body: new URLSearchParams(form) });
  const text = await response.text();
  if (!response.ok) throw new Error(`The token endpoint responded ${response.status}: ${text.slice(0, 500)}`);
  const { access_token: token, expires_in: seconds } = JSON.parse(text) as Record<string, unknown>;
  if (typeof token !== 'string') throw new Error('The token endpoint responded without an access_token.');
  return { token, untilMs: performance.now() + (Number(seconds ?? 0) - spareSeconds) * 1000 };
}
