import type { Clock } from '#shared/core/brasilia-time.ts';
import { plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import type { Pause } from '#shared/bank/connection.ts';
import type { report } from '#shared/bank/report.ts';
import type { Exchange } from './response.ts';
import { accessErrorOf } from './response.ts';
import type { CallKind, PauseMemory } from '#shared/bank/bank-calls.ts';

/** Lets a call through, or says that its connection, or its kind of call, is paused: then nothing is sent. */
export type Gate = (call: () => Promise<Exchange>, kind?: CallKind) => Promise<Exchange>;

type GateOptions = PauseMemory & {
  readonly companyId: string;
  /** The pauses of calls that a bank limits by themselves. */
  readonly ofKind: (kind: CallKind) => PauseMemory;
  readonly now: Clock;
  readonly report: typeof report;
};

type Limits = {
  /** The longest pause that a bank may ask for, seconds. */
  readonly askedSeconds: number;
  /** Whether failures in a row pause it, too. */
  readonly countsFailures: boolean;
};

/** One call in a quarter of an hour burdens no bank, and no payout waits longer for a limit that has ended. */
const ofConnection: Limits = { askedSeconds: 900, countsFailures: true };
const limitsOf: Readonly<Record<CallKind, Limits>> = {
  /** Less than an hour: the run of each hour asks again. A list that is slow says nothing about the next one. */
  LIST: { askedSeconds: 3000, countsFailures: false },
  /** The DICT refills a bucket that was emptied within a day. */
  LOOKUP: { askedSeconds: 86_400, countsFailures: true },
};

/** Failed calls in a row after which the bank is left alone. */
const failuresInARow = 3;
const longestSeconds = 60;
/** Time limit of a probe; no other call is made meanwhile. */
const probeSeconds = 10;

/**
 * Leaves a bank alone that asks for it (429) or fails three times in a row: for `Retry-After`, within bounds, else for
 * 1, 2, 4 … 60 seconds. Then one probe goes, of all processes; its answer ends the pause or lengthens it. A connection
 * that is not made is a failure, too. What lists and look-ups meet at the bank pauses them alone.
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
    // The bank answers, or its connection was paused before.
    if (exchange.status === 429) await connection.end(entry);
    else if (entry.probe !== undefined) await connection.leave(entry, exchange);
    return own.leave(ownEntry, exchange);
  };
}

/** `probe`: the pause that this call prolonged while it tries. */
type Entry = { readonly probe?: Pause | undefined };
type Pausable = {
  readonly enter: () => Promise<Entry | { readonly waiting: Exchange }>;
  /** @returns the exchange, with the wait that is kept to */
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
      const isPaused = await write({ until: plusSeconds(now(), seconds), cause, failures: times }, probe);
      // A pause of another process was reported there; an error of the access has an alarm of its own.
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

/** Why a call counts as failed: no connection, or the bank asks for fewer, breaks down or hangs. */
function failureOf(exchange: Exchange): string | undefined {
  const { status } = exchange;
  if (status === 'NOT_CONNECTED') return exchange.cause;
  if (status === 'NO_ANSWER') return 'no response';
  return status === 429 || status >= 500 ? `status ${status}` : undefined;
}

/** The bank's limit, or that of its tokens. */
function isThrottled(exchange: Exchange): boolean {
  return exchange.status === 429 || (exchange.status === 'NOT_CONNECTED' && exchange.retryAfterSeconds !== undefined);
}

/** The same with a wait of at least a second that is not above the bound. */
function bounded(exchange: Exchange, { askedSeconds }: Limits): Exchange {
  const asked = retryAfterSecondsOf(exchange);
  if (asked === undefined || exchange.status === 'NO_ANSWER') return exchange;
  return { ...exchange, retryAfterSeconds: Math.min(Math.max(1, asked), askedSeconds) };
}

function retryAfterSecondsOf(exchange: Exchange): number | undefined {
  return 'retryAfterSeconds' in exchange ? exchange.retryAfterSeconds : undefined;
}
