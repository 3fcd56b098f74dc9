import type * as z from 'zod';
import type { DeliveryEntry, DeliveryRecord, ResendRecord, WebhookSettingsRecord } from './contract.ts';
import type { Delivery } from '../platform/outbox/delivery.ts';
import { pausedReasonOf } from '../platform/outbox/delivery.ts';
import type { DeliveryResend } from './deliveries/resend.ts';
import type { WebhookSettings } from './settings.ts';

/** A delivery as a listing shows it. What is not known is null. */
export function deliveryEntryView(delivery: Delivery): z.output<typeof DeliveryEntry> {
  const { id, event, status, resource, target, attempts, claim, createdAt } = delivery;
  const pausedReason = pausedReasonOf(delivery);
  const fixed = 'endpoint' in target ? target.endpoint : null;
  return {
    id,
    event,
    status,
    resource,
    endpoint: delivery.endpoint ?? fixed,
    attemptsCount: attempts.length,
    createdAt,
    lastAttemptAt: claim?.at ?? attempts.at(-1)?.at ?? null,
    // A claim means that a call runs: its end decides when the next attempt comes.
    nextAttemptAt: claim === undefined ? (delivery.nextAttemptAt ?? null) : null,
    ...(pausedReason !== undefined && { pausedReason }),
  };
}

/** A delivery with its body and attempts. */
export function deliveryView(delivery: Delivery, body: string): z.output<typeof DeliveryRecord> {
  return {
    ...deliveryEntryView(delivery),
    // An assertion: these bytes were written here, as a JSON object.
    payload: JSON.parse(body) as Record<string, unknown>,
    attempts: delivery.attempts.map(({ number, at, outcome, httpStatus, error, durationMs, returnCode }) => ({
      number,
      at,
      outcome,
      httpStatus: httpStatus ?? null,
      error: error ?? null,
      durationMs: durationMs ?? null,
      returnCode: returnCode ?? null,
    })),
  };
}

/** A resend as the API shows it. */
export function resendView(resend: DeliveryResend): z.output<typeof ResendRecord> {
  const { id, createdFrom, sentCount, heldCount, createdAt, completedAt, position } = resend;
  const status = position === undefined ? 'COMPLETED' : 'RUNNING';
  return { id, status, createdFrom, sentCount, heldCount, createdAt, completedAt: completedAt ?? null };
}

/** Webhook settings as the API shows them (2.11); `INACTIVE` as a whole while an operator holds the company. */
export function webhookSettingsView({
  version: _version,
  heldSince,
  ...settings
}: WebhookSettings): z.output<typeof WebhookSettingsRecord> {
  const status = heldSince === undefined ? settings.status : 'INACTIVE';
  return { ...settings, status, events: settings.events.map((event) => ({ ...event })) };
}
