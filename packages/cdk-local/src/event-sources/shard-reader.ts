import type { DynamoDBStreamsClient, Shard, _Record } from '@aws-sdk/client-dynamodb-streams';
import { DescribeStreamCommand, GetRecordsCommand, GetShardIteratorCommand } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { region } from '../template/local-values.ts';

/** A record as a function gets it, with its place in the shard. */
export type StreamRecord = {
  readonly sequence: string;
  readonly createdAt: Date;
  readonly event: DynamoDBRecord;
};

/** Converts the engine's record to Lambda's: binary values in base64, time in epoch seconds, the template's ARN. */
function toStreamRecord(record: _Record, streamArn: string): StreamRecord {
  const { ApproximateCreationDateTime: at, ...rest } = record.dynamodb ?? {};
  const createdAt = at ?? new Date();
  const dynamodb = base64(rest) as NonNullable<DynamoDBRecord['dynamodb']>;
  return {
    sequence: record.dynamodb?.SequenceNumber ?? '',
    createdAt,
    event: {
      eventID: record.eventID ?? '',
      eventName: record.eventName ?? 'MODIFY',
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: region,
      dynamodb: { ...dynamodb, ApproximateCreationDateTime: Math.floor(createdAt.getTime() / 1000) },
      eventSourceARN: streamArn,
      ...(record.userIdentity && { userIdentity: record.userIdentity }),
    },
  };
}

function base64(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(base64);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, base64(item)]));
}

/** Maximum number of records of one read. */
export const pageSize = 1000;

/** All shards of a stream: a local engine has few. @throws Error for more than one page. */
export async function listShards(client: DynamoDBStreamsClient, streamArn: string): Promise<readonly Shard[]> {
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn: streamArn }));
  if (StreamDescription?.LastEvaluatedShardId !== undefined) throw new Error('The stream has too many shards.');
  return StreamDescription?.Shards ?? [];
}

/**
 * Reads a shard from a position. An iterator expires after 15 minutes or when the engine restarts. Then a new iterator
 * starts after the last record read; if that record was deleted, it starts at the oldest record.
 *
 * @param stream.eventArn The ARN that functions get.
 * @param after Sequence number of the last processed record; without one the oldest record comes first.
 */
export function readShard(
  client: DynamoDBStreamsClient,
  stream: { readonly arn: string; readonly eventArn: string },
  ShardId: string,
  after?: string,
) {
  let last = after;
  let iterator: string | undefined;
  const open = async (): Promise<string | undefined> => {
    const at =
      last === undefined
        ? { ShardIteratorType: 'TRIM_HORIZON' as const }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const, SequenceNumber: last };
    return (await client.send(new GetShardIteratorCommand({ StreamArn: stream.arn, ShardId, ...at }))).ShardIterator;
  };
  return {
    /** The next records, possibly none; undefined once the shard is closed and read to its end. */
    read: async (): Promise<readonly StreamRecord[] | undefined> => {
      try {
        iterator ??= await open();
        const page = await client.send(new GetRecordsCommand({ ShardIterator: iterator, Limit: pageSize }));
        const records = (page.Records ?? []).map((record) => toStreamRecord(record, stream.eventArn));
        last = records.at(-1)?.sequence ?? last;
        iterator = page.NextShardIterator;
        return iterator === undefined && records.length === 0 ? undefined : records;
      } catch (error) {
        iterator = undefined;
        if (error instanceof Error && error.name === 'TrimmedDataAccessException') last = undefined;
        throw error;
      }
    },
  };
}
