import type { _Record } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';

/** A record as a function gets it, with its place in the shard. */
export type StreamRecord = {
  readonly sequence: string;
  readonly createdAt: Date;
  readonly event: DynamoDBRecord;
};

/**
 * Turns the engine's record into that of Lambda's event: binary values in base64, the time in epoch seconds, the
 * template's ARN.
 */
export function toStreamRecord(record: _Record, streamArn: string, region: string): StreamRecord {
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
