import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { bankEventDependencies } from '#functions/banks.ts';
import type { BankEventDependencies } from '#shared/bank-events/context.ts';
import { workCallbacks } from '#shared/bank-events/work-callbacks.ts';
import { env } from '#shared/platform/env.ts';
import { errorFields, log } from '#shared/platform/log.ts';

const sqs = new SQSClient({ requestHandler: { connectionTimeout: 1000, requestTimeout: 2000 } });
let deps: BankEventDependencies | undefined;

/** Queries the bank about each callback and applies the response. A callback without a response is received again. */
export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const messages = Records.map((record) => ({
    ...record,
    receives: Number(record.attributes.ApproximateReceiveCount),
  }));
  const kept = await workCallbacks(messages, { ...(deps ??= bankEventDependencies()), hide });
  return { batchItemFailures: kept.map((itemIdentifier) => ({ itemIdentifier })) };
}

/** Sets the delay before the next receive on the message; without it the queue's visibility timeout holds. */
async function hide({ messageId, receiptHandle, eventSourceARN }: SQSRecord, seconds: number): Promise<void> {
  const input = { QueueUrl: urlOf(eventSourceARN), ReceiptHandle: receiptHandle, VisibilityTimeout: seconds };
  await sqs.send(new ChangeMessageVisibilityCommand(input)).catch((error: unknown) => {
    log('warn', 'Cannot set the delay of an SQS message', { messageId, ...errorFields(error) });
  });
}

/** Returns the URL of a queue, one of the two that call this function. */
function urlOf(queueArn: string): string {
  const unknownQueueUrl = env('CALLBACK_UNKNOWN_QUEUE_URL');
  return unknownQueueUrl.endsWith(`/${queueArn.split(':').at(-1) ?? ''}`) ? unknownQueueUrl : env('CALLBACK_QUEUE_URL');
}
