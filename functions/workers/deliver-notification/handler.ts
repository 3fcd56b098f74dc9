import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseDeliveryMessage } from '../../../shared/notifications/delivery-message.ts';
import { sender } from '../../../shared/notifications/sender.ts';
import { connectStore } from '../../../shared/persistence/connect.ts';
import { systemClock } from '../../../shared/runtime/clock.ts';
import { env } from '../../../shared/runtime/env.ts';
import { randomIds } from '../../../shared/runtime/ids.ts';
import { errorFields, log } from '../../../shared/runtime/log.ts';
import { deliver } from './deliver.ts';
import type { DeliverDeps } from './deliver-deps.ts';
import { count, report } from './report.ts';
import type { Verdict } from './verdict.ts';
import { acknowledge } from './verdict.ts';

const sqs = new SQSClient({ requestHandler: { connectionTimeout: 1000, requestTimeout: 2000 } });
let deps: DeliverDeps | undefined;

/** Delivery queue → partner. A message that is not acknowledged is reported as failed: its receives are counted by SQS. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  deps ??= build();
  const failures: string[] = [];
  for (const record of event.Records) {
    const verdict = await verdictOn(record, deps);
    if (verdict?.do === 'return') await hide(record, verdict.inSeconds);
    if (verdict?.do !== 'acknowledge') failures.push(record.messageId);
  }
  return { batchItemFailures: failures.map((itemIdentifier) => ({ itemIdentifier })) };
}

/** Undefined when the fault is ours: the message comes again when the queue's own time is over. */
async function verdictOn(record: SQSRecord, deps: DeliverDeps): Promise<Verdict | undefined> {
  const { messageId } = record;
  const message = parseDeliveryMessage(record.body);
  if (message === undefined) {
    log('error', 'message not understood', { messageId });
    count('WorkFailed');
    return acknowledge;
  }
  try {
    const receives = Number(record.attributes.ApproximateReceiveCount);
    return await deliver({ ...message, id: messageId, receives }, deps);
  } catch (error) {
    log('error', 'delivery not attempted or not recorded', { ...message, messageId, ...errorFields(error) });
    count('WorkFailed');
    return undefined;
  }
}

/** The delay before the next receive is set on the message; without it the queue's own visibility timeout holds. */
async function hide({ messageId, receiptHandle }: SQSRecord, seconds: number): Promise<void> {
  const input = { QueueUrl: env('QUEUE_URL'), ReceiptHandle: receiptHandle, VisibilityTimeout: seconds };
  try {
    await sqs.send(new ChangeMessageVisibilityCommand(input));
  } catch (error) {
    log('warn', 'delay not set', { messageId, ...errorFields(error) });
  }
}

function build(): DeliverDeps {
  return {
    store: connectStore(env('TABLE_NAME')),
    now: systemClock,
    newId: () => randomIds.uuid(),
    random: Math.random,
    sleep: (milliseconds) => sleep(milliseconds),
    send: sender({ rules: { allowLocal: env('ALLOW_LOCAL_TARGETS') } }),
    delays: env('RETRY_DELAYS_SECONDS'),
    report,
  };
}
