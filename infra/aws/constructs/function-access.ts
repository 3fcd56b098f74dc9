import { Stack } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { issuer, keys } from '#shared/platform/table/keys.ts';
import type { FunctionAccess } from '#functions/access.ts';
import type { CodeSenders } from '#infra/settings.ts';
import type { DeliveryQueues } from './delivery-pipeline.ts';
import { streamArn } from './orders-table.ts';

/** Any UUID in a condition of IAM, where `?` is one character and `*` any number of them, `#` too. */
const anyUuid = '????????-????-????-????-????????????';

/**
 * What a condition on `dynamodb:LeadingKeys` compares with. The length is fixed, because partners choose parts of other
 * keys: an `externalId` may end in `#SECRET`, and a `*` would match it.
 */
export const partitions = {
  secrets: keys.webhookSecret(anyUuid).PK,
  codeSecrets: keys.codeSecret(anyUuid).PK,
  hashSecret: keys.hashSecret().PK,
  slowCalls: keys.slowCalls(anyUuid).PK,
} as const;

export type AccessTargets = {
  readonly table: TableV2;
  readonly queues: DeliveryQueues;
  /** Who sends confirmation codes, where anybody does. */
  readonly codeSenders: CodeSenders | undefined;
};

const gets = ['dynamodb:GetItem'];
const reads = [...gets, 'dynamodb:BatchGetItem', 'dynamodb:Query'];
/** A transaction is permitted by the actions of its parts. */
const itemWrites = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'];
const writes = [...reads, 'dynamodb:ConditionCheckItem', ...itemWrites];
const tableActions = { gets, reads, writes } as const;

/** Actions on the table's key that DynamoDB asks for on behalf of the caller. */
const keyReads = ['kms:Decrypt', 'kms:DescribeKey'];
const keyWrites = [
  ...keyReads,
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

const queueActions = {
  sends: ['sqs:SendMessage'],
  receives: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes'],
} as const;

/** The policy of a function: exact actions on exact resources. */
export function accessStatements(access: FunctionAccess, targets: AccessTargets): PolicyStatement[] {
  const { table, queues, codeSenders } = targets;
  const grant = (queue: IQueue, use: keyof typeof queueActions | undefined) =>
    use === undefined ? [] : [queueStatement(queue, use)];
  return [
    ...tableStatements(access, table),
    ...(access.stream === true ? streamStatements(table, access) : []),
    ...grant(queues.deliveries, access.deliveryQueue),
    ...grant(queues.deadLetters, access.deadLetterQueue),
    ...grant(queues.relayFailures, access.relayFailures),
    ...(access.codes === 'sends' && codeSenders !== undefined ? codeStatements(table, codeSenders) : []),
  ];
}

/** Reading the table's stream, as an event source asks of the function's role. */
function streamStatements(table: TableV2, access: FunctionAccess): PolicyStatement[] {
  return [
    new PolicyStatement({
      sid: 'ReadStream',
      actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      resources: [streamArn(table)],
    }),
    new PolicyStatement({ sid: 'FindStream', actions: ['dynamodb:ListStreams'], resources: ['*'] }),
    // Whoever reads the table has the key already.
    ...(access.table === undefined ? keyStatements(table, keyReads) : []),
  ];
}

/** Using a queue, as a function's or a service's role. */
export function queueStatement(queue: IQueue, use: keyof typeof queueActions): PolicyStatement {
  return new PolicyStatement({ actions: [...queueActions[use]], resources: [queue.queueArn] });
}

function tableStatements(access: FunctionAccess, table: TableV2): PolicyStatement[] {
  if (access.table === undefined) return [];
  const indexes = (access.indexes ?? []).map((name) => `${table.tableArn}/index/${name}`);
  const isWriting = access.table === 'writes';
  const writesSomething = isWriting || access.issuerKeys === 'keeps' || access.slowCalls === 'holds';
  const statements = [
    new PolicyStatement({ sid: 'Table', actions: [...tableActions[access.table]], resources: [table.tableArn] }),
    ...keyStatements(table, writesSomething ? keyWrites : keyReads),
  ];
  if (access.slowCalls === 'holds' && !isWriting) statements.push(holdSlowCalls(table));
  if (indexes.length > 0) {
    statements.push(new PolicyStatement({ sid: 'Indexes', actions: ['dynamodb:Query'], resources: indexes }));
  }
  if (access.secrets !== true) statements.push(denyPartitions(table, 'NoSecrets', partitions.secrets));
  if (access.codeSecrets !== true) statements.push(denyPartitions(table, 'NoCodeSecrets', partitions.codeSecrets));
  statements.push(
    access.hashSecret === true
      ? denyPartitions(table, 'KeepHashSecret', partitions.hashSecret, itemWrites)
      : denyPartitions(table, 'NoHashSecret', partitions.hashSecret),
    access.issuerKeys === 'keeps' ? keepIssuerKeys(table) : denyPartitions(table, 'NoIssuerKeys', issuer),
  );
  return statements;
}

/** `LeadingKeys` are the partition keys of a request; one that matches is enough to refuse it. */
function denyPartitions(
  table: TableV2,
  sid: string,
  like: string,
  actions: readonly string[] = ['dynamodb:*'],
): PolicyStatement {
  return new PolicyStatement({
    sid,
    effect: Effect.DENY,
    actions: [...actions],
    resources: [table.tableArn],
    conditions: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': [like] } },
  });
}

/** Lets a function that otherwise only reads write one partition. */
function keepIssuerKeys(table: TableV2): PolicyStatement {
  return new PolicyStatement({
    sid: 'KeepIssuerKeys',
    actions: ['dynamodb:PutItem'],
    resources: [table.tableArn],
    conditions: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [issuer] } },
  });
}

/** Lets a function that otherwise only reads hold a place for a slow answer. */
function holdSlowCalls(table: TableV2): PolicyStatement {
  return new PolicyStatement({
    sid: 'HoldSlowCalls',
    actions: ['dynamodb:UpdateItem'],
    resources: [table.tableArn],
    conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [partitions.slowCalls] } },
  });
}

/** E-mails of one identity and one address; messages to phones, which have no ARN, and to no topic. */
function codeStatements(scope: IConstruct, { emailIdentity, emailFrom }: CodeSenders): PolicyStatement[] {
  const stack = Stack.of(scope);
  return [
    new PolicyStatement({
      sid: 'SendEmails',
      actions: ['ses:SendEmail'],
      resources: [stack.formatArn({ service: 'ses', resource: 'identity', resourceName: emailIdentity })],
      conditions: { StringEquals: { 'ses:FromAddress': emailFrom } },
    }),
    new PolicyStatement({ sid: 'SendToPhones', actions: ['sns:Publish'], resources: ['*'] }),
    new PolicyStatement({
      sid: 'NoTopics',
      effect: Effect.DENY,
      actions: ['sns:Publish'],
      resources: [stack.formatArn({ service: 'sns', resource: '*', account: '*', region: '*' })],
    }),
  ];
}

/** Nothing where DynamoDB owns the key; where the account does, its use through DynamoDB alone. */
function keyStatements(table: TableV2, actions: readonly string[]): PolicyStatement[] {
  const key = table.encryptionKey;
  if (key === undefined) return [];
  const service = `dynamodb.${Stack.of(table).region}.amazonaws.com`;
  return [
    new PolicyStatement({
      sid: 'TableKey',
      actions: [...actions],
      resources: [key.keyArn],
      conditions: { StringEquals: { 'kms:ViaService': service } },
    }),
  ];
}
