import type { Instant } from '#shared/core/brasilia-time.ts';

/** Events of these types go to the endpoint that the company's settings name at the moment of the attempt. */
export const webhookTypes = ['PAYIN', 'PAYIN_REFUND', 'PAYOUT'] as const;
export type WebhookType = (typeof webhookTypes)[number];

/**
 * Where a notification goes: the settings' endpoint of a type, or one address for ever (a subscription's `webhookUrl`).
 */
export type NotificationTarget = { readonly type: WebhookType } | { readonly endpoint: string };

/**
 * Kinds of things that notifications tell of, as `GET` reads them: a refund is told of its pay-in, a cancellation
 * request of its subscription. `WEBHOOK_TEST`: nothing, the notification shows a layout.
 */
export const resourceTypes = ['PAY_IN', 'PAYOUT', 'SUBSCRIPTION', 'SCHEDULED_PAYMENT', 'WEBHOOK_TEST'] as const;
export type ResourceType = (typeof resourceTypes)[number];
type NotifiedResource = { readonly type: ResourceType; readonly id: string };

/** What a transition notifies: exact bytes and where they go. */
export type Notification = {
  /** The id of its delivery: `webhook-id` on every attempt. */
  readonly id: string;
  readonly event: string;
  /** What it tells of: the partner finds all deliveries about it by its id. */
  readonly resource: NotifiedResource;
  readonly target: NotificationTarget;
  /** The exact JSON: these bytes are signed and sent at every attempt. */
  readonly body: string;
  /** By the machine's clock, not by a company's simulated one: deliveries are attempted in real time. */
  readonly createdAt: Instant;
  /** Of the request or run that caused the transition. */
  readonly requestId: string;
  /** The delivery of which this is a manual repetition. */
  readonly resendOf?: string;
};

/**
 * Where deliveries of a company wait together: for the operator to release the company, for a type to get an active
 * endpoint, or for one endpoint (named by a hash of its address) to be released or to answer again. An index holds the
 * deliveries that wait; this is what is known of the backlog as a whole.
 */
export type BacklogName = 'company' | `type:${WebhookType}` | `endpoint:${string}`;

/** The backlog in which deliveries of a type wait for it to have an active endpoint. */
export function typeBacklog(type: WebhookType): BacklogName {
  return `type:${type}`;
}

const typeBacklogs = webhookTypes.map(typeBacklog);

/** Undefined for anything that names no backlog. */
export function parseBacklogName(text: string): BacklogName | undefined {
  if (text === 'company') return text;
  const hash = /^endpoint:([0-9a-f]+)$/u.exec(text)?.[1];
  return hash === undefined ? typeBacklogs.find((known) => known === text) : `endpoint:${hash}`;
}

export const deliveryStatuses = ['PENDING', 'DELIVERED', 'FAILED', 'HELD'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
/** Why a due `PENDING` delivery waits. */
export const pausedReasons = ['ENDPOINT_FAILING'] as const;
type PausedReason = (typeof pausedReasons)[number];
export const attemptOutcomes = ['DELIVERED', 'FAILED', 'UNKNOWN'] as const;
type AttemptOutcome = (typeof attemptOutcomes)[number];

/** Why an attempt failed, always by the partner's fault. */
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

/** One call of a partner's endpoint. */
export type Attempt = {
  /** Counts attempts from 1, in the order of their claims. */
  readonly number: number;
  /** The claim that it was made under: a repeated write recognises itself by it. */
  readonly claimId: string;
  readonly at: Instant;
  readonly outcome: AttemptOutcome;
  readonly httpStatus?: number;
  readonly error?: AttemptError;
  readonly durationMs?: number;
  readonly returnCode?: string;
};

/** The right to one attempt. Its number is the fencing token; after the lease its holder counts as dead. */
export type Claim = {
  readonly id: string;
  readonly number: number;
  readonly at: Instant;
  readonly leaseUntil: Instant;
};

/** The obligation to notify a partner, and its state. */
export type Delivery = Omit<Notification, 'body'> & {
  readonly companyId: string;
  readonly target: NotificationTarget;
  readonly status: DeliveryStatus;
  /** Raised by every write. */
  readonly version: number;
  /** How often it went to the queue; a message of an earlier dispatch is stale. */
  readonly dispatch: number;
  /** The queue's id of this dispatch's message, once received. */
  readonly messageId?: string;
  readonly attempts: readonly Attempt[];
  readonly claim?: Claim;
  /** The URL of the last attempt. */
  readonly endpoint?: string;
  /** While `PENDING`: no attempt before this. */
  readonly nextAttemptAt?: Instant;
  /** While `PENDING`: the sweep looks at it when this is overdue. */
  readonly dueAt?: Instant;
  /** While `HELD`. */
  readonly heldAt?: Instant;
  /** The backlog that it waits in, `HELD` or for a failing endpoint. No message carries it then. */
  readonly backlog?: BacklogName;
  /** While `FAILED`: the last delivery that resent its bytes. */
  readonly resentAs?: string;
  /** The backlog that released it, until its attempt ends; a failed probe goes back. */
  readonly releasedFrom?: { readonly backlog: BacklogName; readonly probe?: true };
};

export function newDelivery(companyId: string, notification: Notification): Delivery {
  const { body: _body, ...known } = notification;
  const { createdAt } = known;
  const isNew = { status: 'PENDING', version: 1, dispatch: 1, attempts: [] } as const;
  return { ...known, companyId, ...isNew, nextAttemptAt: createdAt, dueAt: createdAt };
}

/** Set while a delivery waits for its endpoint: in a backlog, or as the next probe. */
export function pausedReasonOf({ status, backlog, releasedFrom }: Delivery): PausedReason | undefined {
  const isWaiting = status === 'PENDING' && (backlog !== undefined || releasedFrom?.probe === true);
  return isWaiting ? 'ENDPOINT_FAILING' : undefined;
}
