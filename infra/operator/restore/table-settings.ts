import type { DynamoDBClient, TableDescription } from '@aws-sdk/client-dynamodb';
import {
  DeleteResourcePolicyCommand,
  DescribeContinuousBackupsCommand,
  DescribeContributorInsightsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  GetResourcePolicyCommand,
  ListTagsOfResourceCommand,
  PutResourcePolicyCommand,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateContributorInsightsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

/** Client for the settings of tables, with the AWS credentials of the shell. */
export type TableAdmin = Pick<DynamoDBClient, 'send'>;

type Statement = { readonly Sid?: string };
type Policy = { readonly Version: string; readonly Statement: readonly Statement[] };

const frozen = 'FrozenForRestore';
const activeWithinMs = 600_000;
const lookMs = 1000;

export async function describe(admin: TableAdmin, TableName: string): Promise<TableDescription> {
  const { Table } = await admin.send(new DescribeTableCommand({ TableName }));
  if (Table === undefined) throw new Error(`There is no table ${TableName}.`);
  return Table;
}

/**
 * Denies every write to a table, to every principal, by its resource policy: no function can write while another table
 * replaces it, nor afterwards.
 */
export async function freeze(admin: TableAdmin, tableName: string): Promise<void> {
  const ResourceArn = (await describe(admin, tableName)).TableArn ?? '';
  const rest = (await policyOf(admin, ResourceArn)).filter(({ Sid }) => Sid !== frozen);
  const deny = {
    Sid: frozen,
    Effect: 'Deny',
    Principal: '*',
    Resource: ResourceArn,
    Action: ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'].map((name) => `dynamodb:${name}`),
  };
  await putPolicy(admin, ResourceArn, [...rest, deny]);
}

/** Undoes `freeze`. */
export async function thaw(admin: TableAdmin, tableName: string): Promise<void> {
  const ResourceArn = (await describe(admin, tableName)).TableArn ?? '';
  const rest = (await policyOf(admin, ResourceArn)).filter(({ Sid }) => Sid !== frozen);
  if (rest.length > 0) await putPolicy(admin, ResourceArn, rest);
  else await admin.send(new DeleteResourcePolicyCommand({ ResourceArn }));
}

export async function isFrozen(admin: TableAdmin, tableName: string): Promise<boolean> {
  const arn = (await describe(admin, tableName)).TableArn ?? '';
  return (await policyOf(admin, arn)).some(({ Sid }) => Sid === frozen);
}

/**
 * Applies the settings of the current table that a restore leaves out to the restored table: stream, time to live,
 * point-in-time recovery, Contributor Insights, maximum throughput, deletion protection, tags and resource policy. Safe
 * to run twice.
 * @returns the label of the restored table's stream
 * @throws Error when the restored table has other keys, other indexes or another encryption key than the current one.
 */
export async function bringSettings(admin: TableAdmin, currentName: string, restoredName: string): Promise<string> {
  const current = await describe(admin, currentName);
  const restored = await untilActive(admin, restoredName);
  checkSame(current, restored);
  const { StreamSpecification, DeletionProtectionEnabled, OnDemandThroughput } = current;
  const update = async (change: object): Promise<void> => {
    await admin.send(new UpdateTableCommand({ TableName: restoredName, ...change }));
    await untilActive(admin, restoredName);
  };
  if (restored.StreamSpecification?.StreamEnabled !== true && StreamSpecification !== undefined)
    await update({ StreamSpecification });
  if (DeletionProtectionEnabled === true) await update({ DeletionProtectionEnabled });
  if (OnDemandThroughput !== undefined) await update({ OnDemandThroughput });
  for (const { IndexName, OnDemandThroughput: bound } of current.GlobalSecondaryIndexes ?? [])
    if (bound !== undefined)
      await update({ GlobalSecondaryIndexUpdates: [{ Update: { IndexName, OnDemandThroughput: bound } }] });
  await bringExpiry(admin, currentName, restoredName);
  await bringRecovery(admin, currentName, restoredName);
  await bringInsights(admin, currentName, restoredName);
  const [from, to] = [current.TableArn ?? '', restored.TableArn ?? ''];
  const { Tags = [] } = await admin.send(new ListTagsOfResourceCommand({ ResourceArn: from }));
  const own = Tags.filter(({ Key = '' }) => !Key.startsWith('aws:'));
  if (own.length > 0) await admin.send(new TagResourceCommand({ ResourceArn: to, Tags: own }));
  const statements = (await policyOf(admin, from)).filter(({ Sid }) => Sid !== frozen);
  if (statements.length > 0)
    await putPolicy(admin, to, JSON.parse(JSON.stringify(statements).replaceAll(from, to)) as readonly Statement[]);
  return (await describe(admin, restoredName)).LatestStreamLabel ?? '';
}

async function untilActive(admin: TableAdmin, name: string): Promise<TableDescription> {
  const isActive = ({ TableStatus, GlobalSecondaryIndexes = [] }: TableDescription): boolean =>
    [TableStatus, ...GlobalSecondaryIndexes.map(({ IndexStatus }) => IndexStatus)].every(
      (status) => status === 'ACTIVE',
    );
  const until = Date.now() + activeWithinMs;
  let table = await describe(admin, name);
  while (!isActive(table) && Date.now() < until) {
    await sleep(lookMs);
    table = await describe(admin, name);
  }
  if (!isActive(table))
    throw new Error(
      `The table ${name} or one of its indexes is not ACTIVE: the status of the table is ${table.TableStatus ?? 'unknown'}.`,
    );
  return table;
}

function checkSame(current: TableDescription, restored: TableDescription): void {
  const shape = ({ KeySchema, GlobalSecondaryIndexes = [], SSEDescription }: TableDescription) => ({
    KeySchema,
    indexes: GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
      IndexName,
      KeySchema,
      Projection,
    })).toSorted((a, b) => (a.IndexName ?? '').localeCompare(b.IndexName ?? '')),
    key: SSEDescription?.KMSMasterKeyArn,
  });
  if (!isDeepStrictEqual(shape(current), shape(restored)))
    throw new Error(
      'The restored table has other keys, indexes or another encryption key: restore it again with those of the current table.',
    );
}

async function bringExpiry(admin: TableAdmin, from: string, to: string): Promise<void> {
  const expiry = async (TableName: string) =>
    (await admin.send(new DescribeTimeToLiveCommand({ TableName }))).TimeToLiveDescription?.AttributeName;
  const [AttributeName, known] = [await expiry(from), await expiry(to)];
  // DynamoDB refuses to enable time to live twice.
  if (AttributeName === undefined || known === AttributeName) return;
  const TimeToLiveSpecification = { AttributeName, Enabled: true };
  await admin.send(new UpdateTimeToLiveCommand({ TableName: to, TimeToLiveSpecification }));
}

async function bringRecovery(admin: TableAdmin, from: string, to: string): Promise<void> {
  const { ContinuousBackupsDescription } = await admin.send(new DescribeContinuousBackupsCommand({ TableName: from }));
  const recovery = ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
  if (recovery?.PointInTimeRecoveryStatus !== 'ENABLED') return;
  const PointInTimeRecoverySpecification = {
    PointInTimeRecoveryEnabled: true,
    ...(recovery.RecoveryPeriodInDays !== undefined && { RecoveryPeriodInDays: recovery.RecoveryPeriodInDays }),
  };
  await admin.send(new UpdateContinuousBackupsCommand({ TableName: to, PointInTimeRecoverySpecification }));
}

async function bringInsights(admin: TableAdmin, from: string, to: string): Promise<void> {
  const { ContributorInsightsStatus, ContributorInsightsMode } = await admin.send(
    new DescribeContributorInsightsCommand({ TableName: from }),
  );
  if (ContributorInsightsStatus !== 'ENABLED') return;
  const change = { ContributorInsightsAction: 'ENABLE', ContributorInsightsMode } as const;
  await admin.send(new UpdateContributorInsightsCommand({ TableName: to, ...change }));
}

async function policyOf(admin: TableAdmin, ResourceArn: string): Promise<readonly Statement[]> {
  try {
    const { Policy: text } = await admin.send(new GetResourcePolicyCommand({ ResourceArn }));
    return text === undefined ? [] : (JSON.parse(text) as Policy).Statement;
  } catch (error) {
    if (error instanceof Error && error.name === 'PolicyNotFoundException') return [];
    throw error;
  }
}

async function putPolicy(admin: TableAdmin, ResourceArn: string, Statement: readonly Statement[]): Promise<void> {
  const policy: Policy = { Version: '2012-10-17', Statement };
  await admin.send(new PutResourcePolicyCommand({ ResourceArn, Policy: JSON.stringify(policy) }));
}
