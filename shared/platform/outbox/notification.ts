import type { Instant } from '#shared/core/brasilia-time.ts';

/** These types go to the endpoint of the company's settings at the time of the attempt. */
export const webhookTypes = ['PAYIN', 'PAYIN_REFUND', 'PAYOUT'] as const;
export type WebhookType = (typeof webhookTypes)[number];

/** The endpoint of a type in the settings, or one fixed URL (a subscription's `webhookUrl`). */
export type NotificationTarget = { readonly type: WebhookType } | { readonly endpoint: string };

/**
 * Resources of notifications, as `GET` reads them: a refund is its pay-in's, a cancellation request its subscription's.
 * `WEBHOOK_TEST` has none.
 */
export const resourceTypes = ['PAY_IN', 'PAYOUT', 'SUBSCRIPTION', 'SCHEDULED_PAYMENT', 'WEBHOOK_TEST'] as const;
export type ResourceType = (typeof resourceTypes)[number];
type NotifiedResource = { readonly type: ResourceType; readonly id: string };

/** A notification of a transition: exact bytes and their target. */
export type Notification = {
  /** The id of its delivery, and `webhook-id` of every attempt. */
  readonly id: string;
  readonly event: string;
  /** The partner finds its deliveries by this id. */
  readonly resource: NotifiedResource;
  readonly target: NotificationTarget;
  /** The exact JSON that every attempt signs and sends. */
  readonly body: string;
  /** By the machine's clock, also where a company's is simulated. */
  readonly createdAt: Instant;
  /** Of the request or run that caused the transition. */
  readonly requestId: string;
  /** The delivery that this one resends. */
  readonly resendOf?: string;
};
