import { setTimeout as sleep } from 'node:timers/promises';

type Fetch = typeof fetch;

type RepeatOptions = {
  /** Calls of one request at most, the first one included. */
  readonly attempts: number;
  /** For one call, milliseconds. */
  readonly timeoutMs: number;
  /** Whether a request cannot happen twice, however often it is sent. */
  readonly isSafe: (request: Request) => boolean;
};

/** A longer wait than this is left to the caller, who gets the answer with its `retry-after`. Seconds. */
const longestWait = 60;

/**
 * A `fetch` that sends a request again, unchanged and with the same idempotency key: after 429, and, where a repetition
 * cannot happen twice, after 503, 504 and a connection that broke, because then nobody knows whether it took effect. It
 * waits as long as `retry-after` says, else half a second, one, two, ….
 */
export function repeatRequests(send: Fetch, { attempts, timeoutMs, isSafe }: RepeatOptions): Fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const safe = isSafe(request);
    for (let attempt = 1; ; attempt++) {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
      const answer = await send(new Request(request.clone(), { signal })).catch((error: unknown) => {
        if (!safe || attempt >= attempts || request.signal.aborted) throw error;
        return undefined;
      });
      const again = answer === undefined || answer.status === 429 || (safe && [503, 504].includes(answer.status));
      const seconds = waitOf(answer, attempt);
      if (answer !== undefined && (!again || attempt >= attempts || seconds > longestWait)) return answer;
      await answer?.arrayBuffer();
      await sleep(seconds * 1000, undefined, { signal: request.signal });
    }
  };
}

/**
 * What has an idempotency key happens once however often it is sent, and so does what reads or replaces. A POST without
 * a key would happen twice; the tools of the simulation move a thing on each time.
 */
export function isSafeToRepeat({ method, headers, url }: Request): boolean {
  if (method === 'GET' || headers.has('idempotency-key')) return true;
  return method === 'PUT' && !new URL(url).pathname.startsWith('/order-tools/');
}

function waitOf(answer: Response | undefined, attempt: number): number {
  const told = answer?.headers.get('retry-after');
  const seconds = typeof told === 'string' && /^\d+$/u.test(told) ? Number(told) : 0.25 * 2 ** attempt;
  // Not all clients at the same moment.
  return seconds * (1 + 0.2 * Math.random());
}
