import type * as z from 'zod';
import type { DeliveryEntry, DeliveryRecord } from '../contracts/webhook.ts';
import type { Delivery } from '../domain/delivery.ts';

/** A delivery as a listing shows it. What is not known is null. */
export function deliveryEntryView(delivery: Delivery): z.output<typeof DeliveryEntry> {
  const { id, event, status, target, attempts, claim, createdAt } = delivery;
  const fixed = 'endpoint' in target ? target.endpoint : null;
  return {
    id,
    event,
    status,
    endpoint: delivery.endpoint ?? fixed,
    attemptsCount: attempts.length,
    createdAt,
    lastAttemptAt: claim?.at ?? attempts.at(-1)?.at ?? null,
    nextAttemptAt: delivery.nextAttemptAt ?? null,
  };
}

/** A delivery with its body and attempts. */
export function deliveryView(delivery: Delivery, body: string): z.output<typeof DeliveryRecord> {
  return {
    ...deliveryEntryView(delivery),
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
