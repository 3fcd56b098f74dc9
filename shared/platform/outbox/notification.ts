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
