export type Credentials = {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** `api://app-order-<environment>/.default` */
  readonly scope: string;
};

type Kept = { readonly token: string; readonly untilMs: number };

/** So long before it expires a token is given to nobody any more. */
const spareSeconds = 60;

/**
 * Gets tokens by client credentials (RFC 6749, 4.4) and keeps each until a minute before it expires. Callers at the
 * same time share one request. Whoever had a token refused names it, and gets another.
 */
export function keepToken(credentials: Credentials, send: typeof fetch): (refused?: string) => Promise<string> {
  let asked: Promise<Kept> | undefined;
  const ask = (): Promise<Kept> => {
    const mine = requestToken(credentials, send);
    asked = mine;
    mine.catch(() => {
      if (asked === mine) asked = undefined;
    });
    return mine;
  };
  return async (refused) => {
    const before = asked;
    const kept = await (before ?? ask());
    if (kept.token !== refused && performance.now() < kept.untilMs) return kept.token;
    // The first that finds it spent asks for the next one, and the others wait for that.
    const next = asked === undefined || asked === before ? ask() : asked;
    return (await next).token;
  };
}

async function requestToken(
  { tokenUrl, clientId, clientSecret, scope }: Credentials,
  send: typeof fetch,
): Promise<Kept> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope };
  const answer = await send(tokenUrl, { method: 'POST', body: new URLSearchParams(form) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`The token endpoint answered ${answer.status}: ${text.slice(0, 500)}`);
  const { access_token: token, expires_in: seconds } = JSON.parse(text) as Record<string, unknown>;
  if (typeof token !== 'string') throw new Error('The token endpoint answered without an access_token.');
  return { token, untilMs: performance.now() + (Number(seconds ?? 0) - spareSeconds) * 1000 };
}
