import type { SQSClient } from '@aws-sdk/client-sqs';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { LocalTable } from '../engines/dynamodb-table.ts';
import type { LocalQueue } from '../engines/sqs-queues.ts';
import type { FunctionDefinition } from '../functions/function-definitions.ts';
import { LocalStartError } from '../template/local-template.ts';
import { functionNameOf, queueNameOf, tableNameOf } from '../template/local-values.ts';
import type { ReadResources, Resource } from '../template/resources.ts';
import { compileFilters } from './filter-pattern.ts';
import type { Loop } from './loop.ts';
import type { QueueDependencies } from './queue-source.ts';
import { startQueueSource } from './queue-source.ts';
import type { StreamDependencies, StreamReading, StreamSource } from './stream-source.ts';
import { startStreamSource } from './stream-source.ts';

const limit = z
  .number()
  .int()
  .transform((value) => (value < 0 ? Infinity : value))
  .default(Infinity);

/** Any property of a mapping may decide how failures end, so an unknown one is an error. */
const mappingShape = z.strictObject({
  EventSourceArn: z.string(),
  FunctionName: z.string(),
  Enabled: z.literal(true).default(true),
  BatchSize: z.number().int().optional(),
  MaximumBatchingWindowInSeconds: z.literal(0).default(0),
  FilterCriteria: z.object({ Filters: z.array(z.object({ Pattern: z.string() })) }).optional(),
  FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).default([]),
  StartingPosition: z.literal('TRIM_HORIZON').optional(),
  BisectBatchOnFunctionError: z.boolean().default(false),
  MaximumRetryAttempts: limit,
  MaximumRecordAgeInSeconds: limit,
  DestinationConfig: z.object({ OnFailure: z.object({ Destination: z.string() }) }).optional(),
  ScalingConfig: z.object({ MaximumConcurrency: z.number().int() }).optional(),
  // Ignored, because it changes only the speed: each shard has one batch at a time, which keeps a stream's order.
  ParallelizationFactor: z.number().optional(),
  MetricsConfig: z.unknown().optional(),
  Tags: z.unknown().optional(),
});

type Mapping = Resource<z.infer<typeof mappingShape>>;

/** Lambda begins with five batches at a time where the mapping sets no maximum. */
const usualConcurrency = 5;

type EventSourceDependencies = StreamDependencies &
  QueueDependencies & { readonly sqs: SQSClient; readonly table: LocalTable; readonly queues: readonly LocalQueue[] };

type SourceLoop = Loop & { readonly reads?: StreamReading };

/**
 * Reads the template's event source mappings; `start` sets them going.
 *
 * @throws LocalStartError for a source, a property or a filter that the local environment does not run.
 */
export function readEventSources(
  read: ReadResources,
  use: EventSourceDependencies,
): readonly { readonly start: () => SourceLoop }[] {
  return read('AWS::Lambda::EventSourceMapping', mappingShape).map((resource) => readEventSource(resource, use));
}

function readEventSource(resource: Mapping, use: EventSourceDependencies): { readonly start: () => SourceLoop } {
  const mapping = resource.properties;
  const common = {
    id: resource.id,
    target: use.runtime.find(functionNameOf(mapping.FunctionName) ?? mapping.FunctionName),
  };
  const reportsItemFailures = mapping.FunctionResponseTypes.includes('ReportBatchItemFailures');
  const queueName = queueNameOf(mapping.EventSourceArn);
  if (queueName !== undefined) {
    if (mapping.FilterCriteria !== undefined)
      throw new LocalStartError(`${resource.title} filters a queue, which the local environment does not support.`);
    const queue = find(resource, use.queues, queueName);
    const source = {
      ...common,
      queue: { ...queue, arn: mapping.EventSourceArn },
      batchSize: mapping.BatchSize ?? 10,
      reportsItemFailures,
      maximumConcurrency: mapping.ScalingConfig?.MaximumConcurrency ?? usualConcurrency,
    };
    return { start: () => startQueueSource(source, use) };
  }
  const { streamArn } = find(resource, [use.table], tableNameOf(mapping.EventSourceArn) ?? mapping.EventSourceArn);
  const source: StreamSource = {
    ...common,
    accepts: compileFilters((mapping.FilterCriteria?.Filters ?? []).map(({ Pattern }) => Pattern)),
    stream: { arn: streamArn, eventArn: mapping.EventSourceArn },
    batchSize: mapping.BatchSize ?? 100,
    policy: {
      reportsItemFailures,
      bisects: mapping.BisectBatchOnFunctionError,
      maximumRetries: mapping.MaximumRetryAttempts,
      maximumAgeSeconds: mapping.MaximumRecordAgeInSeconds,
    },
    reportDiscarded: discardReporter(resource, common.target, use),
  };
  return { start: () => startStreamSource(source, use) };
}

/** Returns the sequence number that all readers of the stream have passed; undefined if one of them is unknown. */
export function passedByAll(sources: readonly SourceLoop[]): bigint | undefined {
  const positions = sources.flatMap(({ reads }) => (reads === undefined ? [] : [reads.passed()]));
  return positions.reduce(
    (low, position) => (low === undefined || position === undefined ? undefined : position < low ? position : low),
    positions[0],
  );
}

/**
 * Returns the function that reports discarded records ("Retaining records for discarded batches"). The queue gets the
 * position of the records in the stream, not the records.
 */
function discardReporter(
  resource: Mapping,
  target: FunctionDefinition,
  use: EventSourceDependencies,
): StreamSource['reportDiscarded'] {
  const { EventSourceArn: streamArn, DestinationConfig } = resource.properties;
  const destination = DestinationConfig?.OnFailure.Destination;
  if (destination === undefined) return undefined;
  const { url: QueueUrl } = find(resource, use.queues, queueNameOf(destination) ?? destination);
  return async ({ reason, invocations, shardId, records }) => {
    const [first, last] = [records[0], records.at(-1)];
    const message = {
      requestContext: { functionArn: target.arn, condition: reason, approximateInvokeCount: invocations },
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
      version: '1.0',
      timestamp: new Date().toISOString(),
      DDBStreamBatchInfo: {
        shardId,
        startSequenceNumber: first?.sequence,
        endSequenceNumber: last?.sequence,
        approximateArrivalOfFirstRecord: first?.createdAt.toISOString(),
        approximateArrivalOfLastRecord: last?.createdAt.toISOString(),
        batchSize: records.length,
        streamArn,
      },
    };
    await use.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(message) }));
  };
}

function find<T extends { readonly name: string }>({ title }: Mapping, all: readonly T[], name: string): T {
  const found = all.find((candidate) => candidate.name === name);
  if (found === undefined) throw new LocalStartError(`${title} names ${name}, which the template does not have.`);
  return found;
}
