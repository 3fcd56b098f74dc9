import type { Instant } from '#shared/core/brasilia-time.ts';
import type { WebhookType } from './notification.ts';
import { webhookTypes } from './notification.ts';

/**
 * Where deliveries of a company wait together: for the operator to release the company, for a type to get an active
 * endpoint, or for one endpoint (named by a hash of its address) to be released or to answer again. An index holds the
 * deliveries that wait; this is what is known of the line as a whole.
 */
export type LineName = 'company' | `type:${WebhookType}` | `endpoint:${string}`;

/** One failed call, as the circuit counts it. */
export type CountedFailure = { readonly at: Instant; readonly deliveryId: string; readonly timedOut: boolean };

/** A call that takes long, until its worker counts as dead. */
export type SlowCall = { readonly deliveryId: string; readonly until: Instant };

/** The delivery that was let out of the line last. The next one follows when its attempt has ended. */
type Turn = { readonly deliveryId: string; readonly sending: number };

/** An open circuit: deliveries that have not begun wait, and one at a time is let out as a probe. */
export type OpenCircuit = {
  readonly at: Instant;
  /** The first of the failures in a row that opened it. */
  readonly failingSince: Instant;
  /** Probes that failed since. */
  readonly probes: number;
  /** When the last probe was due; when it opened, before the first one. */
  readonly probedAt: Instant;
};

export type Line = {
  readonly companyId: string;
  readonly name: LineName;
  /** Raised by every write. */
  readonly version: number;
  /** The address, of the line of an endpoint. */
  readonly endpoint?: string;
  /** Failed calls in a row while the circuit is closed, latest last. */
  readonly failures?: readonly CountedFailure[];
  /** Calls that take long, as many as the endpoint may have. */
  readonly slow?: readonly SlowCall[];
  readonly open?: OpenCircuit;
  /** No delivery goes out. By the circuit: after days of failing, since the time in `failingSince`. */
  readonly held?: {
    readonly at: Instant;
    readonly by: 'OPERATOR' | 'CIRCUIT';
    readonly failingSince?: Instant;
    /** Deliveries up to this place (`<createdAt>#<id>`) are marked `HELD`. */
    readonly upTo?: string;
    readonly isMarked?: true;
  };
  /** Its deliveries go out one after the other, since then. */
  readonly releasedAt?: Instant;
  readonly turn?: Turn;
  /** When the sweep looks whether the line goes on, in case a worker died on the way. */
  readonly dueAt?: Instant;
};

/** The sweep looks at a line when this is over, in seconds, in case whoever had to let the next delivery out died. */
export const lineGraceSeconds = 120;

/** The line in which deliveries of a type wait for it to have an active endpoint. */
export function typeLine(type: WebhookType): LineName {
  return `type:${type}`;
}

const typeLines = webhookTypes.map(typeLine);

/** Undefined for anything that names no line. */
export function lineNameOf(text: string): LineName | undefined {
  if (text === 'company') return text;
  const hash = /^endpoint:([0-9a-f]+)$/u.exec(text)?.[1];
  return hash === undefined ? typeLines.find((known) => known === text) : `endpoint:${hash}`;
}

/** A line of which nothing is known yet. */
export function newLine(companyId: string, name: LineName, endpoint?: string): Line {
  return { companyId, name, version: 0, ...(endpoint !== undefined && { endpoint }) };
}

/** The next state: what is `undefined` in the change is taken away. */
export function changeLine(line: Line, change: { readonly [K in keyof Line]?: Line[K] | undefined }): Line {
  const next = { ...line, ...change, version: line.version + 1 };
  // An assertion, because `fromEntries` forgets the names: what is left out was optional.
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined)) as Line;
}

/** Whether the line says no more than its absence would. What it says of slow calls is over within a minute. */
export function isEmptyLine({ failures, open, held, releasedAt, turn }: Line): boolean {
  return [failures, open, held, releasedAt, turn].every((part) => part === undefined);
}

/** No delivery goes out until the line is released. Those that wait are marked by the line's worker. */
export function holdLine(line: Line, by: 'OPERATOR' | 'CIRCUIT', at: Instant, markAt: Instant): Line {
  const failingSince = line.open?.failingSince;
  const held = { at, by, ...(failingSince !== undefined && { failingSince }) };
  return changeLine(line, { held, open: undefined, failures: undefined, releasedAt: undefined, dueAt: markAt });
}

/** The deliveries that wait go out, oldest first; what was counted against the endpoint is forgotten. */
export function releaseLine(line: Line, at: Instant): Line {
  return changeLine(line, { held: undefined, open: undefined, failures: undefined, releasedAt: at, dueAt: at });
}
