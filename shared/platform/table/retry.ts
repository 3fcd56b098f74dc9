import { StoreUnavailable } from './store.ts';

/** Names of errors after which a call is repeated: a transaction conflict, a busy table, a lost response. */
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
 * Retries by cause. A write to a balance takes milliseconds, so a conflict is retried for seconds with short waits: 90
 * concurrent writes to one balance finish in 2 to 3 s. Those seconds are counted with the calls, which may be slow, as
 * the time of a function is. A busy table gets few retries with growing waits. A hanging call is repeated only once,
 * because it has already taken seconds.
 */
export const policies = {
  conflict: { tries: Infinity, lastsMs: 5000, longestMs: 640 },
  busy: { tries: 5, lastsMs: Infinity, longestMs: Infinity },
  hanging: { tries: 2, lastsMs: Infinity, longestMs: Infinity },
} as const;
const baseMs = 20;

/**
 * Repeats a database call. `onConflict` is called after each conflict, with the milliseconds from the first call to the
 * end of the next wait, and may give up by throwing.
 */
export type Retry = <T>(call: () => Promise<T>, onConflict?: (error: unknown, lastedMs: number) => void) => Promise<T>;

/**
 * Returns a function that repeats a database call with exponential backoff and full jitter. A transaction carries a
 * token, so that its repetition is the same write. @throws StoreUnavailable after the last retry
 */
export function retrying(
  sleep: (milliseconds: number) => Promise<void> = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: () => number = Math.random,
  elapsedMs: () => number = () => performance.now(),
): Retry {
  return async (call, onConflict) => {
    const begunAt = elapsedMs();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call();
      } catch (error) {
        if (!isRetryable(error)) throw error;
        const kind = kindOf(error);
        const { tries, lastsMs, longestMs } = policies[kind];
        const lasted = elapsedMs() - begunAt;
        const wait = random() * Math.min(longestMs, baseMs * 2 ** attempt);
        if (kind === 'conflict') onConflict?.(error, lasted + wait);
        if (attempt >= tries || lasted >= lastsMs)
          throw new StoreUnavailable('DynamoDB did not accept the call.', { cause: error });
        await sleep(wait);
      }
    }
  };
}

/** An error with the members that errors of the AWS client and of sockets may have. */
type CallError = Pick<Error, 'name'> & {
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  /** Why DynamoDB canceled a transaction, for each of its items. */
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
};

function isRetryable(error: unknown): error is CallError {
  if (!(error instanceof Error)) return false;
  const { name, code = '', $metadata }: CallError = error;
  if (name === 'TransactionCanceledException') return reasonsOf(error).some((reason) => retryableReasons.has(reason));
  if (retryable.has(name) || retryableSocket.has(code)) return true;
  return ($metadata?.httpStatusCode ?? 0) >= 500;
}

function kindOf(error: CallError): keyof typeof policies {
  if (error.name === 'TimeoutError') return 'hanging';
  const isConflict = error.name === 'TransactionConflictException' || reasonsOf(error).includes('TransactionConflict');
  // A transaction is also canceled when the table throttles a part of it.
  return isConflict ? 'conflict' : 'busy';
}

function reasonsOf({ CancellationReasons = [] }: CallError): readonly string[] {
  return CancellationReasons.map(({ Code = '' }) => Code);
}
