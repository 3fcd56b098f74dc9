import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import type { DataSettings } from '#infra/settings.ts';
import type { Properties } from './synthesized.ts';
import { all, only, synthesize } from './synthesized.ts';
import { each } from '../support/each.ts';
import { metricsOf } from './played-minutes.ts';

/* Settings that change what AWS bills and not what the service does. */

const tableWith = (data: Partial<DataSettings>): Properties => {
  const prod = { ...environments.prod, data: { ...environments.prod.data, ...data } };
  return only(synthesize({ environments: ['prod'], settings: { prod } })('Prod-Data'), 'AWS::DynamoDB::GlobalTable')
    .Properties;
};
const partsOf = (table: Properties): readonly Properties[] => [
  table,
  ...(table['GlobalSecondaryIndexes'] as Properties[]),
];
const replicasOf = (table: Properties): readonly Properties[] => {
  const [replica] = table['Replicas'] as [Properties];
  return [replica, ...(replica['GlobalSecondaryIndexes'] as Properties[])];
};

describe('provisioned capacity', () => {
  const provisioned = { minReadUnits: 50, minWriteUnits: 100, utilization: 70 };
  const table = tableWith({ provisioned });

  test('scales the table and each index between the minimum and the maximum of the settings', () => {
    expect(table['BillingMode']).toBe('PROVISIONED');
    const { maxReadUnits, maxWriteUnits } = environments.prod.data;
    expect(partsOf(table)).toHaveLength(4);
    for (const part of partsOf(table)) {
      expect(part['WriteProvisionedThroughputSettings'].WriteCapacityAutoScalingSettings).toMatchObject({
        MinCapacity: 100,
        MaxCapacity: maxWriteUnits,
        TargetTrackingScalingPolicyConfiguration: { TargetValue: 70 },
      });
      expect(part['WriteOnDemandThroughputSettings']).toBeUndefined();
    }
    expect(replicasOf(table)).toHaveLength(4);
    for (const part of replicasOf(table))
      expect(part['ReadProvisionedThroughputSettings'].ReadCapacityAutoScalingSettings).toMatchObject({
        MinCapacity: 50,
        MaxCapacity: maxReadUnits,
        TargetTrackingScalingPolicyConfiguration: { TargetValue: 70 },
      });
  });

  test('keeps the table: its keys, indexes, stream and id are those of the table on demand', () => {
    for (const name of ['KeySchema', 'AttributeDefinitions', 'StreamSpecification', 'TimeToLiveSpecification'])
      expect(table[name], name).toEqual(tableWith({})[name]);
  });

  test('is refused when the settings have no maximum', () => {
    const { maxReadUnits: _reads, ...unbounded } = environments.prod.data;
    const prod = { ...environments.prod, data: { ...unbounded, provisioned } };
    expect(() => synthesize({ environments: ['prod'], settings: { prod } })).toThrow('needs data.maxReadUnits');
  });
});

test('warm throughput is set on the table and each index when the settings have it', () => {
  for (const part of each(partsOf(tableWith({ warmThroughput: { readUnits: 20_000, writeUnits: 8_000 } }))))
    expect(part['WarmThroughput']).toEqual({ ReadUnitsPerSecond: 20_000, WriteUnitsPerSecond: 8_000 });
  for (const part of each(partsOf(tableWith({})))) expect(part['WarmThroughput']).toBeUndefined();
});

describe('traces', () => {
  const rulesOf = (name: string) => all(synthesize()(name), 'AWS::XRay::SamplingRule');

  test.each(['hml', 'prod'] as const)('are a fixed share of the requests in %s, with no reservoir', (name) => {
    const stack = `${name === 'hml' ? 'Hml' : 'Prod'}-Service`;
    const [rule] = rulesOf(stack);
    expect(rule?.Properties['SamplingRule']).toMatchObject({
      ServiceType: 'AWS::ApiGateway::Stage',
      ServiceName: `banking-order-${name}/${name}`,
      ReservoirSize: 0,
      FixedRate: name === 'hml' ? 0.1 : 0.05,
    });
    const stage = only(synthesize()(stack), 'AWS::ApiGateway::Stage').Properties;
    expect(stage).toMatchObject({ StageName: name, TracingEnabled: true });
  });

  test('follow the default rule of X-Ray in the local and dev environments', () => {
    for (const stack of ['Local-Service', 'Dev-Service']) expect(rulesOf(stack)).toEqual([]);
  });
});

test('docs/price.md has the price of the alarms, of their metrics and of the dashboard', () => {
  const prod = {
    ...environments.prod,
    alarms: { ...environments.prod.alarms, email: 'on-call@example.com' },
    caller: { secretArn: 'arn:aws:secretsmanager:sa-east-1:111111111111:secret:caller-a1b2c3' },
  };
  const stacks = synthesize({ environments: ['prod'], settings: { prod } });
  const of = (type: string) => ['Prod-Monitoring', 'Prod-Service'].flatMap((name) => all(stacks(name), type));
  const watched = of('AWS::CloudWatch::Alarm').flatMap(({ Properties }) => metricsOf(Properties));
  // Those of a request and of its notification are in the price of a payout.
  const ofPayouts = ['Requests', 'RequestDuration', 'DeliveryLatency'];
  const own = watched.filter(
    ({ Namespace, MetricName }) => Namespace === 'BankingOrderService/prod' && !ofPayouts.includes(MetricName),
  );
  const price =
    0.1 * watched.length +
    0.5 * of('AWS::CloudWatch::CompositeAlarm').length +
    3 * of('AWS::CloudWatch::Dashboard').length +
    0.3 * new Set(own.map(({ MetricName, Dimensions }) => JSON.stringify([MetricName, Dimensions]))).size;
  const page = readFileSync(new URL('../../docs/price.md', import.meta.url), 'utf8');
  expect(page).toContain(`| alarms, dashboard, metrics of alarms | ${price.toFixed(2)} | ${price.toFixed(2)} |`);
});
