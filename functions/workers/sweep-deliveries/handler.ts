import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import * as z from 'zod';
import { connectStore } from '../../../shared/persistence/connect.ts';
import { nowMs, systemClock } from '../../../shared/runtime/clock.ts';
import { env } from '../../../shared/runtime/env.ts';
import { randomIds } from '../../../shared/runtime/ids.ts';
import { errorFields, log } from '../../../shared/runtime/log.ts';
import { emit } from '../../../shared/runtime/metrics.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { SweepCount } from './sweep.ts';
import { sweep } from './sweep.ts';

/** What is left of a run's time when it begins nothing more, milliseconds. */
const reserveMs = 8000;
/** How long a letter that was looked at is hidden, seconds: long enough to remove it. */
const hiddenSeconds = 2;

const sqs = new SQSClient({ requestHandler: { connectionTimeout: 1000, requestTimeout: 5000 } });
const Wanted = z.object({ recover: z.literal(true) });

/** Runs every minute. The event `{ "recover": true }` sends everything that is pending anew, whatever its time. */
export async function handler(event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<SweepCount> {
  const deps = {
    store: connectStore(env('TABLE_NAME')),
    now: systemClock,
    newId: () => randomIds.uuid(),
    deadLetters,
    graceSeconds: env('SWEEP_GRACE_SECONDS'),
    isTimeUp: () => context.getRemainingTimeInMillis() < reserveMs,
    failed: (where: object, error: unknown) => {
      log('error', 'sweep failed in part', { ...where, ...errorFields(error) });
    },
  };
  const count = await sweep(deps, { recovering: Wanted.safeParse(event).success });
  if (Object.values(count).some((value) => value > 0)) log('info', 'deliveries swept', count);
  emit(nowMs(), { worker: 'sweep-deliveries' }, [
    { name: 'DeliveriesSentAnew', unit: 'Count', value: count.sentAnew },
    { name: 'DeliveriesReleased', unit: 'Count', value: count.released },
    { name: 'DeadLettersRemoved', unit: 'Count', value: count.lettersRemoved },
    { name: 'WorkFailed', unit: 'Count', value: count.failed },
  ]);
  return count;
}

const deadLetters: DeadLetters = {
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
