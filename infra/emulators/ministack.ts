import {
  CloudFormationClient,
  CreateStackCommand,
  GetTemplateCommand,
  paginateListStackResources,
  waitUntilStackCreateComplete,
} from '@aws-sdk/client-cloudformation';
import type { TimeToLiveSpecification } from '@aws-sdk/client-dynamodb';
import { DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { GetScheduleCommand, SchedulerClient, UpdateScheduleCommand } from '@aws-sdk/client-scheduler';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { brasiliaDate, instantAt, instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import { freePort } from '../local/processes.ts';
import { startInBackground, pathWithPackages } from './commands.ts';
import type { Emulator } from './emulator.ts';
import { account, asAws, credentials, noOtherAws, region, stacks } from './emulator.ts';
import { markVariable } from './loopback.ts';

/**
 * Starts MiniStack on a free port of 127.0.0.1, empty, and makes this process trust its certificate.
 *
 * It enforces the IAM policies of the functions (`AUTH`), and speaks TLS, without which the policies of queues and of
 * the CDK's bucket refuse every call. Functions run as processes of the first `node` on the path: that of the packages.
 *
 * @param program Path of `ministack`.
 * @param folder For its log and temporary files; absolute.
 */
export async function startMiniStack(program: string, folder: string): Promise<Emulator> {
  const port = await freePort();
  const endpoint = `https://127.0.0.1:${port}`;
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  // Else the package.json of the repository would make ES modules of MiniStack's own scripts.
  writeFileSync(join(temporary, 'package.json'), '{ "type": "commonjs" }');
  const certificate = join(temporary, 'ministack-tls/server.crt');
  const log = join(folder, 'ministack.log');
  const mark = randomUUID();
  const { stop } = await startInBackground({
    command: [program],
    environment: {
      ...noOtherAws,
      [markVariable]: mark,
      PATH: pathWithPackages(),
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      GATEWAY_PORT: `${port}`,
      MINISTACK_REGION: region,
      MINISTACK_ACCOUNT_ID: account,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AUTH: 'true',
      USE_SSL: '1',
      TMPDIR: temporary,
      PYTHONUNBUFFERED: '1',
    },
    log,
    isReady: () => isHealthy(endpoint, certificate),
    readyWithinSeconds: 60,
  });
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(certificate, 'utf8')]);
  // Node reads the first, the CDK CLI the second.
  const environment = { ...asAws(endpoint), NODE_EXTRA_CA_CERTS: certificate, AWS_CA_BUNDLE: certificate };
  return {
    name: 'MiniStack',
    endpoint,
    environment,
    log,
    mark,
    stop,
    withoutMathAlarms: true,
    apiAddress: (apiId, stage) => `${endpoint}/restapis/${apiId}/${stage}/_user_request_`,
    correct: () => correct(endpoint, stacks),
    correctionStacks: [correctionsStack],
    capabilities: ['gateway-responses', 'retry-timing', 'speed'],
  };
}

async function isHealthy(endpoint: string, certificate: string): Promise<boolean> {
  if (!existsSync(certificate)) return false;
  const ca = readFileSync(certificate, 'utf8');
  return new Promise((answer, fail) => {
    request(`${endpoint}/_ministack/health`, { ca, agent: false }, (response) => {
      response.resume();
      answer(response.statusCode === 200);
    })
      .on('error', fail)
      .end();
  });
}

/** Holds what MiniStack needs beyond AWS; deleted before the stack that it refers to. */
const correctionsStack = 'Local-MiniStack';

type StackNames = { readonly data: string; readonly service: string };

/** Repairs where MiniStack differs from AWS in a way that the service would feel. Each step says what it repairs. */
async function correct(endpoint: string, stacks: StackNames): Promise<void> {
  const aws = { endpoint, region, credentials };
  const cloudFormation = new CloudFormationClient(aws);
  const dynamodb = new DynamoDBClient(aws);
  await setTimeToLive(cloudFormation, dynamodb, stacks.data);
  await allowBatches(cloudFormation, stacks.service);
  const scheduler = new SchedulerClient(aws);
  await writeHoursInUtc(cloudFormation, scheduler, stacks.service);
  scheduler.destroy();
  cloudFormation.destroy();
  dynamodb.destroy();
}

type Resources = Readonly<
  Record<string, { readonly Type: string; readonly Properties?: Readonly<Record<string, unknown>> }>
>;

/** Its CloudFormation drops the time to live of a global table: set as the deployed template says. */
async function setTimeToLive(
  cloudFormation: CloudFormationClient,
  dynamodb: DynamoDBClient,
  StackName: string,
): Promise<void> {
  const deployed = await readResources(cloudFormation, StackName);
  for (const [logicalId, TableName] of await resourcesOf(cloudFormation, StackName)) {
    const setting = deployed[logicalId]?.Properties?.['TimeToLiveSpecification'];
    if (setting === undefined) continue;
    const TimeToLiveSpecification = setting as TimeToLiveSpecification;
    await dynamodb.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  }
}

/**
 * It asks for `sqs:SendMessageBatch`, an action that IAM does not have: on AWS `sqs:SendMessage` permits batches. Given
 * to the one function that sends, on any queue; whether it may send where it does is a test of the template.
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
    new CreateStackCommand({ StackName: correctionsStack, TemplateBody, Capabilities: ['CAPABILITY_IAM'] }),
  );
  await waitUntilStackCreateComplete(
    { client: cloudFormation, maxWaitTime: 60, minDelay: 1, maxDelay: 1 },
    { StackName: correctionsStack },
  );
}

/**
 * Its CloudFormation drops the zone of a schedule, and it runs cron expressions by UTC: given to it in UTC, as the
 * deployed template means them.
 */
async function writeHoursInUtc(
  cloudFormation: CloudFormationClient,
  scheduler: SchedulerClient,
  StackName: string,
): Promise<void> {
  const deployed = await readResources(cloudFormation, StackName);
  for (const [logicalId, Name] of await resourcesOf(cloudFormation, StackName)) {
    const { Type, Properties = {} } = deployed[logicalId] ?? {};
    const expression = String(Properties['ScheduleExpression']);
    if (Type !== 'AWS::Scheduler::Schedule' || !expression.startsWith('cron(')) continue;
    const { Target, FlexibleTimeWindow } = await scheduler.send(new GetScheduleCommand({ Name }));
    const ScheduleExpression = hoursInUtc(expression);
    await scheduler.send(new UpdateScheduleCommand({ Name, Target, FlexibleTimeWindow, ScheduleExpression }));
  }
}

/**
 * A cron expression of Brasilia's hours with those of UTC: `cron(* 0-20 * * ? *)` as `cron(* 3,4,…,23 * * ? *)`.
 * @throws Error when its hours are not one range.
 */
export function hoursInUtc(expression: string): string {
  const [, minute, from, to, rest] = /^cron\((\S+) (\d+)-(\d+) (.+)\)$/u.exec(expression) ?? [];
  if (rest === undefined) throw new Error(`${expression} has hours that cannot be written in UTC.`);
  const today = brasiliaDate(instantFromEpochMs(Date.now()));
  const hours = Array.from({ length: Number(to) - Number(from) + 1 }, (_, place) => {
    const hour = `${Number(from) + place}`.padStart(2, '0');
    return Number(instantAt(today, `${hour}:00`).slice(11, 13));
  });
  return `cron(${minute} ${hours.join(',')} ${rest})`;
}

/** The resources of a deployed template, by logical id. */
async function readResources(client: CloudFormationClient, StackName: string): Promise<Resources> {
  const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName }));
  return (JSON.parse(TemplateBody) as { readonly Resources: Resources }).Resources;
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
