import type { SQSRecord } from 'aws-lambda';
import { bankEventDependencies } from '#functions/banks.ts';
import type { BankEventDependencies } from '#shared/bank-events/context.ts';
import { workCallbacks } from '#shared/bank-events/work-callbacks.ts';
import { env } from '#shared/platform/env.ts';
import { queueWorker } from '#shared/platform/queue-worker.ts';

let deps: BankEventDependencies | undefined;

/** Queries the bank about each callback and applies the response. A callback without a response is received again. */
export const handler = queueWorker((records, hide) => {
  const messages = records.map((record) => ({
    ...record,
    receives: Number(record.attributes.ApproximateReceiveCount),
    sentMs: Number(record.attributes.SentTimestamp),
  }));
  return workCallbacks(messages, { ...(deps ??= bankEventDependencies()), hide });
}, urlOf);

/** Returns the URL of the queue of a message, one of the two that call this function. */
function urlOf({ eventSourceARN }: SQSRecord): string {
  const unknownQueueUrl = env('CALLBACK_UNKNOWN_QUEUE_URL');
  const name = eventSourceARN.split(':').at(-1) ?? '';
  return unknownQueueUrl.endsWith(`/${name}`) ? unknownQueueUrl : env('CALLBACK_QUEUE_URL');
}
