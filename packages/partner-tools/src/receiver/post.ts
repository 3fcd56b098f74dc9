import { send } from '../api/http.ts';
import { UsageError } from '../failures.ts';

/** One POST to a receiver. */
export type Post = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** How a call of a receiver ended. */
export type PostOutcome = {
  readonly taken: boolean;
  readonly ms: number;
  /** Absent without a response. */
  readonly status?: number;
  /** Why no response came, for people. */
  readonly failure?: string;
  /** The system's code when the connection is refused or the name does not resolve. */
  readonly connectionErrorCode?: string;
};

/** POSTs a notification like the service: any 2xx acknowledges it, redirects are not followed. */
export async function postNotification(url: string, { headers, body }: Post, withinMs: number): Promise<PostOutcome> {
  const started = performance.now();
  const after = (): number => Math.round(performance.now() - started);
  const { origin, pathname, search } = new URL(url);
  const signal = AbortSignal.timeout(withinMs);
  const type = { 'content-type': 'application/json; charset=utf-8' };
  try {
    const { status } = await send(origin, {
      method: 'POST',
      path: `${pathname}${search}`,
      headers: { ...type, ...headers },
      body,
      signal,
    });
    return { taken: status >= 200 && status < 300, status, ms: after() };
  } catch (error) {
    if (signal.aborted) return { taken: false, ms: after(), failure: `no response within ${withinMs / 1000} s` };
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const connectionError = code === 'ECONNREFUSED' || code === 'ENOTFOUND' ? { connectionErrorCode: code } : {};
    return { taken: false, ms: after(), failure: `the connection broke (${code})`, ...connectionError };
  }
}

/** Reads the URL of a receiver in a command line. @throws UsageError with an example for any other text. */
export function receiverUrl(text: string, example: string): string {
  if (URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol)) return text;
  throw new UsageError(`${text} is not the URL of a receiver.`, `Write it as in ${example}`);
}
