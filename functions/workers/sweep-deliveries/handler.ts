import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { reportBacklog } from '#shared/webhooks/dispatch/report.ts';
import { dueWorker } from '#shared/platform/jobs/due-worker.ts';
import { settings } from '#shared/platform/settings.ts';
import { env } from '#shared/platform/env.ts';
import { randomIds } from '#shared/platform/ids.ts';
import type { DeadLetterQueue } from '#shared/webhooks/dispatch/sweep.ts';
import { sweep } from '#shared/webhooks/dispatch/sweep.ts';
import * as z from 'zod';

/** How long a received dead letter is hidden, seconds: long enough to remove it. */
const hiddenSeconds = 2;

const sqs = new SQSClient({ requestHandler: { connectionTimeout: 1000, requestTimeout: 5000 } });
const RedriveEvent = z.object({ redrive: z.literal(true) });

/** Runs every minute. The event `{ "redrive": true }` sends everything that is pending again, whatever its time. */
export const handler = dueWorker('sweep-deliveries', async (run, event) => {
  const newId = (): string => randomIds.uuid();
  const { sweepGraceSeconds: graceSeconds, circuit: rules } = settings().deliveries;
  const deps = { ...run, newId, deadLetters, graceSeconds, rules, onBacklog: reportBacklog };
  const count = await sweep(deps, { redriving: RedriveEvent.safeParse(event).success });
  const { sentAgain, deadLettersRemoved, resent, failed, due } = count;
  return {
    counts: { DeliveriesSentAgain: sentAgain, DeliveriesResent: resent, DeadLettersRemoved: deadLettersRemoved },
    failed,
    due,
  };
});

const deadLetters: DeadLetterQueue = {
  receive: async () => {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: env('DEAD_LETTER_QUEUE_URL'),
        MaxNumberOfMessages: 10,
        VisibilityTimeout: hiddenSeconds,
        // A moment of waiting makes SQS ask all its servers: an empty answer then means that nothing is there.
        WaitTimeSeconds: 1,
      }),
    );
    return Messages.map(({ MessageId = '', Body = '', ReceiptHandle = '' }) => {
      return { id: MessageId, body: Body, receiptHandle: ReceiptHandle };
    });
  },
  remove: async ({ receiptHandle }) => {
    await sqs.send(new DeleteMessageCommand({ QueueUrl: env('DEAD_LETTER_QUEUE_URL'), ReceiptHandle: receiptHandle }));
  },
};
