import { environments } from '#infra/environments.ts';
import { expect, test } from 'vitest';
import { compileFilters } from '@banking-order/cdk-local';
import { keys } from '#shared/platform/table/keys.ts';
import type { Key } from '#shared/platform/table/store.ts';
import type { Resource } from './synthesized.ts';
import { all, functionNamed, functionsOf, named, synthesize } from './synthesized.ts';
import { each } from '../support/each.ts';

const stacks = synthesize({ environments: ['prod'] });
const service = stacks('Prod-Service');
const data = stacks('Prod-Data');
const sources = all(service, 'AWS::Lambda::EventSourceMapping');
const sourceOf = (prefix: string): Resource =>
  sources.find(({ Properties }) => JSON.stringify(Properties['FunctionName']).includes(`"${prefix}Function`))!;
const queue = (prefix: string) => named(data, 'AWS::SQS::Queue', prefix);
/** As the stack of the service knows it. */
const exported = (prefix: string) => ({ 'Fn::ImportValue': expect.stringContaining(queue(prefix).id) as string });

test('the fifth failed receive moves a message to the dead-letter queue, where it stays for 14 days', () => {
  expect(queue('QueuesDeliveries').Properties['RedrivePolicy']).toEqual({
    deadLetterTargetArn: { 'Fn::GetAtt': [queue('QueuesDeadLetters').id, 'Arn'] },
    maxReceiveCount: 5,
  });
  expect(queue('QueuesDeadLetters').Properties['MessageRetentionPeriod']).toBe(14 * 86_400);
});

test('a message outlives all its attempts, and is invisible six times as long as the notifier may run', () => {
  const { MessageRetentionPeriod, VisibilityTimeout } = queue('QueuesDeliveries').Properties;
  expect(MessageRetentionPeriod).toBeGreaterThan(60 + 300 + 900 + 1800);
  const { Timeout } = functionNamed(service, 'DeliverNotification').properties;
  expect(Timeout).toBe(15);
  expect(VisibilityTimeout).toBeGreaterThanOrEqual(6 * (Timeout as number));
});

test('every queue with a reader hides a message for at least six times the timeout of its function', () => {
  const queues = [data, service].flatMap((stack) => all(stack, 'AWS::SQS::Queue'));
  const read = sources.flatMap(({ Properties }) => {
    const [arn = '', reader = ''] = [Properties['EventSourceArn'], Properties['FunctionName']].map((one) =>
      JSON.stringify(one),
    );
    const name = /([A-Za-z]+)Function(?:Live)?[0-9A-F]{8}/u.exec(reader)?.[1] ?? '';
    return queues
      .filter(({ id }) => arn.includes(id))
      .map(({ Properties: { VisibilityTimeout } }) => {
        const { Timeout } = functionNamed(service, name).properties;
        return [name, VisibilityTimeout as number, 6 * (Timeout as number)] as const;
      });
  });
  // Notifier, drainer, both lanes of callbacks, and eight families of due jobs.
  expect(read).toHaveLength(12);
  for (const [name, seconds, least] of each(read)) expect(seconds, name).toBeGreaterThanOrEqual(least);
});

test('the queues have names that the service stack does not use, now or in an earlier release', () => {
  const namesIn = (stack: typeof data) =>
    all(stack, 'AWS::SQS::Queue').map(({ Properties }) => Properties['QueueName'] as string);
  const before = ['deliveries', 'drains', 'dead-letters', 'relay-failures'].map((name) => `banking-order-prod-${name}`);
  // The table's stack is deployed first: while the service still has its queues.
  expect(namesIn(data).filter((name) => [...namesIn(service), ...before].includes(name))).toEqual([]);
  expect(namesIn(data)).toHaveLength(15);
});

test('every queue is encrypted and refuses requests without TLS', () => {
  const findResources = (type: string) => [data, service].flatMap((stack) => all(stack, type));
  const queues = findResources('AWS::SQS::Queue');
  expect(queues).toHaveLength(16);
  for (const { id, Properties } of queues) {
    expect(Properties['SqsManagedSseEnabled'], id).toBe(true);
    const policy = findResources('AWS::SQS::QueuePolicy').find((one) =>
      JSON.stringify(one.Properties['Queues']).includes(id),
    );
    expect(policy?.Properties['PolicyDocument'].Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Deny',
        Action: 'sqs:*',
        Principal: { AWS: '*' },
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    );
  }
});

test('the relay is called with inserts of deliveries, dispatches, drains and codes, and with no other record', () => {
  const { FilterCriteria } = sourceOf('RelayDeliveries').Properties;
  const patterns = (FilterCriteria.Filters as { Pattern: string }[]).map(({ Pattern }) => Pattern);
  expect(patterns.map((pattern) => JSON.parse(pattern) as unknown)).toEqual([
    {
      eventName: ['INSERT'],
      dynamodb: { Keys: { SK: { S: ['DLV', { prefix: 'DISPATCH#' }, { prefix: 'DRAIN#' }, { prefix: 'CODE#' }] } } },
    },
  ]);
  const accepts = compileFilters(patterns);
  const record = ({ PK, SK }: Key, eventName = 'INSERT') => ({
    eventName,
    dynamodb: { Keys: { PK: { S: PK }, SK: { S: SK } } },
  });
  const at = '2026-03-02T12:00:00.000Z';
  const deliveries = [keys.delivery('c', 'd'), keys.deliveryDispatch('c', 'd', 2, at), keys.drain('c', 1, at)];
  const inserted = [...deliveries, keys.keyCode('c', 'a', 'v', 1)];
  for (const key of inserted) {
    expect(accepts(record(key)), key.SK).toBe(true);
    expect(accepts(record(key, 'MODIFY')), key.SK).toBe(false);
  }
  const others = [keys.keyValidation('c', 'a', 'v'), keys.codeSecret('c'), keys.order('c', 'o')];
  for (const key of [...others, keys.deliveryBody('c', 'd'), keys.webhookSecret('c')])
    expect(accepts(record(key)), key.SK).toBe(false);
});

test('the stream is read from its beginning, in batches that are halved on failure and given up before the stream forgets', () => {
  expect(sourceOf('RelayDeliveries').Properties).toMatchObject({
    EventSourceArn: { 'Fn::ImportValue': expect.stringContaining('StreamArn') },
    StartingPosition: 'TRIM_HORIZON',
    BatchSize: 100,
    MaximumBatchingWindowInSeconds: 0,
    ParallelizationFactor: 4,
    MaximumRetryAttempts: 10,
    MaximumRecordAgeInSeconds: 23 * 3600,
    BisectBatchOnFunctionError: true,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    DestinationConfig: { OnFailure: { Destination: exported('QueuesRelayFailures') } },
  });
});

test('the notifier takes five messages at a time, at most 50 times at once, and returns what failed', () => {
  expect(sourceOf('DeliverNotification').Properties).toMatchObject({
    EventSourceArn: exported('QueuesDeliveries'),
    BatchSize: 5,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ScalingConfig: { MaximumConcurrency: 50 },
  });
  expect(sources).toHaveLength(14);
});

test('the drainer takes one company at a time, and an endpoint gets a fifth of all concurrent calls', () => {
  const { maxConcurrency, maxDrains, callsAtOnce } = environments.prod.deliveries;
  expect(sourceOf('DrainBacklogs').Properties).toMatchObject({
    EventSourceArn: exported('QueuesDrains'),
    BatchSize: 1,
    ScalingConfig: { MaximumConcurrency: maxDrains },
  });
  const calls = maxConcurrency * (sourceOf('DeliverNotification').Properties['BatchSize'] as number);
  expect(callsAtOnce).toEqual({ perEndpoint: calls / 5, perCompany: (2 * calls) / 5 });
});

test('a function reserves at least what its queues start: throttled receives would count, and the relay reserves none', () => {
  const startedFor = (name: string): number =>
    sources
      .filter(({ Properties }) => JSON.stringify(Properties['FunctionName']).includes(`"${name}Function`))
      .reduce((sum, { Properties }) => sum + Number(Properties['ScalingConfig']?.MaximumConcurrency ?? Infinity), 0);
  const reserved = functionsOf(service).flatMap(({ name, properties }) => {
    const count: unknown = properties['ReservedConcurrentExecutions'];
    return typeof count === 'number' ? [{ name, count }] : [];
  });
  expect(reserved.map(({ name }) => name)).toContain('DeliverNotification');
  for (const { name, count } of each(reserved)) expect(count, name).toBeGreaterThanOrEqual(startedFor(name));
});
