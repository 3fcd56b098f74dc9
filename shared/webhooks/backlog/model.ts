import type { Instant } from '#shared/core/brasilia-time.ts';
import type { BacklogName } from '#shared/platform/outbox/delivery.ts';

/** One failed call, as the circuit counts it. */
export type CountedFailure = { readonly at: Instant; readonly deliveryId: string; readonly timedOut: boolean };

/** A call that takes long, until its worker counts as dead. */
export type Slot = { readonly deliveryId: string; readonly until: Instant };

/** The delivery that the backlog released last. The next one follows when its attempt has ended. */
type ReleasedDelivery = { readonly deliveryId: string; readonly dispatch: number };

/** An open circuit: deliveries that have not begun wait, and one at a time is released as a probe. */
export type OpenCircuit = {
  readonly at: Instant;
  /** The first of the failures in a row that opened it. */
  readonly failingSince: Instant;
  /** Probes that failed since. */
  readonly probes: number;
  /** When the last probe was due; when it opened, before the first one. */
  readonly probedAt: Instant;
};

export type Backlog = {
  readonly companyId: string;
  readonly name: BacklogName;
  /** Raised by every write. */
  readonly version: number;
  /** The address, of the backlog of an endpoint. */
  readonly endpoint?: string;
  /** Failed calls in a row while the circuit is closed, latest last. */
  readonly failures?: readonly CountedFailure[];
  /** Calls that take long, as many as the endpoint may have. */
  readonly slots?: readonly Slot[];
  readonly open?: OpenCircuit;
  /** No delivery goes out. By the circuit: after days of failing, since the time in `failingSince`. */
  readonly held?: {
    readonly at: Instant;
    readonly by: 'OPERATOR' | 'CIRCUIT';
    readonly failingSince?: Instant;
    /** Deliveries up to this sort key (`<createdAt>#<id>`) are marked `HELD`. */
    readonly upTo?: string;
    readonly isMarked?: true;
  };
  /** Its deliveries go out one after the other, since then. */
  readonly releasedAt?: Instant;
  readonly inFlight?: ReleasedDelivery;
  /** When the sweep looks whether the backlog goes on, in case a worker died on the way. */
  readonly dueAt?: Instant;
};

/**
 * The sweep looks at a backlog when this is over, in seconds, in case the worker that had to release the next delivery
 * died.
 */
export const backlogGraceSeconds = 120;

/** A backlog of which nothing is known yet. */
export function newBacklog(companyId: string, name: BacklogName, endpoint?: string): Backlog {
  return { companyId, name, version: 0, ...(endpoint !== undefined && { endpoint }) };
}

/** The next state: what is `undefined` in the change is taken away. */
export function changeBacklog(
  backlog: Backlog,
  change: { readonly [K in keyof Backlog]?: Backlog[K] | undefined },
): Backlog {
  const next = { ...backlog, ...change, version: backlog.version + 1 };
  // An assertion, because `fromEntries` forgets the names: what is left out was optional.
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined)) as Backlog;
}

/** Whether the backlog says no more than its absence would. Its slots end within a minute. */
export function isEmptyBacklog({ failures, open, held, releasedAt, inFlight }: Backlog): boolean {
  return [failures, open, held, releasedAt, inFlight].every((part) => part === undefined);
}

/** No delivery goes out until the backlog is released. Those that wait are marked by the backlog's worker. */
export function holdBacklog(backlog: Backlog, by: 'OPERATOR' | 'CIRCUIT', at: Instant, markAt: Instant): Backlog {
  const failingSince = backlog.open?.failingSince;
  const held = { at, by, ...(failingSince !== undefined && { failingSince }) };
  return changeBacklog(backlog, { held, open: undefined, failures: undefined, releasedAt: undefined, dueAt: markAt });
}

/** The deliveries that wait go out, oldest first; what was counted against the endpoint is forgotten. */
export function releaseBacklog(backlog: Backlog, at: Instant): Backlog {
  return changeBacklog(backlog, { held: undefined, open: undefined, failures: undefined, releasedAt: at, dueAt: at });
}
