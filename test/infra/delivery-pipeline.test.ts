import { expect, test } from 'vitest';
import { relayedEntities } from '../../shared/persistence/delivery-items.ts';
import { workers } from '../../infra/workers.ts';
import { all, functionNamed, functionsOf, named, synthesize, type Resource } from './synthesized.ts';

const service = synthesize({ environments: ['prod'] })('Prod-Service');
const sources = all(service, 'AWS::Lambda::EventSourceMapping');
const sourceOf = (prefix: string): Resource =>
  sources.find(({ Properties }) => (Properties['FunctionName'].Ref as string).startsWith(prefix))!;
const queue = (prefix: string) => named(service, 'AWS::SQS::Queue', prefix);

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
  expect(Timeout).toBe(workers['deliver-notification'].timeoutSeconds);
  expect(VisibilityTimeout).toBeGreaterThanOrEqual(6 * (Timeout as number));
});

test('every queue is encrypted and refuses what does not come by TLS', () => {
  const queues = all(service, 'AWS::SQS::Queue');
  expect(queues).toHaveLength(4);
  for (const { id, Properties } of queues) {
    expect(Properties['SqsManagedSseEnabled'], id).toBe(true);
    const policy = all(service, 'AWS::SQS::QueuePolicy').find((one) =>
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

test('the relay is called with new deliveries and new sendings, and with nothing else', () => {
  const { FilterCriteria } = sourceOf('RelayDeliveries').Properties;
  expect(
    (FilterCriteria.Filters as { Pattern: string }[]).map(({ Pattern }) => JSON.parse(Pattern) as unknown),
  ).toEqual([{ eventName: ['INSERT'], dynamodb: { NewImage: { entity: { S: ['DELIVERY', 'DELIVERY_SENDING'] } } } }]);
  expect(relayedEntities).toEqual(['DELIVERY', 'DELIVERY_SENDING']);
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
    DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [queue('QueuesRelayFailures').id, 'Arn'] } } },
  });
});

test('the notifier takes one message at a time, at most 50 at once, and returns what failed', () => {
  expect(sourceOf('DeliverNotification').Properties).toMatchObject({
    EventSourceArn: { 'Fn::GetAtt': [queue('QueuesDeliveries').id, 'Arn'] },
    BatchSize: 1,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ScalingConfig: { MaximumConcurrency: 50 },
  });
  expect(sources).toHaveLength(2);
});

test('no function reserves concurrency: throttled polls would count as receives', () => {
  for (const { name, properties } of functionsOf(service)) {
    expect(properties['ReservedConcurrentExecutions'], name).toBeUndefined();
  }
});
