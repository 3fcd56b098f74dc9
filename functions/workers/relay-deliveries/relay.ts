import * as z from 'zod';
import type { Instant } from '../../../shared/domain/brasilia-time.ts';
import { secondsBetween } from '../../../shared/domain/brasilia-time.ts';
import type { DeliveryMessage } from '../../../shared/notifications/delivery-message.ts';
import { relayedEntities } from '../../../shared/persistence/delivery-items.ts';

/** A message to send, and when what it tells of happened. */
export type Outgoing = {
  readonly sequenceNumber: string;
  readonly message: DeliveryMessage;
  readonly createdAt: Instant;
  /** Not to be received before that, seconds from now: 0 to 900. */
  readonly delaySeconds: number;
};

/** Sends at most ten messages; gives the places in the list of those that the queue did not take. */
export type SendBatch = (batch: readonly Outgoing[]) => Promise<ReadonlySet<number>>;

export type Relayed = {
  /** Sequence number of the first record that was not sent: it and all after it come again. */
  readonly failedFrom?: string;
  readonly sent: readonly Outgoing[];
};

/** The most that one call to the queue takes, and the longest delay that it knows: SQS. */
const maxBatch = 10;
const maxDelaySeconds = 900;

const text = z.object({ S: z.string() }).transform(({ S }) => S);
const RecordShape = z.object({
  eventName: z.literal('INSERT'),
  dynamodb: z.object({
    SequenceNumber: z.string(),
    NewImage: z.object({
      entity: z.object({ S: z.enum(relayedEntities) }),
      companyId: text,
      id: text,
      sending: z.object({ N: z.string().regex(/^[1-9]\d*$/u) }).transform(({ N }) => Number(N)),
      requestId: text,
      createdAt: text,
      notBefore: text.optional(),
    }),
  }),
});
const RelayedShape = z.object({
  eventName: z.literal('INSERT'),
  dynamodb: z.object({ NewImage: z.object({ entity: z.object({ S: z.enum(relayedEntities) }) }) }),
});

/**
 * The messages of stream records, in their order. What is not the birth of a delivery or of a sending is passed over: the
 * stream's filter is configuration, this is the rule. `malformed` counts births that cannot be understood; the sweep finds
 * their deliveries, so they must not block the stream.
 */
export function outgoingOf(
  records: readonly unknown[],
  now: Instant,
): { readonly outgoing: readonly Outgoing[]; readonly malformed: number } {
  const births = records.filter((record) => RelayedShape.safeParse(record).success);
  const outgoing = births.flatMap((record): Outgoing[] => {
    const birth = RecordShape.safeParse(record).data?.dynamodb;
    if (birth === undefined) return [];
    const { companyId, id, sending, requestId, createdAt, notBefore = now } = birth.NewImage;
    const message = { companyId, deliveryId: id, sending, requestId };
    return [{ sequenceNumber: birth.SequenceNumber, message, createdAt, delaySeconds: delayUntil(notBefore, now) }];
  });
  return { outgoing, malformed: births.length - outgoing.length };
}

/**
 * Sends the messages in their order, ten at a time, and stops at the first one that the queue did not take: it and all
 * after it come again from the stream, and whoever receives a message twice knows it.
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
