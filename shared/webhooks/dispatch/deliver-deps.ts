import type { Clock } from '#shared/core/brasilia-time.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import type { CallResult, Carrier } from '../deliveries/states.ts';
import type { DeliveryMessage } from '../deliveries/message.ts';
import type { OutgoingCall } from './sender.ts';
import type { CircuitRules } from '../health/circuit.ts';
import type { LineEvent } from '../health/dependencies.ts';
import type { Store } from '#shared/platform/table/store.ts';

export type ReceivedMessage = DeliveryMessage & Pick<Carrier, 'id' | 'receives'>;

export type DeliverDeps = {
  readonly store: Store;
  readonly now: Clock;
  readonly newId: () => string;
  /** A random number from 0 to below 1. */
  readonly random: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Calls the partner; how the call ended is its value. `whenSlow` runs during a call that takes long. */
  readonly send: (call: OutgoingCall, whenSlow: () => void) => Promise<CallResult>;
  /** Waits before attempts two to five, whole seconds. */
  readonly delays: readonly number[];
  /** When an endpoint counts as failing. */
  readonly rules: CircuitRules;
  readonly report: (event: DeliveryEvent) => void;
  readonly onLine: (event: LineEvent) => void;
};

/** What log and metrics report. `delivery` is its state afterwards. */
export type DeliveryEvent =
  | {
      readonly kind: 'attempt';
      readonly delivery: Delivery;
      readonly message: ReceivedMessage;
      readonly result: CallResult;
    }
  | { readonly kind: 'first-call' | 'held' | 'paused' | 'given-up' | 'recording-lost'; readonly delivery: Delivery }
  | { readonly kind: 'passed-over'; readonly message: ReceivedMessage; readonly because: string };
