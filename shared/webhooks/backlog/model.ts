import type { Instant } from '#shared/core/brasilia-time.ts';
import type { BacklogName } from '#shared/platform/outbox/delivery.ts';

/** A failed call, as the circuit breaker counts it. */
export type CountedFailure = { readonly at: Instant; readonly deliveryId: string; readonly timedOut: boolean };

/** A slow call; after `until` its worker counts as dead. */
export type Slot = { readonly deliveryId: string; readonly until: Instant };

/** The last released delivery. The next one follows after its attempt. */
type ReleasedDelivery = { readonly deliveryId: string; readonly dispatch: number };

/** An open circuit: new deliveries wait, and one at a time is released as a probe. */
export type OpenCircuit = {
  readonly at: Instant;
  /** The first of the failures that opened it. */
  readonly failingSince: Instant;
  /** Failed probes since. */
  readonly probes: number;
  /** Time of the last probe; before the first one, of the opening. */
  readonly probedAt: Instant;
};

export type Backlog = {
  readonly companyId: string;
  readonly name: BacklogName;
  /** Raised by every write. */
  readonly version: number;
  /** The URL, in the backlog of an endpoint. */
  readonly endpoint?: string;
  /** Failed calls in a row while the circuit is closed, latest last. */
  readonly failures?: readonly CountedFailure[];
  /** Slow calls, as many as the endpoint may have. */
  readonly slots?: readonly Slot[];
  readonly open?: OpenCircuit;
  /** No delivery goes out. `CIRCUIT`: after days of failing, since `failingSince`. */
  readonly held?: {
    readonly at: Instant;
    readonly by: 'OPERATOR' | 'CIRCUIT';
    readonly failingSince?: Instant;
    /** Deliveries up to this sort key (`<createdAt>#<id>`) are marked `HELD`. */
    readonly upTo?: string;
    readonly isMarked?: true;
  };
  /** Its deliveries go out one after the other since then. */
  readonly releasedAt?: Instant;
  readonly inFlight?: ReleasedDelivery;
  /** The sweep looks at it then, in case a worker died. */
  readonly dueAt?: Instant;
};

/** Seconds until the sweep looks at a backlog, in case the worker that had to release the next delivery died. */
export const backlogGraceSeconds = 120;

/** An empty backlog. */
export function newBacklog(companyId: string, name: BacklogName, endpoint?: string): Backlog {
  return { companyId, name, version: 0, ...(endpoint !== undefined && { endpoint }) };
}

/** The next state; `undefined` in the change removes a member. */
export function changeBacklog(
  backlog: Backlog,
  change: { readonly [K in keyof Backlog]?: Backlog[K] | undefined },
): Backlog {
  const next = { ...backlog, ...change, version: backlog.version + 1 };
  // An assertion: `fromEntries` forgets the names. All removed members are optional.
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined)) as Backlog;
}

/** Whether the backlog can be deleted. Its slots end within a minute. */
export function isEmptyBacklog({ failures, open, held, releasedAt, inFlight }: Backlog): boolean {
  return [failures, open, held, releasedAt, inFlight].every((part) => part === undefined);
}

/** Holds all deliveries until a release. The backlog's worker marks those that wait. */
export function holdBacklog(backlog: Backlog, by: 'OPERATOR' | 'CIRCUIT', at: Instant, markAt: Instant): Backlog {
  const failingSince = backlog.open?.failingSince;
  const held = { at, by, ...(failingSince !== undefined && { failingSince }) };
  return changeBacklog(backlog, { held, open: undefined, failures: undefined, releasedAt: undefined, dueAt: markAt });
}

/** Releases the deliveries, oldest first, and resets the count of failures. */
export function releaseBacklog(backlog: Backlog, at: Instant): Backlog {
  return changeBacklog(backlog, { held: undefined, open: undefined, failures: undefined, releasedAt: at, dueAt: at });
}
