import type * as z from 'zod';
import type {
  DeliveryAttempt,
  DeliveryEntry,
  DeliveryRecord,
  ResendRecord,
  WebhookSettingsRecord,
} from './contract.ts';
import type { Attempt, Delivery } from '../platform/outbox/delivery.ts';
import { webhookIdOf } from '../platform/outbox/delivery.ts';
import type { DeliveryResend } from './deliveries/resend.ts';
import { countedAttempts } from './deliveries/states.ts';
import { circuitsOf, pausedReasonOf } from './health/health.ts';
import type { Endpoints } from './health/operations.ts';

/** Returns a delivery of a listing. An unknown value is null. `endpoints` show why it waits; a new one needs none. */
export function deliveryEntryView(delivery: Delivery, endpoints?: Endpoints): z.output<typeof DeliveryEntry> {
  const { id, event, status, resource, target, attempts, claim, createdAt, resendOf, resentAs } = delivery;
  const pausedReason = endpoints && pausedReasonOf(delivery, endpoints.settings, endpoints.health);
  const fixed = 'endpoint' in target ? target.endpoint : null;
  return {
    id,
    webhookId: webhookIdOf(delivery),
    event,
    status,
    resource,
    endpoint: delivery.endpoint ?? fixed,
    attemptsCount: countedAttempts(delivery),
    createdAt,
    lastAttemptAt: claim?.at ?? attempts.at(-1)?.at ?? null,
    // During a call the next attempt is unknown.
    nextAttemptAt: claim === undefined ? (delivery.nextAttemptAt ?? null) : null,
    ...(pausedReason !== undefined && { pausedReason }),
    ...(resendOf !== undefined && { resendOf }),
    ...(resentAs !== undefined && { resentAs }),
  };
}

/** A delivery with its body and attempts. */
export function deliveryView(delivery: Delivery, body: string, endpoints?: Endpoints): z.output<typeof DeliveryRecord> {
  return {
    ...deliveryEntryView(delivery, endpoints),
    // The assertion is safe: the service wrote these bytes as a JSON object.
    payload: JSON.parse(body) as Record<string, unknown>,
    attempts: delivery.attempts.map(attemptView),
  };
}

/** An attempt without its claim. An unknown value is null. */
function attemptView({ number, at, outcome, ...rest }: Attempt): z.output<typeof DeliveryAttempt> {
  const { httpStatus = null, error = null, durationMs = null, returnCode = null } = rest;
  return { number, at, outcome, httpStatus, error, durationMs, returnCode };
}

export function resendView(resend: DeliveryResend): z.output<typeof ResendRecord> {
  const { id, createdFrom, sentCount, heldCount, createdAt, completedAt = null, position } = resend;
  const status = position === undefined ? 'COMPLETED' : 'RUNNING';
  return { id, status, createdFrom, sentCount, heldCount, createdAt, completedAt };
}

/** Webhook settings (2.11); `INACTIVE` while the operator holds the company. */
export function webhookSettingsView({ settings, health }: Endpoints): z.output<typeof WebhookSettingsRecord> {
  const { version: _version, heldSince, ...rest } = settings;
  const status = heldSince === undefined ? settings.status : 'INACTIVE';
  const events = settings.events.map((event) => {
    const failing = circuitsOf(health, event.endpoint).flatMap((circuit) =>
      'failingSince' in circuit ? [circuit.failingSince] : [],
    );
    const [failingSince] = failing.toSorted();
    return { ...event, ...(failingSince !== undefined && { failingSince }) };
  });
  return { ...rest, status, events };
}
