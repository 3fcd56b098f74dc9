import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { secondsBetween } from '#shared/core/brasilia-time.ts';
import type { QueueMessage } from '../deliveries/states.ts';
import { isRelayed, dispatchOf } from '#shared/platform/outbox/delivery-items.ts';

const MessageShape = z.object({ companyId: z.string(), deliveryId: z.string(), dispatch: z.int().min(1) });

/** A message of the queue: one dispatch of a delivery. */
export type DeliveryMessage = z.output<typeof MessageShape>;

export type ReceivedMessage = DeliveryMessage & Pick<QueueMessage, 'id' | 'receives'>;

/** Undefined for a text that is no message of the relay. */
export const parseDeliveryMessage = jsonParser(MessageShape);

/** A parser of JSON texts of this shape. It returns undefined for any other text. */
export function jsonParser<Shape extends z.ZodType>(shape: Shape): (text: string) => z.output<Shape> | undefined {
  return (text) => {
    try {
      return shape.safeParse(JSON.parse(text)).data;
    } catch {
      return undefined;
    }
  };
}

/** A message to send to the queue. */
export type Outgoing = {
  readonly sequenceNumber: string;
  readonly message: DeliveryMessage;
  /** Seconds before the first receive: 0 to 900. */
  readonly delaySeconds: number;
};

/** Sends at most ten messages; returns the places of those that the queue did not take. */
export type SendBatch = (batch: readonly Outgoing[]) => Promise<ReadonlySet<number>>;

/** Limits of SQS: messages of one call, and the longest delay. */
const maxBatch = 10;
const maxDelaySeconds = 900;

const InsertShape = z.object({
  eventName: z.literal('INSERT'),
  dynamodb: z.object({
    SequenceNumber: z.string(),
    Keys: z.object({ PK: z.object({ S: z.string() }), SK: z.object({ S: z.string() }) }),
  }),
});

/**
 * The messages of stream records, in their order. Only INSERTs of deliveries and dispatches are relayed: the stream's
 * filter is configuration, this is the rule. `malformed` counts INSERTs with an invalid key: the sweep finds their
 * deliveries, so they must not block the stream.
 */
export function outgoingOf(
  records: readonly unknown[],
  now: Instant,
): { readonly outgoing: readonly Outgoing[]; readonly malformed: number } {
  const inserts = records.flatMap((record) => {
    const inserted = InsertShape.safeParse(record).data?.dynamodb;
    if (inserted === undefined) return [];
    const key = { PK: inserted.Keys.PK.S, SK: inserted.Keys.SK.S };
    return isRelayed(key) ? [{ key, sequenceNumber: inserted.SequenceNumber }] : [];
  });
  const outgoing = inserts.flatMap(({ key, sequenceNumber }): Outgoing[] => {
    const dispatch = dispatchOf(key);
    if (dispatch === undefined) return [];
    const { notBefore = now, ...message } = dispatch;
    const delaySeconds = Math.min(maxDelaySeconds, Math.max(0, Math.ceil(secondsBetween(now, notBefore))));
    return [{ sequenceNumber, message, delaySeconds }];
  });
  return { outgoing, malformed: inserts.length - outgoing.length };
}

/**
 * Sends the messages in their order, ten at a time, up to the first that the queue did not take. `failedFrom` is its
 * sequence number: from there on the stream repeats the records, and the notifier recognizes repeated messages.
 */
export async function relay(
  outgoing: readonly Outgoing[],
  sendBatch: SendBatch,
): Promise<{ readonly failedFrom?: string; readonly sent: readonly Outgoing[] }> {
  const sent: Outgoing[] = [];
  for (let start = 0; start < outgoing.length; start += maxBatch) {
    const batch = outgoing.slice(start, start + maxBatch);
    const failed = await sendBatch(batch);
    sent.push(...batch.filter((_, place) => !failed.has(place)));
    const first = batch.find((_, place) => failed.has(place));
    if (first !== undefined) return { failedFrom: first.sequenceNumber, sent };
  }
  return { sent };
}

/** The queue deletes the message, or delivers it again after so many seconds. */
export type AckOrRetry = { readonly do: 'ack' } | { readonly do: 'retry'; readonly inSeconds: number };

export const ack: AckOrRetry = { do: 'ack' };

/** The next receive decides again, or counts towards the dead letters. Some queues do not take 0. */
export const retrySoon: AckOrRetry = { do: 'retry', inSeconds: 1 };

/** SQS hides a message for at most 12 hours from its receive. */
const maxSeconds = 43_000;

/** The next receive is at that moment, in whole seconds from now. */
export function retryAt(instant: Instant, now: Instant): AckOrRetry {
  const inSeconds = Math.min(maxSeconds, Math.max(1, Math.ceil(secondsBetween(now, instant))));
  return { do: 'retry', inSeconds };
}
