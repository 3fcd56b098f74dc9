import type { Clock } from '#shared/core/brasilia-time.ts';
import { plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import type { Pause } from '#shared/bank/connection.ts';
import type { report } from '#shared/bank/report.ts';
import type { Exchange } from './response.ts';
import { accessErrorOf } from './response.ts';
import type { CallKind, PauseMemory } from './bank-calls.ts';

/** Makes a call, or returns without sending it while its connection or its kind of call is paused. */
export type Gate = (call: () => Promise<Exchange>, kind?: CallKind) => Promise<Exchange>;

type GateOptions = PauseMemory & {
  readonly companyId: string;
  /** The pauses of each kind of call that a bank limits separately. */
  readonly ofKind: (kind: CallKind) => PauseMemory;
  readonly now: Clock;
  readonly report: typeof report;
};

type Limits = {
  /** The longest pause that a bank may request, seconds. */
  readonly askedSeconds: number;
  /** Whether consecutive failures also pause the calls. */
  readonly countsFailures: boolean;
};

/**
 * 900 seconds: one call in 15 minutes is no load for a bank, and a payout waits at most so long after a limit has
 * ended.
 */
const ofConnection: Limits = { askedSeconds: 900, countsFailures: true };
const limitsOf: Readonly<Record<CallKind, Limits>> = {
  /**
   * Less than an hour, because the hourly run reads the lists again. A slow list does not mean that the next list is
   * slow.
   */
  LIST: { askedSeconds: 3000, countsFailures: false },
  /** The DICT refills an emptied bucket within a day. */
  LOOKUP: { askedSeconds: 86_400, countsFailures: true },
};

/** Consecutive failed calls after which the service pauses its calls to the bank. */
const failuresInARow = 3;
const longestSeconds = 60;
/** Time limit of a probe. No other call is made during the probe. */
const probeSeconds = 10;

/**
 * Pauses the calls to a bank that limits them (429) or fails three times in a row. The pause lasts for `Retry-After`,
 * within bounds, else for 1, 2, 4 … 60 seconds. Then one process sends one probe; its response ends or lengthens the
 * pause. A failed connection counts as a failure, too. Errors of lists and lookups pause only calls of their own kind.
 */
export function gate({ ofKind, ...options }: GateOptions): Gate {
  const connection = pausable(options, ofConnection, options);
  const kinds = {
    LIST: pausable(ofKind('LIST'), limitsOf.LIST, { ...options, calls: 'LIST' }),
    LOOKUP: pausable(ofKind('LOOKUP'), limitsOf.LOOKUP, { ...options, calls: 'LOOKUP' }),
  } satisfies Record<CallKind, Pausable>;
  return async (call, kind) => {
    const own = kind && kinds[kind];
    const ownEntry = (await own?.enter()) ?? {};
    if ('waiting' in ownEntry) return ownEntry.waiting;
    const entry = await connection.enter();
    if ('waiting' in entry) return entry.waiting;
    const exchange = await call();
    const failure = failureOf(exchange);
    if (own === undefined || failure === undefined || exchange.status === 'NOT_CONNECTED') {
      if (failure === undefined) await own?.leave(ownEntry, exchange);
      return connection.leave(entry, exchange);
    }
    // A 429 shows that the bank responds, so it ends a pause of the connection. Another failure lengthens such a pause.
    if (exchange.status === 429) await connection.end(entry);
    else if (entry.probe !== undefined) await connection.leave(entry, exchange);
    return own.leave(ownEntry, exchange);
  };
}

/** `probe`: the pause that this call extended for the time of its probe. */
type Entry = { readonly probe?: Pause | undefined };
type Pausable = {
  readonly enter: () => Promise<Entry | { readonly waiting: Exchange }>;
  /** @returns the exchange; its `retryAfterSeconds` is within the bounds */
  readonly leave: (entry: Entry, exchange: Exchange) => Promise<Exchange>;
  readonly end: (entry: Entry) => Promise<void>;
};
type PauseContext = Pick<GateOptions, 'companyId' | 'now' | 'report'> & { readonly calls?: CallKind };

function pausable(
  { paused, write }: PauseMemory,
  limits: Limits,
  { companyId, calls, now, report }: PauseContext,
): Pausable {
  let failures = 0;
  const end = async ({ probe }: Entry): Promise<void> => {
    failures = 0;
    if (probe !== undefined) await write(undefined, probe);
  };
  return {
    end,
    enter: async () => {
      const seen = await paused();
      if (seen === undefined) return {};
      if (seen.until > now()) return { waiting: waiting(seen, now) };
      const probe = { ...seen, until: plusSeconds(now(), probeSeconds) };
      return (await write(probe, seen)) ? { probe } : { waiting: waiting(probe, now) };
    },
    leave: async ({ probe }, exchange) => {
      const cause = failureOf(exchange);
      if (cause === undefined) {
        await end({ probe });
        return exchange;
      }
      const asked = bounded(exchange, limits);
      failures += limits.countsFailures ? 1 : 0;
      if (probe === undefined && !isThrottled(exchange) && failures < failuresInARow) return asked;
      const times = (probe?.failures ?? 0) + 1;
      const seconds = retryAfterSecondsOf(asked) ?? Math.min(2 ** (times - 1), longestSeconds);
      failures = 0;
      const [at, since = at] = [now(), probe?.since];
      const isPaused = await write({ until: plusSeconds(at, seconds), cause, failures: times, since }, probe);
      // A pause that another process wrote was reported by that process. An access error has an alarm of its own.
      if (isPaused && accessErrorOf(exchange) === undefined)
        report('BanksPaused', { companyId, cause, seconds: `${seconds}`, ...(calls !== undefined && { calls }) });
      return asked;
    },
  };
}

function waiting({ until, cause }: Pause, now: Clock): Exchange {
  const retryAfterSeconds = Math.min(Math.max(1, Math.ceil(secondsBetween(now(), until))), 86_400);
  return { status: 'NOT_CONNECTED', cause: `The connection is paused: ${cause}`.slice(0, 140), retryAfterSeconds };
}

/**
 * Returns why a call counts as failed: no connection, no response, 429 or 5xx. Undefined for a call that did not fail.
 */
function failureOf(exchange: Exchange): string | undefined {
  const { status } = exchange;
  if (status === 'NOT_CONNECTED') return exchange.cause;
  if (status === 'NO_ANSWER') return 'no response';
  return status === 429 || status >= 500 ? `status ${status}` : undefined;
}

/** Whether the bank limits its calls, or its requests for tokens. */
function isThrottled(exchange: Exchange): boolean {
  return exchange.status === 429 || (exchange.status === 'NOT_CONNECTED' && exchange.retryAfterSeconds !== undefined);
}

/** Returns the exchange with a wait of at least a second and at most the bound. */
function bounded(exchange: Exchange, { askedSeconds }: Limits): Exchange {
  const asked = retryAfterSecondsOf(exchange);
  if (asked === undefined || exchange.status === 'NO_ANSWER') return exchange;
  return { ...exchange, retryAfterSeconds: Math.min(Math.max(1, asked), askedSeconds) };
}

function retryAfterSecondsOf(exchange: Exchange): number | undefined {
  return 'retryAfterSeconds' in exchange ? exchange.retryAfterSeconds : undefined;
}
