import type { SQSClient } from '@aws-sdk/client-sqs';
import { CreateQueueCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { queueUrl } from '../template/local-values.ts';
import type { ReadResources } from '../template/resources.ts';
import { notRunLocally } from '../template/resources.ts';

const seconds = z.coerce.number().int();

/** Properties that decide how a queue behaves; encryption, names, tags and policies are ignored. */
const queueShape = z.object({
  VisibilityTimeout: seconds.default(30),
  MessageRetentionPeriod: seconds.default(345_600),
  DelaySeconds: notRunLocally('delays of a queue'),
  ReceiveMessageWaitTimeSeconds: notRunLocally('waiting times of a queue'),
  FifoQueue: notRunLocally('first-in-first-out queues'),
  RedrivePolicy: z
    .object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number().int().min(1) })
    .optional(),
});

export type LocalQueue = Awaited<ReturnType<typeof prepareQueues>>[number];

/**
 * Creates the template's queues, and updates the settings of existing ones. Messages of an earlier start stay. A
 * redrive policy may name a queue that is created later: the engine looks for it when it moves a message.
 *
 * @param sqs Base URL of the engine.
 * @throws LocalStartError for a property that the local environment does not support (first-in-first-out, delays).
 */
export function prepareQueues(client: SQSClient, sqs: string, read: ReadResources) {
  return Promise.all(
    read('AWS::SQS::Queue', queueShape).map(async ({ name, properties }) => {
      const { VisibilityTimeout, MessageRetentionPeriod, RedrivePolicy } = properties;
      const url = queueUrl(sqs, name);
      // Without attributes it creates a queue or leaves an existing one unchanged.
      await client.send(new CreateQueueCommand({ QueueName: name }));
      const Attributes = {
        VisibilityTimeout: `${VisibilityTimeout}`,
        MessageRetentionPeriod: `${MessageRetentionPeriod}`,
        // An empty text removes the redrive policy of an earlier template.
        RedrivePolicy: RedrivePolicy === undefined ? '' : JSON.stringify(RedrivePolicy),
      };
      await client.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes }));
      return { name, url, retentionSeconds: MessageRetentionPeriod };
    }),
  );
}
