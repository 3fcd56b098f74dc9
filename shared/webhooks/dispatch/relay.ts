import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { secondsBetween } from '#shared/core/brasilia-time.ts';
import type { DeliveryMessage } from '../deliveries/message.ts';
import { isRelayed, sendingOf } from '#shared/platform/outbox/relayed-keys.ts';

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
 * sendings are relayed, nothing else: the stream's filter is configuration, this is the rule. `malformed` counts
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
    const sending = sendingOf(key);
    if (sending === undefined) return [];
    const { notBefore = now, ...message } = sending;
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
