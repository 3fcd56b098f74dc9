import type { circuitRules } from '../support/circuit.ts';

/** One call that reached the partner. */
export type Call = {
  readonly id: string;
  readonly address: string;
  readonly body: string;
  readonly startMs: number;
  endMs: number;
  ok: boolean;
};
/** How a partner answers a delivery: slow ones run into the deadline of ten seconds. */
export type Answer = () => { readonly ok: boolean; readonly ms: number };
/** How an address or an origin behaves beside that. `dead`: it cannot be connected to. */
export type Behaviour = 'answers' | 'fails' | 'hangs' | 'dead' | { readonly ms: number };

/** A shard of the stream, or a parallel part of one: what is in it is relayed in its order. */
export type Shard = {
  readonly records: { eventName: 'INSERT'; dynamodb: { SequenceNumber: string; Keys: unknown } }[];
  position: number;
  tries: number;
  isRelaying: boolean;
};

export type WorldOptions = {
  readonly graceSeconds?: number;
  readonly rules?: typeof circuitRules;
  readonly throttled?: number;
  /** Concurrent notifiers. */
  readonly workers?: number;
  /** Called after every write. */
  readonly watch?: () => void;
};
