import type { DynamoDBBatchItemFailure, DynamoDBStreamEvent } from 'aws-lambda';
import { note, seen } from './notes.ts';

/** Notes what it gets from the stream; the item's `mode` says how to fail. */
export async function handler(event: DynamoDBStreamEvent): Promise<{ batchItemFailures: DynamoDBBatchItemFailure[] }> {
  const failures: DynamoDBBatchItemFailure[] = [];
  for (const record of event.Records) {
    const image = record.dynamodb?.NewImage;
    const id = image?.['PK']?.S ?? '';
    const mode = image?.['mode']?.S;
    if (mode === 'poison') throw new Error(`poison ${id}`);
    if (mode === 'once' && !(await seen(`once#${id}`))) {
      await note(`once#${id}`, {});
      failures.push({ itemIdentifier: record.dynamodb?.SequenceNumber ?? '' });
      break;
    }
    await note(`stream#${id}`, { record, process: process.pid });
  }
  return { batchItemFailures: failures };
}
