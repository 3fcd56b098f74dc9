import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { dueWorker } from '#shared/platform/jobs/due-worker.ts';
import { settings } from '#shared/platform/settings.ts';
import { env } from '#shared/platform/env.ts';
import { randomIds } from '#shared/platform/ids.ts';
import type { DeadLetterQueue } from '#shared/webhooks/dispatch/sweep.ts';
import { sweep } from '#shared/webhooks/dispatch/sweep.ts';
import * as z from 'zod';

/** How long a received dead letter is hidden, seconds: longer than a run, which looks at each once. */
const hiddenSeconds = 60;

const sqs = new SQSClient({ requestHandler: { connectionTimeout: 1000, requestTimeout: 5000 } });
const RedriveEvent = z.object({ redrive: z.literal(true) });

/** Runs every minute. The event `{ "redrive": true }` sends everything that is pending again, whatever its time. */
export const handler = dueWorker('sweep-deliveries', async (run, event) => {
  const newId = (): string => randomIds.uuid();
  const deps = { ...run, newId, deadLetters, graceSeconds: settings().deliveries.sweepGraceSeconds };
  const { sentAgain, deadLettersRemoved, resent, failed, due } = await sweep(deps, {
    redriving: RedriveEvent.safeParse(event).success,
  });
  const counts = { DeliveriesSentAgain: sentAgain, DeliveriesResent: resent, DeadLettersRemoved: deadLettersRemoved };
  return { counts, failed, due };
});

const deadLetters: DeadLetterQueue = {
  receive: async () => {
    const QueueUrl = env('DEAD_LETTER_QUEUE_URL');
    // With a wait time SQS queries all its servers: an empty response then means an empty queue.
    const batch = { MaxNumberOfMessages: 10, VisibilityTimeout: hiddenSeconds, WaitTimeSeconds: 1 };
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, ...batch }));
    return Messages.map(({ MessageId: id = '', Body: body = '', ReceiptHandle: receiptHandle = '' }) => {
      return { id, body, receiptHandle };
    });
  },
  remove: async ({ receiptHandle: ReceiptHandle }) => {
    await sqs.send(new DeleteMessageCommand({ QueueUrl: env('DEAD_LETTER_QUEUE_URL'), ReceiptHandle }));
  },
};
