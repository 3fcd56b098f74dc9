import type { Capability } from '@aws-sdk/client-cloudformation';
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
import { workerNames, workers } from '#functions/workers.ts';
import { pascalCase } from '#infra/aws/names.ts';
import { brasiliaDate, instantAt, instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import { freePort } from '@banking-order/cdk-local';
import { pathWithPackages } from '#infra/releases/commands.ts';
import { startInBackground } from './background.ts';
import type { Emulator } from './emulator.ts';
import { account, asAws, credentials, noOtherAws, region, stacks, stackWait } from './emulator.ts';
import { markVariable } from './loopback.ts';

/**
 * Starts MiniStack on a free port of 127.0.0.1, empty, and makes this process trust its certificate. It enforces IAM
 * policies (`AUTH`) and speaks TLS, which the policies of queues and of the CDK's bucket require. Functions run as
 * processes of the packages' Node.
 * @param program Path of `ministack`.
 * @param folder For its log and temporary files; absolute.
 */
export async function startMiniStack(program: string, folder: string): Promise<Emulator> {
  const port = await freePort();
  const endpoint = `https://127.0.0.1:${port}`;
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  // Otherwise Node takes MiniStack's scripts for ES modules, because of the repository's package.json.
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
      // With cryptography installed, its broker of MQTT would listen for other machines.
      IOT_MTLS_ENABLED: '0',
      TMPDIR: temporary,
      PYTHONUNBUFFERED: '1',
    },
    log,
    isReady: () => isHealthy(endpoint, certificate),
    readyWithinSeconds: 60,
  });
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(certificate, 'utf8')]);
  // Node reads NODE_EXTRA_CA_CERTS, the CDK CLI reads AWS_CA_BUNDLE.
  const environment = { ...asAws(endpoint), NODE_EXTRA_CA_CERTS: certificate, AWS_CA_BUNDLE: certificate };
  return {
    name: 'MiniStack',
    endpoint,
    environment,
    log,
    mark,
    stop,
    apiAddress: (apiId, stage) => `${endpoint}/restapis/${apiId}/${stage}/_user_request_`,
    correct: () => correct(endpoint),
    correctionStacks: [correctionsStack],
    capabilities: ['gateway-responses', 'retry-timing', 'speed'],
  };
}

async function isHealthy(endpoint: string, certificate: string): Promise<boolean> {
  if (!existsSync(certificate)) return false;
  const ca = readFileSync(certificate, 'utf8');
  return new Promise((resolve, fail) => {
    request(`${endpoint}/_ministack/health`, { ca, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    })
      .on('error', fail)
      .end();
  });
}

/** Stack of a permission that AWS does not need. It is deleted before the stack whose role it names. */
const correctionsStack = 'Local-MiniStack';

/** Repairs differences from AWS that the service would notice. */
async function correct(endpoint: string): Promise<void> {
  const aws = { endpoint, region, credentials };
  const [cloudFormation, dynamodb, scheduler] = [
    new CloudFormationClient(aws),
    new DynamoDBClient(aws),
    new SchedulerClient(aws),
  ];
  await setTimeToLive(dynamodb, await readResources(cloudFormation, stacks.data));
  const service = await readResources(cloudFormation, stacks.service);
  await allowBatches(cloudFormation, service);
  await writeHoursInUtc(scheduler, service);
  for (const client of [cloudFormation, dynamodb, scheduler]) client.destroy();
}

/** Sets the time to live of tables as in the template: MiniStack's CloudFormation drops it for a global table. */
async function setTimeToLive(dynamodb: DynamoDBClient, resources: readonly Resource[]): Promise<void> {
  for (const { physicalId: TableName, properties } of resources) {
    const setting = properties['TimeToLiveSpecification'] as TimeToLiveSpecification | undefined;
    if (setting !== undefined)
      await dynamodb.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: setting }));
  }
}

/**
 * Permits the relay and the workers of due jobs to send batches. MiniStack requires `sqs:SendMessageBatch`, which IAM
 * does not know: on AWS `sqs:SendMessage` permits batches. This permission is for all queues; tests of the template
 * check the workers' own.
 */
async function allowBatches(cloudFormation: CloudFormationClient, resources: readonly Resource[]): Promise<void> {
  const senders = ['relay-deliveries', ...workerNames.filter((name) => workers[name].due !== undefined)];
  const roles = senders.map((name) => {
    const prefix = `${pascalCase(name)}Role`;
    const role = resources.find(({ logicalId }) => logicalId.startsWith(prefix))?.physicalId;
    if (role === undefined) throw new Error(`The stack ${stacks.service} has no role ${prefix}.`);
    return role;
  });
  const PolicyDocument = {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: 'sqs:SendMessageBatch', Resource: '*' }],
  };
  const Properties = { PolicyName: 'Batches', Roles: roles, PolicyDocument };
  const TemplateBody = JSON.stringify({ Resources: { Batches: { Type: 'AWS::IAM::Policy', Properties } } });
  const StackName = correctionsStack;
  const Capabilities: Capability[] = ['CAPABILITY_IAM'];
  // A trial of releases deploys more than once: the role, and with it the policy, outlives an update.
  const isNew = await cloudFormation
    .send(new CreateStackCommand({ StackName, TemplateBody, Capabilities }))
    .then(() => true)
    .catch((error: unknown) => {
      if (error instanceof Error && error.name.startsWith('AlreadyExists')) return false;
      throw error;
    });
  if (!isNew) return;
  await waitUntilStackCreateComplete({ client: cloudFormation, ...stackWait }, { StackName });
}

/** Rewrites the hours of cron schedules: MiniStack's CloudFormation drops their time zone, and they run by UTC. */
async function writeHoursInUtc(scheduler: SchedulerClient, resources: readonly Resource[]): Promise<void> {
  for (const { physicalId: Name, type, properties } of resources) {
    const expression = String(properties['ScheduleExpression']);
    if (type !== 'AWS::Scheduler::Schedule' || !expression.startsWith('cron(')) continue;
    const { Target, FlexibleTimeWindow } = await scheduler.send(new GetScheduleCommand({ Name }));
    const ScheduleExpression = hoursInUtc(expression);
    await scheduler.send(new UpdateScheduleCommand({ Name, Target, FlexibleTimeWindow, ScheduleExpression }));
  }
}

/**
 * Converts Brasilia's hours to UTC: `cron(* 0-20 * * ? *)` to `cron(* 3,4,…,23 * * ? *)`. An expression for every hour
 * stays the same.
 * @throws Error when the hours are not one range.
 */
export function hoursInUtc(expression: string): string {
  if (/^cron\(\S+ \* \* \* \? \*\)$/u.test(expression)) return expression;
  const [, minute, from, to, rest] = /^cron\((\S+) (\d+)-(\d+) (.+)\)$/u.exec(expression) ?? [];
  if (rest === undefined) throw new Error(`Cannot convert the hours of ${expression} to UTC.`);
  const today = brasiliaDate(instantFromEpochMs(Date.now()));
  const hours = Array.from({ length: Number(to) - Number(from) + 1 }, (_, place) => {
    const hour = `${Number(from) + place}`.padStart(2, '0');
    return Number(instantAt(today, `${hour}:00`).slice(11, 13));
  });
  return `cron(${minute} ${hours.join(',')} ${rest})`;
}

type Resource = {
  readonly logicalId: string;
  readonly physicalId: string;
  readonly type: string | undefined;
  readonly properties: Readonly<Record<string, unknown>>;
};

/** The resources of a deployed stack, with the types and properties of its template. */
async function readResources(client: CloudFormationClient, StackName: string): Promise<readonly Resource[]> {
  const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName }));
  const { Resources } = JSON.parse(TemplateBody) as {
    readonly Resources: Record<string, { readonly Type: string; readonly Properties?: Resource['properties'] }>;
  };
  const found: Resource[] = [];
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName }))
    for (const { LogicalResourceId: logicalId = '', PhysicalResourceId: physicalId = '' } of StackResourceSummaries) {
      const { Type: type, Properties: properties = {} } = Resources[logicalId] ?? {};
      found.push({ logicalId, physicalId, type, properties });
    }
  return found;
}
