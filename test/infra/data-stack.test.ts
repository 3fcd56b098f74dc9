import { describe, expect, test } from 'vitest';
import type { EnvironmentName } from '../../infra/settings.ts';
import { all, only, synthesize, type Properties } from './synthesized.ts';

const stack = synthesize();
const names = { local: 'Local-Data', dev: 'Dev-Data', hml: 'Hml-Data', prod: 'Prod-Data' } as const;
const tableOf = (name: EnvironmentName) => only(stack(names[name]), 'AWS::DynamoDB::GlobalTable');
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

  test('lists by GSI1 with whole items and finds due work by GSI2 with keys alone', () => {
    expect(table.Properties['GlobalSecondaryIndexes']).toEqual([
      {
        IndexName: 'GSI1',
        KeySchema: [
          { AttributeName: 'GSI1PK', KeyType: 'HASH' },
          { AttributeName: 'GSI1SK', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
      {
        IndexName: 'GSI2',
        KeySchema: [
          { AttributeName: 'GSI2PK', KeyType: 'HASH' },
          { AttributeName: 'GSI2SK', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ]);
  });

  test('streams new images and forgets items at expiresAt', () => {
    expect(table.Properties['StreamSpecification']).toEqual({ StreamViewType: 'NEW_IMAGE' });
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

test.each(['local', 'dev'] as const)('%s can be thrown away', (name) => {
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

test.each(['hml', 'prod'] as const)('%s encrypts with a key of the account that is rotated and kept', (name) => {
  const key = only(stack(names[name]), 'AWS::KMS::Key');
  expect(key).toMatchObject({
    id: 'OrdersKey6C690DD2',
    Properties: { EnableKeyRotation: true },
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
  });
  expect(replicaOf(name)).toMatchObject({
    SSESpecification: { KMSMasterKeyId: { 'Fn::GetAtt': [key.id, 'Arn'] } },
  });
});

test.each(['local', 'dev'] as const)('%s leaves the key to DynamoDB', (name) => {
  expect(all(stack(names[name]), 'AWS::KMS::Key')).toEqual([]);
});

test.each(['dev', 'hml', 'prod'] as const)('a runaway of %s has a bound', (name) => {
  expect(tableOf(name).Properties['WriteOnDemandThroughputSettings'].MaxWriteRequestUnits).toBeGreaterThan(0);
  expect(replicaOf(name)['ReadOnDemandThroughputSettings'].MaxReadRequestUnits).toBeGreaterThan(0);
});

test.each(['dev', 'hml', 'prod'] as const)('a hot key of %s can be found', (name) => {
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
