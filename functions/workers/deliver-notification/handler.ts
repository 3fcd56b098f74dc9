import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { env } from '#shared/platform/env.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import { callDeps } from '#shared/webhooks/dispatch/connect.ts';
import { deliverBatch } from '#shared/webhooks/dispatch/deliver.ts';
import type { CallDeps } from '#shared/webhooks/dispatch/call.ts';

const sqs = new SQSClient({ requestHandler: { connectionTimeout: 1000, requestTimeout: 2000 } });
let deps: CallDeps | undefined;

/** Calls partners: one attempt for each message of the delivery queue. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  return deliverBatch(event.Records, { ...(deps ??= callDeps()), hide });
}

/** Sets the delay before the next receive on the message; without it the queue's visibility timeout holds. */
async function hide({ messageId, receiptHandle }: SQSRecord, seconds: number): Promise<void> {
  const input = { QueueUrl: env('QUEUE_URL'), ReceiptHandle: receiptHandle, VisibilityTimeout: seconds };
  await sqs.send(new ChangeMessageVisibilityCommand(input)).catch((error: unknown) => {
    log('warn', 'Cannot set the delay of an SQS message', { messageId, ...errorFields(error) });
  });
}
