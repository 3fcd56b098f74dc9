import { describe, expect, test } from 'vitest';
import type { EnvironmentName } from '#infra/settings.ts';
import type { Properties } from './synthesized.ts';
import { all, only, synthesize } from './synthesized.ts';

const stack = synthesize();
const names = { local: 'Local-Data', dev: 'Dev-Data', hml: 'Hml-Data', prod: 'Prod-Data' } as const;
const tableOf = (name: EnvironmentName) => only(stack(names[name]), 'AWS::DynamoDB::GlobalTable');
const keysOf = (name: string, signs: boolean) =>
  all(stack(name), 'AWS::KMS::Key').filter(({ Properties }) => (Properties['KeyUsage'] === 'SIGN_VERIFY') === signs);
const replicaOf = (name: EnvironmentName): Properties => tableOf(name).Properties['Replicas'][0] as Properties;

describe.each(Object.keys(names) as EnvironmentName[])('the table of %s', (name) => {
  const table = tableOf(name);

  test('is keyed by PK and SK, on demand', () => {
    expect(table.Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'PK', KeyType: 'HASH' },
        { AttributeName: 'SK', KeyType: 'RANGE' },
      ],
    });
  });

  test('lists and finds due work by three indexes that hold keys alone', () => {
    const indexes = table.Properties['GlobalSecondaryIndexes'] as Properties[];
    expect(indexes.map(({ WriteOnDemandThroughputSettings: _bound, ...index }) => index)).toEqual([
      {
        IndexName: 'GSI1',
        KeySchema: [
          { AttributeName: 'GSI1PK', KeyType: 'HASH' },
          { AttributeName: 'GSI1SK', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
      {
        IndexName: 'GSI2',
        KeySchema: [
          { AttributeName: 'GSI2PK', KeyType: 'HASH' },
          { AttributeName: 'GSI2SK', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
      {
        IndexName: 'GSI3',
        KeySchema: [
          { AttributeName: 'GSI3PK', KeyType: 'HASH' },
          { AttributeName: 'GSI2SK', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ]);
  });

  test('streams keys alone, so that no secret reaches who reads the stream, and forgets items at expiresAt', () => {
    expect(table.Properties['StreamSpecification']).toEqual({ StreamViewType: 'KEYS_ONLY' });
    expect(table.Properties['TimeToLiveSpecification']).toEqual({ AttributeName: 'expiresAt', Enabled: true });
  });

  test('keeps its logical id: another one would replace the table and its data', () => {
    expect(table.id).toBe('OrdersTable1F8332C7');
    expect(table.Properties['TableName']).toBeUndefined();
  });
});

test.each(['hml', 'prod'] as const)(
  '%s cannot lose its table: deletion protection, retention, termination protection',
  (name) => {
    expect(replicaOf(name)).toMatchObject({ DeletionProtectionEnabled: true });
    expect(tableOf(name)).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(stack(names[name]).terminationProtection).toBe(true);
  },
);

test.each(['local', 'dev'] as const)('%s can delete its table', (name) => {
  expect(replicaOf(name)).toMatchObject({ DeletionProtectionEnabled: false });
  expect(tableOf(name)).toMatchObject({ DeletionPolicy: 'Delete', UpdateReplacePolicy: 'Delete' });
  expect(stack(names[name]).terminationProtection).toBe(false);
});

test.each([
  ['dev', 1],
  ['hml', 7],
  ['prod', 35],
] as const)('%s can be restored to any second of %i days', (name, days) => {
  expect(replicaOf(name)).toMatchObject({
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: days },
  });
});

test.each([
  ['dev', 'Delete'],
  ['hml', 'Retain'],
  ['prod', 'Retain'],
] as const)('%s encrypts with a key of the account that is rotated and lives as long as the table', (name, policy) => {
  const [key] = keysOf(names[name], false);
  expect(key).toMatchObject({
    id: 'OrdersKey6C690DD2',
    // AWS makes no key of one region into one of several: a replica elsewhere would need a table with another key.
    Properties: { EnableKeyRotation: true, MultiRegion: true },
    DeletionPolicy: policy,
    UpdateReplacePolicy: policy,
  });
  expect(replicaOf(name)).toMatchObject({
    SSESpecification: { KMSMasterKeyId: { 'Fn::GetAtt': ['OrdersKey6C690DD2', 'Arn'] } },
  });
});

test('the local environment leaves the key to DynamoDB', () => {
  expect(keysOf(names.local, false)).toEqual([]);
});

test.each(Object.values(names))('%s signs with a key of P-256 that outlives it', (name) => {
  const [key, ...others] = keysOf(name, true);
  expect(others).toEqual([]);
  expect(key).toMatchObject({
    Properties: { KeySpec: 'ECC_NIST_P256', MultiRegion: true },
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
  });
});

test.each([
  ['local', 'GOVERNANCE', 1],
  ['dev', 'GOVERNANCE', 1],
  ['hml', 'GOVERNANCE', 1],
  ['prod', 'COMPLIANCE', 3650],
] as const)('%s locks each root, and the bucket of roots outlives it', (name, Mode, Days) => {
  expect(only(stack(names[name]), 'AWS::S3::Bucket')).toMatchObject({
    Properties: {
      ObjectLockEnabled: true,
      ObjectLockConfiguration: { ObjectLockEnabled: 'Enabled', Rule: { DefaultRetention: { Mode, Days } } },
      VersioningConfiguration: { Status: 'Enabled' },
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, BlockPublicPolicy: true },
    },
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
  });
});

test.each(['dev', 'hml', 'prod'] as const)('the table of %s has the tags that split the bill', (name) => {
  expect(replicaOf(name)['Tags']).toEqual([
    { Key: 'service', Value: 'banking-order' },
    { Key: 'environment', Value: name },
  ]);
});

test.each(['dev', 'hml', 'prod'] as const)('the table of %s has a limit of read and write units', (name) => {
  expect(tableOf(name).Properties['WriteOnDemandThroughputSettings'].MaxWriteRequestUnits).toBeGreaterThan(0);
  expect(replicaOf(name)['ReadOnDemandThroughputSettings'].MaxReadRequestUnits).toBeGreaterThan(0);
});

test.each(['dev', 'hml', 'prod'] as const)('every index of the table of %s has the limit of the table', (name) => {
  const { GlobalSecondaryIndexes: indexes, WriteOnDemandThroughputSettings: writes } = tableOf(name).Properties;
  const { GlobalSecondaryIndexes: replicated, ReadOnDemandThroughputSettings: reads } = replicaOf(name);
  const names = (indexes as Properties[]).map(({ IndexName }) => IndexName as string);
  expect(names).toEqual((replicated as Properties[]).map(({ IndexName }) => IndexName as string));
  expect(names.length).toBeGreaterThan(1);
  for (const index of indexes as Properties[]) expect(index['WriteOnDemandThroughputSettings']).toEqual(writes);
  for (const index of replicated as Properties[]) expect(index['ReadOnDemandThroughputSettings']).toEqual(reads);
});

test.each(['dev', 'hml', 'prod'] as const)('the table of %s reports its throttled keys', (name) => {
  expect(replicaOf(name)).toMatchObject({
    ContributorInsightsSpecification: { Enabled: true, Mode: 'THROTTLED_KEYS' },
  });
});

test('the stacks are bound to Sao Paulo, but for the local one, which fits any emulator', () => {
  expect(replicaOf('prod')['Region']).toBe('sa-east-1');
  expect(replicaOf('local')['Region']).toEqual({ Ref: 'AWS::Region' });
});

test('the name of the table is an output: the operator command asks for it', () => {
  expect(stack('Prod-Data').outputs['TableName']).toMatchObject({ Value: { Ref: 'OrdersTable1F8332C7' } });
});
