import { ArnFormat, Aws, Stack } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { issuer, keys } from '#shared/platform/table/keys.ts';
import { indexes } from '#shared/platform/table/store.ts';
import type { FunctionAccess } from '#functions/access.ts';
import { queueArn } from '#infra/aws/names.ts';
import { failureQueues, queueName, serviceStackName } from '#infra/resource-name.ts';
import type { CodeSenders, EnvironmentSettings } from '#infra/settings.ts';
import type { CallbackQueues } from './bank-callbacks.ts';
import { callbackDomainStatement } from './callback-api.ts';
import type { DeliveryQueues } from './delivery-pipeline.ts';
import type { DueQueues } from './due-queues.ts';
import { streamArn } from './orders-table.ts';
import type { StatementSigning } from './statement-signing.ts';

/** Any UUID in a condition of IAM, where `?` is one character and `*` any number of them, `#` too. */
const anyUuid = '????????-????-????-????-????????????';

/**
 * Values that conditions on `dynamodb:LeadingKeys` compare with. The length is fixed, because partners choose parts of
 * other keys: an `externalId` may end in `#SECRET`, and a `*` would match it.
 */
export const partitions = {
  secrets: keys.webhookSecret(anyUuid).PK,
  codeSecrets: keys.codeSecret(anyUuid).PK,
  hashSecret: keys.hashSecret().PK,
  slowCalls: keys.slowCalls(anyUuid).PK,
} as const;

export type AccessTargets = {
  readonly table: ITableV2;
  readonly queues: DeliveryQueues;
  readonly bankQueues: CallbackQueues;
  readonly dueQueues: DueQueues;
  readonly signing: StatementSigning;
  /** Undefined: the environment sends no confirmation codes. */
  readonly codeSenders: CodeSenders | undefined;
  /** Names of the secrets of banks, with `*` for the company. */
  readonly bankSecrets: string;
  /** Undefined: banks have no domain to call. */
  readonly callbackHost: string | undefined;
};

const gets = ['dynamodb:GetItem'];
const reads = [...gets, 'dynamodb:BatchGetItem', 'dynamodb:Query'];
/** IAM permits a transaction by the actions of its parts. */
const itemWrites = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'];
const writes = [...reads, 'dynamodb:ConditionCheckItem', ...itemWrites];
const tableActions = { gets, reads, writes } as const;

/** DynamoDB uses the table's key on behalf of the caller. */
const keyReads = ['kms:Decrypt', 'kms:DescribeKey'];
const keyWrites = [
  ...keyReads,
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

const receives = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes'];
const queueActions = { sends: ['sqs:SendMessage'], receives, fills: ['sqs:SendMessage', ...receives] } as const;

type Conditions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

function allow(sid: string, actions: readonly string[], on: string | readonly string[], conditions: Conditions = {}) {
  return new PolicyStatement({ sid, actions: [...actions], resources: [on].flat(), conditions });
}

function deny(sid: string, actions: readonly string[], resource: string, conditions: Conditions = {}) {
  return new PolicyStatement({ sid, effect: Effect.DENY, actions: [...actions], resources: [resource], conditions });
}

/** The policy of a function: exact actions on exact resources. */
export function accessStatements(access: FunctionAccess, targets: AccessTargets): PolicyStatement[] {
  const { table, queues, bankQueues, dueQueues, signing, codeSenders, callbackHost } = targets;
  const grant = (queue: IQueue, use: keyof typeof queueActions | undefined) =>
    use === undefined ? [] : [queueStatement(queue, use)];
  return [
    ...tableStatements(access, table),
    ...(access.stream === true ? streamStatements(table, access) : []),
    ...grant(queues.deliveries, access.deliveryQueue),
    ...grant(queues.drains, access.drainQueue),
    ...grant(queues.deadLetters, access.deadLetterQueue),
    ...grant(queues.relayFailures, access.relayFailures),
    ...(access.dueQueue === undefined ? [] : [queueStatement(dueQueues.of[access.dueQueue], 'fills')]),
    ...grant(dueQueues.of.KEY_CODES, access.keyCodeQueue),
    ...grant(bankQueues.callbacks, access.callbackQueues),
    ...grant(bankQueues.unknown, access.callbackQueues),
    ...(access.signs === true ? [allow('Sign', ['kms:Sign', 'kms:GetPublicKey'], signing.key.keyArn)] : []),
    ...(access.roots === 'puts' ? [allow('PutRoots', ['s3:PutObject'], signing.roots.arnForObjects('*'))] : []),
    ...(access.bank === true ? [bankStatement(table, targets.bankSecrets)] : []),
    ...(access.callbackDomain === 'reads' && callbackHost !== undefined
      ? [callbackDomainStatement(callbackHost, ['apigateway:GET'])]
      : []),
    ...(access.codes === 'sends' && codeSenders !== undefined ? codeStatements(table, codeSenders) : []),
  ];
}

/**
 * Grants the operator's commands (infra/operator) the items of the table, which include secrets, the API keys of usage
 * plans, the secrets of banks, and what `status` counts. The commands cannot change or delete a table, and cannot
 * deploy. They use an encryption key only through DynamoDB.
 * @param banks Names of the secrets of banks, with `*` for the company.
 */
export function operatorStatements(table: ITableV2, settings: EnvironmentSettings, banks: string): PolicyStatement[] {
  const { tableArn } = table;
  const gateway = (path: string) => `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}::/${path}`;
  return [
    allow('Table', [...writes, 'dynamodb:Scan'], tableArn),
    new PolicyStatement({
      sid: 'Indexes',
      actions: ['dynamodb:Query'],
      resources: Object.keys(indexes).map((name) => `${tableArn}/index/${name}`),
    }),
    ...keyStatements(table, keyWrites),
    allow('CompanyKeys', ['apigateway:POST', 'apigateway:GET'], gateway('apikeys')),
    allow('CompanyPlan', ['apigateway:POST'], gateway('usageplans/*/keys')),
    allow('BankSecrets', secretActions, secretsArn(table, banks)),
    allow(
      'FailureQueues',
      ['sqs:GetQueueUrl', 'sqs:GetQueueAttributes'],
      failureQueues.map((key) => queueArn(table, queueName(settings, key))),
    ),
    allow(
      'Deployment',
      ['cloudformation:DescribeStacks'],
      Stack.of(table).formatArn({
        service: 'cloudformation',
        resource: 'stack',
        resourceName: `${serviceStackName(settings)}/*`,
      }),
    ),
  ];
}

/** Actions by which `npm run operator -- restore:*` reads and changes the settings of a table. */
const tableSettings = [
  ...['DescribeTable', 'UpdateTable', 'DescribeTimeToLive', 'UpdateTimeToLive'],
  ...['DescribeContinuousBackups', 'UpdateContinuousBackups'],
  ...['DescribeContributorInsights', 'UpdateContributorInsights', 'ListTagsOfResource', 'TagResource'],
  ...['GetResourcePolicy', 'PutResourcePolicy', 'DeleteResourcePolicy'],
].map((action) => `dynamodb:${action}`);

/** Grants all operator commands, and those that replace the table with a restored one: both tables' settings. */
export function restorerStatements(table: ITableV2, settings: EnvironmentSettings, banks: string): PolicyStatement[] {
  const { tableArn } = table;
  const restored = `${tableArn}-*`;
  return [
    ...operatorStatements(table, settings, banks),
    allow('RestoredTable', [...writes, 'dynamodb:Scan'], restored),
    new PolicyStatement({ sid: 'TableSettings', actions: tableSettings, resources: [tableArn, restored] }),
  ];
}

/** Grants reads of the table's stream: the event source reads it with the function's role. */
function streamStatements(table: ITableV2, access: FunctionAccess): PolicyStatement[] {
  const reading = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'];
  return [
    allow('ReadStream', reading, streamArn(table)),
    allow('FindStream', ['dynamodb:ListStreams'], '*'),
    // A function that reads the table has the key already.
    ...(access.table === undefined ? keyStatements(table, keyReads) : []),
  ];
}

/** Using a queue. */
function queueStatement(queue: IQueue, use: keyof typeof queueActions): PolicyStatement {
  return new PolicyStatement({ actions: [...queueActions[use]], resources: [queue.queueArn] });
}

function tableStatements(access: FunctionAccess, table: ITableV2): PolicyStatement[] {
  if (access.table === undefined) return [];
  const { tableArn } = table;
  const queried = (access.indexes ?? []).map((name) => `${tableArn}/index/${name}`);
  const isWriting = access.table === 'writes';
  const hasWrites = isWriting || access.issuerKeys === 'keeps' || access.slowCalls === 'holds';
  const allActions = ['dynamodb:*'];
  return [
    allow('Table', tableActions[access.table], tableArn),
    ...keyStatements(table, hasWrites ? keyWrites : keyReads),
    // Lets a function that otherwise only reads write one partition.
    ...(access.slowCalls === 'holds' && !isWriting
      ? [
          allow(
            'HoldSlowCalls',
            ['dynamodb:UpdateItem'],
            tableArn,
            leading('ForAllValues:StringLike', partitions.slowCalls),
          ),
        ]
      : []),
    ...(queried.length > 0
      ? [new PolicyStatement({ sid: 'Indexes', actions: ['dynamodb:Query'], resources: queried })]
      : []),
    ...(access.secrets === true ? [] : [deny('NoSecrets', allActions, tableArn, touching(partitions.secrets))]),
    ...(access.codeSecrets === true
      ? []
      : [deny('NoCodeSecrets', allActions, tableArn, touching(partitions.codeSecrets))]),
    access.hashSecret === true
      ? deny('KeepHashSecret', itemWrites, tableArn, touching(partitions.hashSecret))
      : deny('NoHashSecret', allActions, tableArn, touching(partitions.hashSecret)),
    access.issuerKeys === 'keeps'
      ? allow('KeepIssuerKeys', ['dynamodb:PutItem'], tableArn, leading('ForAllValues:StringEquals', issuer))
      : deny('NoIssuerKeys', allActions, tableArn, touching(issuer)),
  ];
}

/** A condition on the partition keys of a request. */
function leading(operator: string, partition: string): Conditions {
  return { [operator]: { 'dynamodb:LeadingKeys': [partition] } };
}

/** One matching key is enough to deny the request. */
function touching(partition: string): Conditions {
  return leading('ForAnyValue:StringLike', partition);
}

/**
 * Grants e-mails from one address, and messages to phones but to no topic. A phone has no ARN. In its sandbox Amazon
 * SES also checks the identity of the receiver, and the configuration set of an identity that has one.
 */
function codeStatements(scope: IConstruct, { emailFrom }: CodeSenders): PolicyStatement[] {
  const stack = Stack.of(scope);
  const ofMail = ['identity', 'configuration-set'].map((resource) =>
    stack.formatArn({ service: 'ses', resource, resourceName: '*' }),
  );
  const topics = stack.formatArn({ service: 'sns', resource: '*', account: '*', region: '*' });
  return [
    allow('SendEmails', ['ses:SendEmail'], ofMail, { StringEquals: { 'ses:FromAddress': emailFrom } }),
    allow('SendToPhones', ['sns:Publish'], '*'),
    deny('NoTopics', ['sns:Publish'], topics),
  ];
}

/** Grants the secrets of banks. Secrets Manager appends six characters to a name; its own key needs no statement. */
function bankStatement(scope: IConstruct, resourceName: string): PolicyStatement {
  return allow('ReadBankSecrets', ['secretsmanager:GetSecretValue'], secretsArn(scope, resourceName));
}

/** Actions that `bank:connect` and `bank:check` need on the secrets of banks. */
const secretActions = ['GetSecretValue', 'CreateSecret', 'PutSecretValue', 'DeleteSecret'].map(
  (call) => `secretsmanager:${call}`,
);

function secretsArn(scope: IConstruct, resourceName: string): string {
  const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
  return Stack.of(scope).formatArn({ service: 'secretsmanager', resource: 'secret', resourceName, arnFormat });
}

/** Grants the use of the account's own key, only through DynamoDB. A key that DynamoDB owns needs no statement. */
function keyStatements(table: ITableV2, actions: readonly string[]): PolicyStatement[] {
  const key = table.encryptionKey;
  if (key === undefined) return [];
  const service = `dynamodb.${Stack.of(table).region}.amazonaws.com`;
  return [allow('TableKey', actions, key.keyArn, { StringEquals: { 'kms:ViaService': service } })];
}
