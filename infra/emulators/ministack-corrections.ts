import {
  CloudFormationClient,
  CreateStackCommand,
  GetTemplateCommand,
  paginateListStackResources,
  waitUntilStackCreateComplete,
} from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, UpdateTimeToLiveCommand, type TimeToLiveSpecification } from '@aws-sdk/client-dynamodb';
import { CREDENTIALS, REGION, type MiniStack } from './ministack.ts';

/** Holds what MiniStack wants beyond AWS; deleted before the stack that it refers to. */
export const CORRECTIONS_STACK = 'Local-MiniStack';

type StackNames = { readonly data: string; readonly service: string };

/** Repairs where MiniStack differs from AWS in a way that the service would feel. Each step says what it repairs. */
export async function correct({ endpoint }: Pick<MiniStack, 'endpoint'>, stacks: StackNames): Promise<void> {
  const aws = { endpoint, region: REGION, credentials: CREDENTIALS };
  const cloudFormation = new CloudFormationClient(aws);
  const dynamodb = new DynamoDBClient(aws);
  await setTimeToLive(cloudFormation, dynamodb, stacks.data);
  await allowBatches(cloudFormation, stacks.service);
  cloudFormation.destroy();
  dynamodb.destroy();
}

type Template = {
  readonly Resources: Readonly<Record<string, { readonly Properties?: Readonly<Record<string, unknown>> }>>;
};

/** Its CloudFormation drops the time to live of a global table: set as the deployed template says. */
async function setTimeToLive(
  cloudFormation: CloudFormationClient,
  dynamodb: DynamoDBClient,
  StackName: string,
): Promise<void> {
  const { TemplateBody = '{}' } = await cloudFormation.send(new GetTemplateCommand({ StackName }));
  const { Resources } = JSON.parse(TemplateBody) as Template;
  for (const [logicalId, TableName] of await resourcesOf(cloudFormation, StackName)) {
    const setting = Resources[logicalId]?.Properties?.['TimeToLiveSpecification'];
    if (setting === undefined) continue;
    const TimeToLiveSpecification = setting as TimeToLiveSpecification;
    await dynamodb.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  }
}

/**
 * It asks for `sqs:SendMessageBatch`, an action that IAM does not have: on AWS `sqs:SendMessage` permits batches. Given to
 * the one function that sends, on any queue; whether it may send where it does is a test of the template.
 */
async function allowBatches(cloudFormation: CloudFormationClient, StackName: string): Promise<void> {
  const resources = await resourcesOf(cloudFormation, StackName);
  const [, role] = resources.find(([logicalId]) => logicalId.startsWith('RelayDeliveriesRole')) ?? [];
  if (role === undefined) throw new Error(`The stack ${StackName} has no role of the relay.`);
  const PolicyDocument = {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: 'sqs:SendMessageBatch', Resource: '*' }],
  };
  const Properties = { PolicyName: 'Batches', Roles: [role], PolicyDocument };
  const TemplateBody = JSON.stringify({ Resources: { Batches: { Type: 'AWS::IAM::Policy', Properties } } });
  await cloudFormation.send(
    new CreateStackCommand({ StackName: CORRECTIONS_STACK, TemplateBody, Capabilities: ['CAPABILITY_IAM'] }),
  );
  await waitUntilStackCreateComplete(
    { client: cloudFormation, maxWaitTime: 60, minDelay: 1, maxDelay: 1 },
    { StackName: CORRECTIONS_STACK },
  );
}

/** Logical and physical ids of a stack. */
async function resourcesOf(client: CloudFormationClient, StackName: string): Promise<readonly [string, string][]> {
  const found: [string, string][] = [];
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
    for (const { LogicalResourceId = '', PhysicalResourceId = '' } of StackResourceSummaries) {
      found.push([LogicalResourceId, PhysicalResourceId]);
    }
  }
  return found;
}
