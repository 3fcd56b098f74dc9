import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { secondsBetween } from '#shared/core/brasilia-time.ts';
import type { QueueMessage } from '../deliveries/states.ts';
import { isRelayed, dispatchOf } from '#shared/platform/outbox/delivery-items.ts';

const MessageShape = z.object({
  companyId: z.string(),
  deliveryId: z.string(),
  dispatch: z.int().min(1),
});

/** What the queue carries: which delivery may have something to do, and the dispatch that this message stands for. */
export type DeliveryMessage = z.output<typeof MessageShape>;

export type ReceivedMessage = DeliveryMessage & Pick<QueueMessage, 'id' | 'receives'>;

/** Undefined for anything that is no message of the relay. */
export function parseDeliveryMessage(text: string): DeliveryMessage | undefined {
  try {
    return MessageShape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** A message to send to the queue. */
export type Outgoing = {
  readonly sequenceNumber: string;
  readonly message: DeliveryMessage;
  /** How long the queue keeps it back, seconds: 0 to 900. */
  readonly delaySeconds: number;
};

/** Sends at most ten messages; returns the places in the list of those that the queue did not take. */
export type SendBatch = (batch: readonly Outgoing[]) => Promise<ReadonlySet<number>>;

type Relayed = {
  /** Sequence number of the first record that was not sent: it and all after it come again. */
  readonly failedFrom?: string;
  readonly sent: readonly Outgoing[];
};

/** The most that one call to the queue takes, and the longest delay that it knows: SQS. */
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
 * The messages of stream records, in their order; the key of a record says everything. INSERTs of deliveries and
 * dispatches are relayed, nothing else: the stream's filter is configuration, this is the rule. `malformed` counts
 * INSERTs that cannot be understood; the sweep finds their deliveries, so they must not block the stream.
 */
export function outgoingOf(
  records: readonly unknown[],
  now: Instant,
): { readonly outgoing: readonly Outgoing[]; readonly malformed: number } {
  const inserts = records.flatMap((record) => {
    const inserted = InsertShape.safeParse(record).data?.dynamodb;
    if (inserted === undefined) return [];
    const { PK, SK } = inserted.Keys;
    const key = { PK: PK.S, SK: SK.S };
    return isRelayed(key) ? [{ key, sequenceNumber: inserted.SequenceNumber }] : [];
  });
  const outgoing = inserts.flatMap(({ key, sequenceNumber }): Outgoing[] => {
    const dispatch = dispatchOf(key);
    if (dispatch === undefined) return [];
    const { notBefore = now, ...message } = dispatch;
    return [{ sequenceNumber, message, delaySeconds: delayUntil(notBefore, now) }];
  });
  return { outgoing, malformed: inserts.length - outgoing.length };
}

/**
 * Sends the messages in their order, ten at a time, and stops at the first one that the queue did not take: it and all
 * after it come again from the stream, and the notifier recognizes a message that comes twice.
 */
export async function relay(outgoing: readonly Outgoing[], sendBatch: SendBatch): Promise<Relayed> {
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

function delayUntil(notBefore: Instant, now: Instant): number {
  return Math.min(maxDelaySeconds, Math.max(0, Math.ceil(secondsBetween(now, notBefore))));
}

/** What becomes of a message: it is deleted, or the queue shows it again after so many seconds. */
export type AckOrRetry = { readonly do: 'ack' } | { readonly do: 'retry'; readonly inSeconds: number };

export const ack: AckOrRetry = { do: 'ack' };

/** Received again until the queue has counted enough, or to decide again. Not 0: some queues do not take it. */
export const retrySoon: AckOrRetry = { do: 'retry', inSeconds: 1 };

/** SQS hides a message for at most 12 hours from its receipt. */
const maxSeconds = 43_000;

/** Received again at that moment, in whole seconds from now. */
export function retryAt(instant: Instant, now: Instant): AckOrRetry {
  const inSeconds = Math.min(maxSeconds, Math.max(1, Math.ceil(secondsBetween(now, instant))));
  return { do: 'retry', inSeconds };
}
