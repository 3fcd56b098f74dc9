import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { setTimeout as sleep } from 'node:timers/promises';
import { sender } from '#shared/webhooks/dispatch/sender.ts';
import { resolver } from '#shared/webhooks/dispatch/target-guard.ts';
import { reportBacklog, report } from '#shared/webhooks/dispatch/report.ts';
import { connectStore } from '#shared/platform/table/dynamo-store.ts';
import { settings } from '#shared/platform/settings.ts';
import { systemClock } from '#shared/platform/clock.ts';
import { env } from '#shared/platform/env.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import { deliver, deliverBatch } from '#shared/webhooks/dispatch/deliver.ts';
import type { DeliverDeps } from '#shared/webhooks/dispatch/record.ts';

const sqs = new SQSClient({ requestHandler: { connectionTimeout: 1000, requestTimeout: 2000 } });
let deps: DeliverDeps | undefined;

/** Delivery queue → partners. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  const known = (deps ??= build());
  return deliverBatch(event.Records, { deliver: (message) => deliver(message, known), hide });
}

/** Sets the delay before the next receive on the message; without it the queue's visibility timeout holds. */
async function hide({ messageId, receiptHandle }: SQSRecord, seconds: number): Promise<void> {
  const input = { QueueUrl: env('QUEUE_URL'), ReceiptHandle: receiptHandle, VisibilityTimeout: seconds };
  try {
    await sqs.send(new ChangeMessageVisibilityCommand(input));
  } catch (error) {
    log('warn', 'delay not set', { messageId, ...errorFields(error) });
  }
}

function build(): DeliverDeps {
  const { allowLocalTargets, nameServers, retryDelaysSeconds, circuit } = settings().deliveries;
  return {
    store: connectStore(env('TABLE_NAME')),
    now: systemClock,
    newId: () => randomIds.uuid(),
    random: Math.random,
    sleep: (milliseconds) => sleep(milliseconds),
    send: sender({ rules: { allowLocal: allowLocalTargets }, resolve: resolver(nameServers) }),
    delays: retryDelaysSeconds,
    rules: circuit,
    report,
    onBacklog: reportBacklog,
  };
}
