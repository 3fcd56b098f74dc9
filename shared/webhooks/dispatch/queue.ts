import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { secondsBetween } from '#shared/core/brasilia-time.ts';
import type { QueueMessage } from '../deliveries/states.ts';
import { isRelayed, dispatchOf, drainOf } from '#shared/platform/outbox/delivery-items.ts';

const DeliveryShape = z.object({ companyId: z.string(), deliveryId: z.string(), dispatch: z.int().min(1) });
const DrainShape = z.object({ companyId: z.string(), drain: z.int().min(1) });

/** A message of the delivery queue: one dispatch of a delivery. */
type DeliveryMessage = z.output<typeof DeliveryShape>;
/** A message of the drain queue: one requested drain of a company's backlogs. */
export type DrainMessage = z.output<typeof DrainShape>;
export type ReceivedMessage = DeliveryMessage & Pick<QueueMessage, 'id' | 'receives'>;

/** Both parsers return undefined for a text that is no such message. */
export const parseDeliveryMessage = jsonParser(DeliveryShape);
export const parseDrainMessage = jsonParser(DrainShape);

/** A parser of JSON of this shape. It returns undefined for any other text. */
export function jsonParser<Shape extends z.ZodType>(shape: Shape): (text: string) => z.output<Shape> | undefined {
  return (text) => {
    try {
      return shape.safeParse(JSON.parse(text)).data;
    } catch {
      return undefined;
    }
  };
}

/** A message to send to its queue. */
export type Outgoing = {
  readonly sequenceNumber: string;
  readonly message: DeliveryMessage | DrainMessage;
  /** Seconds before the first receive: 0 to 900. */
  readonly delaySeconds: number;
};

/** Sends at most ten messages, all to one queue. Returns the indexes of the messages that the queue did not take. */
export type SendBatch = (batch: readonly Outgoing[]) => Promise<ReadonlySet<number>>;

/** Limits of SQS: messages of one call; longest delay; longest time a received message is hidden (nearly 12 hours). */
const maxBatch = 10;
const maxDelaySeconds = 900;
const maxHiddenSeconds = 43_000;

const TextAttribute = z.object({ S: z.string() }).transform(({ S }) => S);
const InsertShape = z.object({
  eventName: z.literal('INSERT'),
  dynamodb: z.object({ SequenceNumber: z.string(), Keys: z.object({ PK: TextAttribute, SK: TextAttribute }) }),
});

/**
 * Returns the messages of stream records, in their order. Only INSERTs of deliveries, dispatches and drains are
 * relayed, whatever the stream's filter lets pass. `malformed` counts INSERTs of these with an invalid key: they must
 * not block the stream, and the sweep finds their deliveries.
 */
export function outgoingOf(
  records: readonly unknown[],
  now: Instant,
): { readonly outgoing: readonly Outgoing[]; readonly malformed: number } {
  const inserts = records.flatMap((record) => InsertShape.safeParse(record).data?.dynamodb ?? []);
  const relayed = inserts.filter(({ Keys }) => isRelayed(Keys));
  const outgoing = relayed.flatMap(({ Keys, SequenceNumber: sequenceNumber }): readonly Outgoing[] => {
    const named = dispatchOf(Keys) ?? drainOf(Keys);
    if (named === undefined) return [];
    const { notBefore = now, ...message } = named;
    return [{ sequenceNumber, message, delaySeconds: wholeSeconds(now, notBefore, [0, maxDelaySeconds]) }];
  });
  return { outgoing, malformed: relayed.length - outgoing.length };
}

/**
 * Sends the messages, ten a call and all calls concurrently. `failedFrom` is the sequence number of the first message
 * that its queue did not take: the stream repeats the records from there, and the workers recognize repeated messages.
 */
export async function relay(
  outgoing: readonly Outgoing[],
  sendBatch: SendBatch,
): Promise<{ readonly failedFrom: string | undefined; readonly sent: readonly Outgoing[] }> {
  const queues = [...Map.groupBy(outgoing, isDrainMessage).values()];
  const batches = queues.flatMap((all) =>
    all.flatMap((_, place) => (place % maxBatch === 0 ? [all.slice(place, place + maxBatch)] : [])),
  );
  const refused = await Promise.all(
    batches.map(async (batch) => {
      const failedIndexes = await sendBatch(batch);
      return batch.filter((_, place) => failedIndexes.has(place));
    }),
  );
  const failed = new Set(refused.flat());
  const failedFrom = outgoing.find((message) => failed.has(message))?.sequenceNumber;
  return { failedFrom, sent: outgoing.filter((message) => !failed.has(message)) };
}

/** Whether a message goes to the drain queue. */
export function isDrainMessage(outgoing: Outgoing | undefined): boolean {
  return outgoing !== undefined && 'drain' in outgoing.message;
}

/** The queue deletes the message, or delivers it again after so many seconds. */
export type AckOrRetry = { readonly do: 'ack' } | { readonly do: 'retry'; readonly inSeconds: number };

export const ack: AckOrRetry = { do: 'ack' };

/** The next receive decides again, or makes the message a dead letter. Some queues do not take a delay of 0 seconds. */
export const retrySoon: AckOrRetry = { do: 'retry', inSeconds: 1 };

/** The next receive is at that moment, in whole seconds from now. */
export function retryAt(instant: Instant, now: Instant): AckOrRetry {
  return { do: 'retry', inSeconds: wholeSeconds(now, instant, [1, maxHiddenSeconds]) };
}

function wholeSeconds(from: Instant, to: Instant, [least, most]: readonly [number, number]): number {
  return Math.min(most, Math.max(least, Math.ceil(secondsBetween(from, to))));
}
