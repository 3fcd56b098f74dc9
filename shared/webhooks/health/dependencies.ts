import type { Clock } from '#shared/core/brasilia-time.ts';
import type { CircuitRules } from './circuit.ts';
import type { Line } from '#shared/platform/outbox/backlog.ts';
import type { Store } from '#shared/platform/table/store.ts';

export type ReleaseDeps = {
  readonly store: Store;
  readonly now: Clock;
  readonly newId: () => string;
  /** Told of what operators should know. */
  readonly onLine: (event: LineEvent) => void;
};
export type LineDeps = ReleaseDeps & { readonly rules: CircuitRules };

/** `line` is the state after it. */
export type LineEvent = {
  readonly kind: 'circuit-opened' | 'circuit-closed' | 'probe-failed' | 'endpoint-given-up' | 'let-out';
  readonly line: Line;
};
