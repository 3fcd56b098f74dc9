import type { Instant } from '#shared/core/brasilia-time.ts';
import type { BacklogName } from '#shared/platform/outbox/delivery.ts';

/** One failed call that the circuit counts. */
export type CountedFailure = { readonly at: Instant; readonly deliveryId: string; readonly timedOut: boolean };

/** The place of a long call, until its worker counts as dead. */
export type Slot = { readonly deliveryId: string; readonly until: Instant };

/** An open circuit: deliveries without an attempt wait, and one at a time goes out as a probe. */
export type OpenCircuit = {
  readonly at: Instant;
  /** The first of the failures that opened it. */
  readonly failingSince: Instant;
  /** Failed probes since. */
  readonly probes: number;
  /** When the last probe was due; before the first one, when the circuit opened. */
  readonly probedAt: Instant;
};

/** The state of a backlog as a whole; an index holds the deliveries that wait in it. */
export type Backlog = {
  readonly companyId: string;
  readonly name: BacklogName;
  /** Every write raises it. */
  readonly version: number;
  /** The address of an endpoint's backlog. */
  readonly endpoint?: string;
  /** Failed calls in a row while the circuit is closed, latest last. */
  readonly failures?: readonly CountedFailure[];
  /** Long calls, up to the concurrency limit. */
  readonly slots?: readonly Slot[];
  readonly open?: OpenCircuit;
  /** No delivery goes out. `CIRCUIT`: the endpoint failed for days, since `failingSince`. */
  readonly held?: {
    readonly at: Instant;
    readonly by: 'OPERATOR' | 'CIRCUIT';
    readonly failingSince?: Instant;
    /** Deliveries up to this sort key (`<createdAt>#<id>`) are `HELD`. */
    readonly upTo?: string;
    readonly isMarked?: true;
  };
  /** Since then its deliveries go out one after the other. */
  readonly releasedAt?: Instant;
  /** The delivery that the backlog released last. The next one follows when its attempt has ended. */
  readonly inFlight?: { readonly deliveryId: string; readonly dispatch: number };
  /** When the sweep visits the backlog, in case a worker died. */
  readonly dueAt?: Instant;
};

/** Seconds. After this the sweep visits a backlog, in case the worker died that had to release the next delivery. */
export const backlogGraceSeconds = 120;

/** A backlog before its first write. */
export function newBacklog(companyId: string, name: BacklogName, endpoint?: string): Backlog {
  return { companyId, name, version: 0, ...(endpoint !== undefined && { endpoint }) };
}

/** The next state, without the attributes that are `undefined` in the change. */
export function changeBacklog(
  backlog: Backlog,
  change: { readonly [K in keyof Backlog]?: Backlog[K] | undefined },
): Backlog {
  const next = { ...backlog, ...change, version: backlog.version + 1 };
  // An assertion, because `fromEntries` forgets the names: a missing attribute is an optional one.
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined)) as Backlog;
}

/** Whether the backlog says no more than its absence. Its slots end within a minute. */
export function isEmptyBacklog({ failures, open, held, releasedAt, inFlight }: Backlog): boolean {
  return [failures, open, held, releasedAt, inFlight].every((part) => part === undefined);
}

/** No delivery goes out until a release. The sweep marks those that wait from `markAt` on. */
export function holdBacklog(backlog: Backlog, by: 'OPERATOR' | 'CIRCUIT', at: Instant, markAt: Instant): Backlog {
  const failingSince = backlog.open?.failingSince;
  const held = { at, by, ...(failingSince !== undefined && { failingSince }) };
  return changeBacklog(backlog, { held, open: undefined, failures: undefined, releasedAt: undefined, dueAt: markAt });
}

/** The deliveries that wait go out, oldest first; the circuit closes and its failures are gone. */
export function releaseBacklog(backlog: Backlog, at: Instant): Backlog {
  return changeBacklog(backlog, { held: undefined, open: undefined, failures: undefined, releasedAt: at, dueAt: at });
}
