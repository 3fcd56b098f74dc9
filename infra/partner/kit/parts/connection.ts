import { isSafeToRepeat, repeatRequests } from './repeat.ts';
import type { Credentials } from './token.ts';
import { keepToken } from './token.ts';

export type Connection = Credentials & {
  /** Where the service is, without a path. */
  readonly baseUrl: string;
  /** Calls of one request at most, the first one included: 5 unless said. */
  readonly attempts?: number;
  /** For one call, milliseconds: 30 000 unless said. The service itself answers within 29 seconds. */
  readonly timeoutMs?: number;
  /** Another `fetch`: for a proxy, or for tests. */
  readonly fetch?: typeof fetch;
};

/** What the generated client is made with: requests carry a token, and are sent again where that is safe. */
export function configure({
  baseUrl,
  attempts = 5,
  timeoutMs = 30_000,
  fetch: send = fetch,
  ...credentials
}: Connection): { readonly baseUrl: string; readonly fetch: typeof fetch } {
  const repeating = repeatRequests(send, { attempts, timeoutMs, isSafe: isSafeToRepeat });
  // Two tokens do no harm.
  const token = keepToken(credentials, repeatRequests(send, { attempts, timeoutMs, isSafe: () => true }));
  const withToken = async (request: Request, refused?: string): Promise<{ answer: Response; used: string }> => {
    const used = await token(refused);
    const authorized = new Request(request.clone());
    authorized.headers.set('authorization', `Bearer ${used}`);
    return { answer: await repeating(authorized), used };
  };
  return {
    baseUrl: baseUrl.replace(/\/+$/u, ''),
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { answer, used } = await withToken(request);
      // Refused before anything was done: its client may have a new secret, or the clocks differ.
      return answer.status === 401 ? (await withToken(request, used)).answer : answer;
    },
  };
}
