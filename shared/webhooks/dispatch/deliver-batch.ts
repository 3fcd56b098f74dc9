import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { parseDeliveryMessage } from '../deliveries/message.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import type { ReceivedMessage } from './deliver-deps.ts';
import { count } from './report.ts';
import type { Verdict } from './verdict.ts';
import { acknowledge } from './verdict.ts';

type BatchDeps = {
  readonly deliver: (message: ReceivedMessage) => Promise<Verdict>;
  /** Sets the delay, seconds, before the message is received again. */
  readonly hide: (record: SQSRecord, seconds: number) => Promise<void>;
};

/**
 * Messages of one receive, all at the same time: a partner who hangs delays no call of another. What is not
 * acknowledged is reported as failed, each message for itself: its receives are counted by SQS. Its delay is set as
 * soon as its own call has ended.
 */
export async function deliverBatch(records: readonly SQSRecord[], deps: BatchDeps): Promise<SQSBatchResponse> {
  const isDone = await Promise.all(records.map((record) => settle(record, deps)));
  const failed = records.filter((_, at) => isDone[at] !== true);
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

async function settle(record: SQSRecord, deps: BatchDeps): Promise<boolean> {
  const verdict = await verdictOn(record, deps);
  if (verdict?.do === 'return') await deps.hide(record, verdict.inSeconds);
  return verdict?.do === 'acknowledge';
}

/** Undefined when the service failed: the message comes again after the queue's visibility timeout. */
async function verdictOn({ messageId, body, attributes }: SQSRecord, { deliver }: BatchDeps) {
  const message = parseDeliveryMessage(body);
  if (message === undefined) {
    log('error', 'message not understood', { messageId });
    count('WorkFailed');
    return acknowledge;
  }
  try {
    return await deliver({ ...message, id: messageId, receives: Number(attributes.ApproximateReceiveCount) });
  } catch (error) {
    log('error', 'delivery not attempted or not recorded', { ...message, messageId, ...errorFields(error) });
    count('WorkFailed');
    return undefined;
  }
}
