import type { SQSClient } from '@aws-sdk/client-sqs';
import {
  CreateQueueCommand,
  GetQueueUrlCommand,
  QueueDoesNotExist,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { Resolve } from '../template/intrinsics.ts';
import { notRunLocally, readProperties } from '../template/intrinsics.ts';
import type { LocalTemplate } from '../template/local-template.ts';
import { resourcesOf } from '../template/local-template.ts';
import { physicalName } from '../template/local-values.ts';

const seconds = z.coerce.number().int();

/** Properties that decide how a queue behaves; encryption, names, tags and policies are passed over. */
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

export type LocalQueue = {
  readonly name: string;
  readonly url: string;
  readonly retentionSeconds: number;
};

/**
 * Creates the template's queues, or brings the settings of those of an earlier start up to date; messages stay.
 *
 * @throws LocalStartError for a queue that the engine cannot run as the template says (first-in-first-out queues).
 */
export async function prepareQueues(
  client: SQSClient,
  template: LocalTemplate,
  resolve: Resolve,
): Promise<readonly LocalQueue[]> {
  const queues = resourcesOf(template, 'AWS::SQS::Queue').map((resource) => ({
    resource,
    shape: readProperties(queueShape, resource, resolve),
  }));
  // A redrive policy names another queue, which the engine looks up when a message is moved: so the order of creation
  // does not matter.
  return Promise.all(
    queues.map(async ({ resource, shape }) => {
      const name = physicalName(resource);
      const attributes = attributesOf(shape);
      const present = await queueUrl(client, name);
      if (present === undefined) await client.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
      // An empty text takes back the redrive policy of an earlier template.
      else
        await client.send(
          new SetQueueAttributesCommand({ QueueUrl: present, Attributes: { RedrivePolicy: '', ...attributes } }),
        );
      const url = resolve(resource.stack, { Ref: resource.id }) as string;
      return { name, url, retentionSeconds: shape.MessageRetentionPeriod };
    }),
  );
}

function attributesOf(shape: z.infer<typeof queueShape>): Record<string, string> {
  const { RedrivePolicy: redrive } = shape;
  return {
    VisibilityTimeout: `${shape.VisibilityTimeout}`,
    MessageRetentionPeriod: `${shape.MessageRetentionPeriod}`,
    ...(redrive && { RedrivePolicy: JSON.stringify(redrive) }),
  };
}

async function queueUrl(client: SQSClient, name: string): Promise<string | undefined> {
  try {
    return (await client.send(new GetQueueUrlCommand({ QueueName: name }))).QueueUrl;
  } catch (error) {
    if (error instanceof QueueDoesNotExist) return undefined;
    throw error;
  }
}
