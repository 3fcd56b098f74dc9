import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { nowMs, systemClock } from '#shared/platform/clock.ts';
import { env } from '#shared/platform/env.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import { emit } from '#shared/platform/metrics.ts';
import type { SendBatch } from '#shared/webhooks/dispatch/queue.ts';
import { isDrainMessage, outgoingOf, relay } from '#shared/webhooks/dispatch/queue.ts';

const sqs = new SQSClient({ requestHandler: { connectionTimeout: 1000, requestTimeout: 5000 } });

/** Table stream → the queues of deliveries and drains. The company as message group makes them fair among companies. */
export async function handler(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const { outgoing, malformed } = outgoingOf(event.Records, systemClock());
  if (malformed > 0) log('error', 'Relay skipped malformed deliveries of the stream', { malformed });
  const { failedFrom, sent } = await relay(outgoing, sendBatch);
  emit(nowMs(), 'worker', { worker: 'relay-deliveries' }, [
    { name: 'DeliveriesRelayed', unit: 'Count', value: sent.length },
    { name: 'JobsFailed', unit: 'Count', value: malformed + (failedFrom === undefined ? 0 : 1) },
  ]);
  return { batchItemFailures: failedFrom === undefined ? [] : [{ itemIdentifier: failedFrom }] };
}

const sendBatch: SendBatch = async (batch) => {
  const Entries = batch.map(({ message, delaySeconds }, place) => ({
    Id: String(place),
    MessageBody: JSON.stringify(message),
    MessageGroupId: message.companyId,
    DelaySeconds: delaySeconds,
  }));
  try {
    const QueueUrl = env(isDrainMessage(batch[0]) ? 'DRAIN_QUEUE_URL' : 'QUEUE_URL');
    const { Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    for (const { Code } of Failed) log('error', 'SQS rejected a message', { code: Code });
    return new Set(Failed.map(({ Id }) => Number(Id)));
  } catch (error) {
    log('error', 'Cannot send messages to SQS', errorFields(error));
    return new Set(batch.keys());
  }
};
