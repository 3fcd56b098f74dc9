import { Stack } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { SECRET_PARTITIONS } from '../../shared/persistence/keys.ts';
import type { IndexName } from '../../shared/persistence/store.ts';
import type { DeliveryQueues } from './delivery-queues.ts';

/**
 * What a function may touch; nothing else is granted. `gets`: single items. `reads`: items and queries. `writes`: the same
 * and conditional writes. Queries of an index are granted index by index.
 */
export type FunctionAccess = {
  readonly table?: 'gets' | 'reads' | 'writes';
  readonly indexes?: readonly IndexName[];
  /** Reaches the partitions of webhook secrets; every other function is denied them, whatever else allows it. */
  readonly secrets?: true;
  readonly deliveryQueue?: 'sends' | 'receives';
  readonly deadLetterQueue?: 'receives';
  /** Is called with the table's stream by an event source, which reads it as the function. */
  readonly stream?: true;
  /** Where the event source of the stream reports what it gave up. */
  readonly relayFailures?: 'sends';
};

export type AccessTargets = {
  readonly table: TableV2;
  readonly queues: DeliveryQueues;
};

const GETS = ['dynamodb:GetItem'];
const READS = [...GETS, 'dynamodb:BatchGetItem', 'dynamodb:Query'];
/** A transaction is permitted by the actions of its parts. */
const WRITES = [
  ...READS,
  'dynamodb:ConditionCheckItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
];
const TABLE_ACTIONS = { gets: GETS, reads: READS, writes: WRITES } as const;

/** Actions on the table's key that DynamoDB asks for on behalf of the caller. */
const KEY_READS = ['kms:Decrypt', 'kms:DescribeKey'];
const KEY_WRITES = [
  ...KEY_READS,
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

const QUEUE_ACTIONS = {
  sends: ['sqs:SendMessage'],
  receives: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes'],
} as const;

/** The policy of a function: exact actions on exact resources. */
export function accessStatements(access: FunctionAccess, targets: AccessTargets): PolicyStatement[] {
  const { table, queues } = targets;
  const grant = (queue: IQueue, use: keyof typeof QUEUE_ACTIONS | undefined) =>
    use === undefined ? [] : [queueStatement(queue, use)];
  return [
    ...tableStatements(access, table),
    ...(access.stream === true ? streamStatements(table) : []),
    ...grant(queues.deliveries, access.deliveryQueue),
    ...grant(queues.deadLetters, access.deadLetterQueue),
    ...grant(queues.relayFailures, access.relayFailures),
  ];
}

/** Reading the table's stream, as an event source asks of the function's role. */
function streamStatements(table: TableV2): PolicyStatement[] {
  return [
    new PolicyStatement({
      sid: 'ReadStream',
      actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      resources: [streamArn(table)],
    }),
    new PolicyStatement({ sid: 'FindStream', actions: ['dynamodb:ListStreams'], resources: ['*'] }),
    ...keyStatements(table, KEY_READS),
  ];
}

/** @throws Error when the table was made without a stream. */
export function streamArn(table: TableV2): string {
  const arn = table.tableStreamArn;
  if (arn === undefined) throw new Error('The table has no stream.');
  return arn;
}

/** Using a queue, as a function's or a service's role. */
export function queueStatement(queue: IQueue, use: keyof typeof QUEUE_ACTIONS): PolicyStatement {
  return new PolicyStatement({ actions: [...QUEUE_ACTIONS[use]], resources: [queue.queueArn] });
}

function tableStatements(access: FunctionAccess, table: TableV2): PolicyStatement[] {
  if (access.table === undefined) return [];
  const indexes = (access.indexes ?? []).map((name) => `${table.tableArn}/index/${name}`);
  const statements = [
    new PolicyStatement({ sid: 'Table', actions: [...TABLE_ACTIONS[access.table]], resources: [table.tableArn] }),
    ...keyStatements(table, access.table === 'writes' ? KEY_WRITES : KEY_READS),
  ];
  if (indexes.length > 0) {
    statements.push(new PolicyStatement({ sid: 'Indexes', actions: ['dynamodb:Query'], resources: indexes }));
  }
  if (access.secrets !== true) statements.push(denySecrets(table));
  return statements;
}

/** `LeadingKeys` are the partition keys of a request; one that matches is enough to refuse it. */
function denySecrets(table: TableV2): PolicyStatement {
  return new PolicyStatement({
    sid: 'NoSecrets',
    effect: Effect.DENY,
    actions: ['dynamodb:*'],
    resources: [table.tableArn],
    conditions: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': [SECRET_PARTITIONS] } },
  });
}

/** Nothing where DynamoDB owns the key; only through DynamoDB where the account does. */
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
