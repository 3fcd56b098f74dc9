import { StoreUnavailable } from './store.ts';

/**
 * What is worth another try: the transaction conflicts with another one, the table is busy, or the network lost an
 * answer.
 */
const retryable = new Set([
  'TransactionInProgressException',
  'TransactionConflictException',
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'InternalServerError',
  'ServiceUnavailable',
  'TimeoutError',
  'NetworkingError',
]);
const retryableReasons = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);
const retryableSocket = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * How long a call is tried again. Writes to one balance pass in milliseconds, one after the other: what they need is
 * time to spread out, so a conflict is worth seconds in all and short waits between (90 at once pass in 2 or 3 s). A
 * busy table needs rest; a call that hangs has cost its caller seconds already.
 */
const policies = {
  conflict: { tries: Infinity, waitsMs: 5000, longestMs: 640 },
  busy: { tries: 5, waitsMs: Infinity, longestMs: Infinity },
  hanging: { tries: 2, waitsMs: Infinity, longestMs: Infinity },
} as const;
const baseMs = 20;

/**
 * Runs a database call again on conflicts, throttling and lost answers, with full jitter, and throws `StoreUnavailable`
 * when its policy gives no further try. A write carries its own token: a repetition after an unknown outcome is the
 * same write.
 */
export function retrying(
  sleep: (milliseconds: number) => Promise<void> = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: () => number = Math.random,
): <T>(call: () => Promise<T>) => Promise<T> {
  return async (call) => {
    let waited = 0;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call();
      } catch (error) {
        if (!isRetryable(error)) throw error;
        const { tries, waitsMs, longestMs } = policies[kindOf(error)];
        if (attempt >= tries || waited >= waitsMs)
          throw new StoreUnavailable('The database did not take the call.', { cause: error });
        const wait = random() * Math.min(longestMs, baseMs * 2 ** attempt);
        waited += wait;
        await sleep(wait);
      }
    }
  };
}

function isRetryable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // An assertion: members that the errors of the client and of sockets may have, each read as absent where it is.
  const { name, code, $metadata, CancellationReasons } = error as Error & {
    code?: string;
    $metadata?: { httpStatusCode?: number };
    CancellationReasons?: readonly { Code?: string }[];
  };
  if (name === 'TransactionCanceledException')
    return (CancellationReasons ?? []).some(({ Code }) => retryableReasons.has(Code ?? ''));
  if (retryable.has(name) || retryableSocket.has(code ?? '')) return true;
  return ($metadata?.httpStatusCode ?? 0) >= 500;
}

function kindOf(error: unknown): keyof typeof policies {
  const name = error instanceof Error ? error.name : undefined;
  if (name === 'TimeoutError') return 'hanging';
  return name === 'TransactionCanceledException' || name === 'TransactionConflictException' ? 'conflict' : 'busy';
}
