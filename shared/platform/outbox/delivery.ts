import type { Instant } from '#shared/core/brasilia-time.ts';

/** Failed attempts that count: the first one and four retries (specification, 6.1). */
export const maxCountedFailures = 5;

/** Each type goes to its endpoint in the company's settings, at the moment of the attempt. */
export const webhookTypes = ['PAYIN', 'PAYIN_REFUND', 'PAYOUT', 'CREDIT', 'DISPUTE'] as const;
export type WebhookType = (typeof webhookTypes)[number];

/**
 * Where a notification goes: the endpoint of its type, or one address. With `subscription` (its id) the address is the
 * subscription's `webhookUrl` at the moment of the attempt; `endpoint` is the address that was read last.
 */
export type NotificationTarget =
  { readonly type: WebhookType } | { readonly endpoint: string; readonly subscription?: string };

/**
 * The resources of notifications, as `GET` reads them. A refund's notification names the pay-in, a cancellation
 * request's the subscription. A test (`WEBHOOK_TEST`) has no resource that can be read.
 */
export const resourceTypes = [
  'PAY_IN',
  'PAYOUT',
  'SUBSCRIPTION',
  'SCHEDULED_PAYMENT',
  'CREDIT',
  'DISPUTE',
  'WEBHOOK_TEST',
] as const;
export type ResourceType = (typeof resourceTypes)[number];

/**
 * Whether a notification was sent only to test an endpoint. It does not count in the state of a company's
 * notifications.
 */
export function isTest({ resource }: { readonly resource: { readonly type: ResourceType } }): boolean {
  return resource.type === 'WEBHOOK_TEST';
}

/** The notification of a transition: its bytes and its target. */
export type Notification = {
  /** The id of its delivery. */
  readonly id: string;
  readonly event: string;
  /** Its subject: the partner lists the deliveries of a resource by this id. */
  readonly resource: { readonly type: ResourceType; readonly id: string };
  readonly target: NotificationTarget;
  /** The exact JSON: every attempt signs and sends these bytes. */
  readonly body: string;
  /** Time of the machine's clock, not the company's simulated one: attempts happen in real time. */
  readonly createdAt: Instant;
  /** The request or run of the transition. */
  readonly requestId: string;
  /** The first delivery of the notification, for a resend, also of a resend. */
  readonly resendOf?: string;
};

/** `webhook-id`: the notification, the same on every attempt of its first delivery and of every resend. */
export function webhookIdOf({ id, resendOf = id }: Pick<Notification, 'id' | 'resendOf'>): string {
  return resendOf;
}

/**
 * A backlog of a company. `type:`: deliveries of one type, whatever its address is. `address:`, `origin:` (with
 * hashes): deliveries that wait because of that address or origin. `company`: deliveries to other fixed addresses while
 * the company is held.
 */
export type BacklogName = 'company' | `type:${WebhookType}` | CircuitName;
/** The circuit of an address, or of an origin: scheme, host and port. */
export type CircuitName = `address:${string}` | `origin:${string}`;

/** The backlog of a type. */
export function typeBacklog(type: WebhookType): BacklogName {
  return `type:${type}`;
}

const typeBacklogs = webhookTypes.map(typeBacklog);

/** Undefined for a text that names no backlog. */
export function parseBacklogName(text: string): BacklogName | undefined {
  if (text === 'company') return text;
  return parseCircuitName(text) ?? typeBacklogs.find((known) => known === text);
}

/** Undefined for a text that names no circuit. */
export function parseCircuitName(text: string): CircuitName | undefined {
  const [, kind, hash = ''] = /^(address|origin):([0-9a-f]+)$/u.exec(text) ?? [];
  return kind === 'address' ? `address:${hash}` : kind === 'origin' ? `origin:${hash}` : undefined;
}

export const deliveryStatuses = ['PENDING', 'DELIVERED', 'FAILED', 'HELD'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
/** Why a `PENDING` delivery waits in a backlog: its endpoint fails, or has its maximum of concurrent calls. */
export const pausedReasons = ['ENDPOINT_FAILING', 'ENDPOINT_BUSY'] as const;
export type PausedReason = (typeof pausedReasons)[number];
export const attemptOutcomes = ['DELIVERED', 'FAILED', 'UNKNOWN'] as const;
type AttemptOutcome = (typeof attemptOutcomes)[number];

/** Why an attempt failed. Each counts as the partner's failure. */
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

/** One call to a partner. An unknown value is absent. */
export type Attempt = {
  /** Number from 1, in the order of the claims. */
  readonly number: number;
  /** Its claim: a repeated write recognises its own effect by it. */
  readonly claimId: string;
  readonly at: Instant;
  readonly outcome: AttemptOutcome;
  readonly httpStatus?: number;
  readonly error?: AttemptError;
  readonly durationMs?: number;
  readonly returnCode?: string;
};

/** The right to make one attempt. Its number is the fencing token; after the lease its holder counts as dead. */
export type Claim = {
  readonly id: string;
  readonly number: number;
  readonly at: Instant;
  readonly leaseUntil: Instant;
};

/** A notification on its way to the partner, and its attempts. */
export type Delivery = Omit<Notification, 'body'> & {
  readonly companyId: string;
  readonly status: DeliveryStatus;
  /** Every write raises it. */
  readonly version: number;
  /** Counts the messages to the queue; a message of an earlier dispatch is stale. */
  readonly dispatch: number;
  /** The queue's id of this dispatch's message, after its first receive. */
  readonly messageId?: string;
  readonly attempts: readonly Attempt[];
  readonly claim?: Claim;
  /** The URL of the last attempt. */
  readonly endpoint?: string;
  /** While `PENDING`: no attempt before this. */
  readonly nextAttemptAt?: Instant;
  /** While `PENDING`: the sweep sends the delivery again some time after this. */
  readonly dueAt?: Instant;
  /** While `HELD`. */
  readonly heldAt?: Instant;
  /** The backlog that it waits in, without a message: `HELD`, or `PENDING` for an endpoint that fails or is busy. */
  readonly backlog?: BacklogName;
  /** The latest resend of a first delivery. */
  readonly resentAs?: string;
  /** Creation of the latest resend. */
  readonly resentAt?: Instant;
  /** Ids of the latest resends, oldest first. */
  readonly resends?: readonly string[];
  /**
   * When this delivery was no longer needed: the partner took another delivery of the notification after this one was
   * created.
   */
  readonly closedAt?: Instant;
};

/** `FAILED` or `HELD`, and the partner has not taken the notification since. */
export function isOpen({ status, closedAt }: Pick<Delivery, 'status' | 'closedAt'>): boolean {
  return (status === 'FAILED' || status === 'HELD') && closedAt === undefined;
}

/** Returns a new delivery, due immediately. */
export function newDelivery(companyId: string, { body: _body, ...known }: Notification): Delivery {
  const due = { nextAttemptAt: known.createdAt, dueAt: known.createdAt };
  return { ...known, companyId, status: 'PENDING', version: 1, dispatch: 1, attempts: [], ...due };
}
