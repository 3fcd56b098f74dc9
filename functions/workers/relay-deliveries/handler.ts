import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { nowMs, systemClock } from '#shared/platform/clock.ts';
import { env } from '#shared/platform/env.ts';
import { log } from '#shared/platform/log.ts';
import { emit } from '#shared/platform/metrics.ts';
import { sendDue } from '#shared/platform/jobs/due-worker.ts';
import { sendMessages } from '#shared/platform/sqs.ts';
import { writtenCodes } from '#shared/pix-keys/codes/written.ts';
import type { SendBatch } from '#shared/webhooks/dispatch/queue.ts';
import { isDrainMessage, outgoingOf, relay } from '#shared/webhooks/dispatch/queue.ts';

/**
 * Table stream → the queues of deliveries, of drains and of codes. The company as message group makes them fair among
 * companies. A code that its queue does not take is sent by the table's due index, a minute later.
 */
export async function handler(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const now = systemClock();
  const { outgoing, malformed: malformedDeliveries } = outgoingOf(event.Records, now);
  const { jobs, malformed: malformedCodes } = writtenCodes(event.Records, now);
  const malformed = malformedDeliveries + malformedCodes;
  if (malformed > 0) log('error', 'Relay skipped malformed items of the stream', { malformed });
  const [{ failedFrom, sent }] = await Promise.all([relay(outgoing, sendBatch), sendDue('KEY_CODES', jobs)]);
  emit(nowMs(), 'worker', { worker: 'relay-deliveries' }, [
    { name: 'DeliveriesRelayed', unit: 'Count', value: sent.length },
    { name: 'JobsFailed', unit: 'Count', value: malformed + (failedFrom === undefined ? 0 : 1) },
  ]);
  return { batchItemFailures: failedFrom === undefined ? [] : [{ itemIdentifier: failedFrom }] };
}

const sendBatch: SendBatch = (batch) =>
  sendMessages(
    env(isDrainMessage(batch[0]) ? 'DRAIN_QUEUE_URL' : 'QUEUE_URL'),
    batch.map(({ message, delaySeconds }) => ({ body: message, companyId: message.companyId, delaySeconds })),
  );
