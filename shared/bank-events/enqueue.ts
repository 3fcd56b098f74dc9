import { concurrently } from '../platform/concurrently.ts';
import type { Called, BankEventMessage } from './messages.ts';
import { unknownIdsAMessage } from './messages.ts';
import type { Lanes } from './receive-callback.ts';

/** Messages in one call: the limit of SQS. */
const maxBatch = 10;
/** Calls to the queue at the same time: a full body is queued within a second or two. */
const sendersAtOnce = 20;

/**
 * Returns the messages of both lanes. Each id of the company's own has a message of its own, because it is retried by
 * itself. Unknown ids share messages.
 */
export function messagesOf(
  { companyId, connectionId }: Called,
  { own, unknown }: Lanes,
): Readonly<Record<keyof Lanes, readonly BankEventMessage[]>> {
  const packs = Array.from({ length: Math.ceil(unknown.length / unknownIdsAMessage) }, (_, at) =>
    unknown.slice(at * unknownIdsAMessage, (at + 1) * unknownIdsAMessage),
  );
  const owner = { companyId, connectionId };
  return {
    own: own.map((events) => ({ ...owner, events: events })),
    unknown: packs.map((events) => ({ ...owner, events: events })),
  };
}

/**
 * Puts all messages on the queue, ten in one call. After the first failure no further call begins.
 * @returns Whether the queue has all messages.
 */
export async function enqueueAll(
  messages: readonly BankEventMessage[],
  sendBatch: (batch: readonly BankEventMessage[]) => Promise<boolean>,
): Promise<boolean> {
  const batches = Array.from({ length: Math.ceil(messages.length / maxBatch) }, (_, at) =>
    messages.slice(at * maxBatch, (at + 1) * maxBatch),
  );
  let isComplete = true;
  await concurrently(batches, sendersAtOnce, async (batch) => {
    if (isComplete && !(await sendBatch(batch))) isComplete = false;
  });
  return isComplete;
}
