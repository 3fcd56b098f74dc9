import type { Clock } from '#shared/core/brasilia-time.ts';
import { plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import type { Pause } from '../connection.ts';
import type { report } from '../report.ts';
import type { Exchange } from './answer.ts';

/** Lets a call through, or says that its connection is paused: then nothing is sent. */
export type Gate = (call: () => Promise<Exchange>) => Promise<Exchange>;

type GateOptions = {
  readonly companyId: string;
  /** The pause as the table has it, at most some seconds old. */
  readonly paused: () => Promise<Pause | undefined>;
  /** Replaces it; false when another process did. */
  readonly write: (next: Pause | undefined, seen: Pause | undefined) => Promise<boolean>;
  readonly now: Clock;
  readonly report: typeof report;
};

/** Failed calls in a row after which the bank is left alone. */
const failuresInARow = 3;
const longestSeconds = 60;
/** A probe has so long; meanwhile nobody else calls. */
const probeSeconds = 10;

/**
 * Leaves a bank alone that asks for it (429) or fails three times in a row: for `Retry-After`, else for 1, 2, 4 … 60
 * seconds. Then one probe goes, of all processes; its answer ends the pause or lengthens it.
 */
export function gate({ companyId, paused, write, now, report }: GateOptions): Gate {
  let failures = 0;
  return async (call) => {
    const seen = await paused();
    if (seen !== undefined && seen.until > now()) return waiting(seen, now);
    const probe = seen && { ...seen, until: plusSeconds(now(), probeSeconds) };
    if (probe !== undefined && !(await write(probe, seen))) return waiting(probe, now);
    const exchange = await call();
    const failed = failureOf(exchange);
    failures = failed === undefined ? 0 : failures + 1;
    if (failed === undefined) {
      if (probe !== undefined) await write(undefined, probe);
      return exchange;
    }
    if (probe === undefined && exchange.status !== 429 && failures < failuresInARow) return exchange;
    const times = (probe?.failures ?? 0) + 1;
    const seconds = asked(exchange) ?? Math.min(2 ** (times - 1), longestSeconds);
    failures = 0;
    await write({ until: plusSeconds(now(), seconds), cause: failed, failures: times }, probe);
    report('BanksPaused', { companyId, cause: failed, seconds: `${seconds}` });
    return exchange;
  };
}

function waiting({ until, cause }: Pause, now: Clock): Exchange {
  const retryAfterSeconds = Math.min(Math.max(1, Math.ceil(secondsBetween(now(), until))), 86_400);
  return { status: 'NOT_CONNECTED', cause: `The connection is paused: ${cause}`, retryAfterSeconds };
}

/** Why a call counts as failed: the bank asks for fewer, breaks down or hangs. */
function failureOf({ status }: Exchange): string | undefined {
  if (status === 'NOT_CONNECTED') return undefined;
  if (status === 'NO_ANSWER') return 'no answer';
  return status === 429 || status >= 500 ? `status ${status}` : undefined;
}

function asked(exchange: Exchange): number | undefined {
  return 'retryAfterSeconds' in exchange ? exchange.retryAfterSeconds : undefined;
}
