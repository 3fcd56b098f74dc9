import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import type { QueueAttributeName } from '@aws-sdk/client-sqs';
import { GetQueueAttributesCommand, GetQueueUrlCommand, QueueDoesNotExist, SQSClient } from '@aws-sdk/client-sqs';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { thisRelease } from '#infra/release.ts';
import { serviceStackName } from '#infra/resource-name.ts';
import type { EnvironmentName } from '#infra/settings.ts';
import type { Endpoints } from '../local-environment.ts';
import { localFiles } from '../local-environment.ts';

/** `release`: the version in package.json; `at`: when it was deployed, or on this machine started. */
export type Deployment = { readonly release: string | null; readonly at: string | null };

/** What an environment has beside its table. */
export type Surroundings = {
  readonly environment: EnvironmentName;
  /** Messages of a queue by its name, also those that a worker has received; undefined where there is no such queue. */
  readonly messagesIn: (queue: string) => Promise<number | undefined>;
  readonly deployment: () => Promise<Deployment>;
};

/** Opens SQS and CloudFormation with the AWS credentials and region of the shell. */
export function awsSurroundings(environment: EnvironmentName): Surroundings {
  return {
    environment,
    messagesIn: (queue) => messagesIn(new SQSClient({}), queue),
    deployment: async () => {
      const StackName = serviceStackName({ name: environment });
      const { Stacks } = await new CloudFormationClient({}).send(new DescribeStacksCommand({ StackName }));
      const [{ Outputs = [], LastUpdatedTime, CreationTime } = {}] = Stacks ?? [];
      const release = Outputs.find(({ OutputKey }) => OutputKey === 'Release')?.OutputValue ?? null;
      return { release, at: (LastUpdatedTime ?? CreationTime)?.toISOString() ?? null };
    },
  };
}

/** Opens the queues of a local environment. Its release is that of this checkout. */
export function localSurroundings(folder: string, { sqs, region }: Pick<Endpoints, 'sqs' | 'region'>): Surroundings {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return {
    environment: 'local',
    messagesIn: (queue) => messagesIn(new SQSClient({ endpoint: sqs, region, credentials }), queue),
    deployment: () =>
      Promise.resolve({
        release: thisRelease(),
        at: statSync(join(folder, localFiles.endpoints)).mtime.toISOString(),
      }),
  };
}

const counted: QueueAttributeName[] = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'];

async function messagesIn(client: SQSClient, QueueName: string): Promise<number | undefined> {
  try {
    const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName }));
    const { Attributes = {} } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: counted }));
    return counted.reduce((total, name) => total + Number(Attributes[name] ?? 0), 0);
  } catch (error) {
    if (error instanceof QueueDoesNotExist) return undefined;
    throw error;
  }
}
