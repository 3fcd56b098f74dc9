import { StoreUnavailable } from './store.ts';

/** What is worth another try: the transaction met another one, the table is busy, or the network lost an answer. */
const RETRYABLE = new Set([
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
const RETRYABLE_REASONS = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);
const RETRYABLE_SOCKET = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * How often a call is made at most. Writes that meet at one balance pass in milliseconds, one after the other, so a conflict
 * is worth more patience than a busy table; a call that hangs has cost its caller seconds already.
 */
const TRIES = { conflict: 7, busy: 5, hanging: 2 } as const;
const BASE_MS = 20;

/**
 * Runs a database call again on conflicts, throttling and lost answers, with full jitter, and throws `StoreUnavailable`
 * when the tries are used up. A write carries its own token, so a repetition after an unknown outcome is the same write.
 */
export function retrying(
  sleep: (milliseconds: number) => Promise<void> = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: () => number = Math.random,
): <T>(call: () => Promise<T>) => Promise<T> {
  return async (call) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call();
      } catch (error) {
        if (!isRetryable(error)) throw error;
        if (attempt >= TRIES[kindOf(error)])
          throw new StoreUnavailable('The database did not take the call.', { cause: error });
        await sleep(random() * BASE_MS * 2 ** attempt);
      }
    }
  };
}

function isRetryable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name, code, $metadata, CancellationReasons } = error as Error & {
    code?: string;
    $metadata?: { httpStatusCode?: number };
    CancellationReasons?: readonly { Code?: string }[];
  };
  if (name === 'TransactionCanceledException')
    return (CancellationReasons ?? []).some(({ Code }) => RETRYABLE_REASONS.has(Code ?? ''));
  if (RETRYABLE.has(name) || RETRYABLE_SOCKET.has(code ?? '')) return true;
  return ($metadata?.httpStatusCode ?? 0) >= 500;
}

function kindOf(error: unknown): keyof typeof TRIES {
  const { name } = error as Error;
  if (name === 'TimeoutError') return 'hanging';
  return name === 'TransactionCanceledException' || name === 'TransactionConflictException' ? 'conflict' : 'busy';
}
