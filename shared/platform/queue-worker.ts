import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { MiddlewareObj } from '@middy/core';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { endAfterMs } from './call-limit.ts';
import { errorFields, log } from './log.ts';

/** Sets the delay before the next receive of a message, seconds; without it the queue's visibility timeout holds. */
type Hide = (message: SQSRecord, seconds: number) => Promise<void>;
/** The messages to receive again: their ids, as the worker returns them, or the response that SQS reads. */
type Kept = readonly string[] | SQSBatchResponse;
type QueueHandler = (event: SQSEvent, context: Context) => Promise<Kept>;

const sqs = new SQSClient({ requestHandler: endAfterMs(2000) });

/** Reports the kept messages of a batch as failed, and so the others as done. After an error SQS keeps all of them. */
const batchResponse: MiddlewareObj<SQSEvent, Kept> = {
  after: (request) => {
    const { response } = request;
    if (!response || 'batchItemFailures' in response) return;
    request.response = { batchItemFailures: response.map((itemIdentifier) => ({ itemIdentifier })) };
  },
};

/**
 * Returns the Lambda handler of a worker that takes batches of SQS messages: the one place for a middleware of all of
 * them. The end of the function's time is left to Lambda: SQS keeps the batch then, too.
 * @param work handles the messages of a receive. It returns the ids of those to receive again.
 */
export function queueWorker(
  work: (messages: readonly SQSRecord[], hide: Hide, context: Context) => Promise<readonly string[]>,
  urlOf: (message: SQSRecord) => string,
): QueueHandler {
  const hide: Hide = async (message, seconds) => {
    const { messageId, receiptHandle } = message;
    const input = { QueueUrl: urlOf(message), ReceiptHandle: receiptHandle, VisibilityTimeout: seconds };
    await sqs.send(new ChangeMessageVisibilityCommand(input)).catch((error: unknown) => {
      log('warn', 'Cannot set the delay of an SQS message', { messageId, ...errorFields(error) });
    });
  };
  return middy<SQSEvent, Kept>({ timeoutEarlyInMillis: 0 })
    .use(batchResponse)
    .handler(({ Records }, context) => work(Records, hide, context));
}
