import type { Instant } from './brasilia-time.ts';
import type { Notification, NotificationTarget } from './notification.ts';

export const deliveryStatuses = ['PENDING', 'DELIVERED', 'FAILED', 'HELD'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
export const attemptOutcomes = ['DELIVERED', 'FAILED', 'UNKNOWN'] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** Why an attempt failed. All are charged to the partner. */
export const attemptErrors = [
  'DNS',
  'CONNECTION_REFUSED',
  'CONNECTION_RESET',
  'UNREACHABLE',
  'CONNECTION_FAILED',
  'TIMEOUT',
  'TLS',
  'FORBIDDEN_TARGET',
  'INVALID_RESPONSE',
  'REDIRECT',
  'STATUS',
] as const;
export type AttemptError = (typeof attemptErrors)[number];

/** One call of a partner, as it is kept. What is not known is absent. */
export type Attempt = {
  /** Counts all attempts from 1, in the order of their claims. */
  readonly number: number;
  /** The claim under which it was made: a write that is repeated recognises its own effect by it. */
  readonly claimId: string;
  readonly at: Instant;
  readonly outcome: AttemptOutcome;
  readonly httpStatus?: number;
  readonly error?: AttemptError;
  readonly durationMs?: number;
  readonly returnCode?: string;
};

/** The right to make one attempt. Its number is the fencing token; after its lease its holder counts as dead. */
export type Claim = {
  readonly id: string;
  readonly number: number;
  readonly at: Instant;
  readonly leaseUntil: Instant;
};

/** The obligation to tell a partner something, and what became of it so far. */
export type Delivery = Omit<Notification, 'body'> & {
  readonly companyId: string;
  readonly target: NotificationTarget;
  readonly status: DeliveryStatus;
  /** Raised by every write. */
  readonly version: number;
  /** How often it was handed to the queue; a message of an earlier sending is stale. */
  readonly sending: number;
  /** The queue's id of the message that carries this sending, once one was received. */
  readonly carrier?: string;
  readonly attempts: readonly Attempt[];
  readonly claim?: Claim;
  /** The address of the last attempt. */
  readonly endpoint?: string;
  /** While `PENDING`: not before this. */
  readonly nextAttemptAt?: Instant;
  /** While `PENDING`: from when on the sweep may wonder why nothing happened. */
  readonly dueAt?: Instant;
  /** While `HELD`: since when. */
  readonly heldAt?: Instant;
};

/** The delivery with which a notification begins. */
export function newDelivery(companyId: string, notification: Notification): Delivery {
  const { body: _body, ...known } = notification;
  const { createdAt } = notification;
  return {
    ...known,
    companyId,
    status: 'PENDING',
    version: 1,
    sending: 1,
    attempts: [],
    nextAttemptAt: createdAt,
    dueAt: createdAt,
  };
}
