import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { dueWorker } from '#shared/platform/jobs/due-worker.ts';
import { settings } from '#shared/platform/settings.ts';
import { env } from '#shared/platform/env.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { sqs } from '#shared/platform/sqs.ts';
import type { DeadLetterQueue } from '#shared/webhooks/dispatch/sweep.ts';
import { looksAtDeadLetters, removeStaleDeadLetters, sweepOne, sweepOptions } from '#shared/webhooks/dispatch/sweep.ts';
import * as z from 'zod';

/** How long a received dead letter is hidden, seconds: longer than a run, which looks at each once. */
const hiddenSeconds = 60;

const RedriveEvent = z.object({ redrive: z.literal(true) });

/**
 * Queues overdue deliveries again, requests overdue drains again, and runs resends. The event `{ "redrive": true }`
 * sends everything that is pending again, whatever its time.
 */
export const handler = dueWorker('sweep-deliveries', {
  family: 'DELIVERIES',
  doJob: (run, job) => {
    const graceSeconds = settings().deliveries.sweepGraceSeconds;
    return sweepOne({ ...run, newId: () => randomIds.uuid(), graceSeconds }, job);
  },
  optionsOf: (run, event) => {
    const isRedrive = RedriveEvent.safeParse(event).success;
    return sweepOptions(settings().deliveries.sweepGraceSeconds, isRedrive ? run.now() : undefined);
  },
  alsoDo: async (run, { queued }) =>
    looksAtDeadLetters(run.now(), queued) ? { DeadLettersRemoved: await removeStaleDeadLetters(run, deadLetters) } : {},
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
