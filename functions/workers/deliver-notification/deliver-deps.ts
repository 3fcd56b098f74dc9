import type { Clock } from '../../../shared/domain/brasilia-time.ts';
import type { Delivery } from '../../../shared/domain/delivery.ts';
import type { CallResult, Carrier } from '../../../shared/domain/delivery-moves.ts';
import type { DeliveryMessage } from '../../../shared/notifications/delivery-message.ts';
import type { OutgoingCall } from '../../../shared/notifications/sender.ts';
import type { Store } from '../../../shared/persistence/store.ts';

export type ReceivedMessage = DeliveryMessage & Pick<Carrier, 'id' | 'receives'>;

export type DeliverDeps = {
  readonly store: Store;
  readonly now: Clock;
  readonly newId: () => string;
  /** A chance from 0 to below 1. */
  readonly random: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Calls the partner; how the call ended is its value. */
  readonly send: (call: OutgoingCall) => Promise<CallResult>;
  /** Waits before attempts two to five, whole seconds. */
  readonly delays: readonly number[];
  readonly report: (event: DeliveryEvent) => void;
};

/** What log and metrics are told. `delivery` is the state after it. */
export type DeliveryEvent =
  | {
      readonly kind: 'attempt';
      readonly delivery: Delivery;
      readonly message: ReceivedMessage;
      readonly result: CallResult;
    }
  | { readonly kind: 'first-call' | 'held' | 'given-up' | 'recording-lost'; readonly delivery: Delivery }
  | { readonly kind: 'passed-over'; readonly message: ReceivedMessage; readonly because: string };
