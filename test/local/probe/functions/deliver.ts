import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { note } from './notes.ts';

/** Notes each receive; the body's `mode` says how to fail. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  const failures = [];
  for (const record of event.Records) {
    const { id, mode } = JSON.parse(record.body) as { id: string; mode: string };
    await note(`queue#${id}#${record.attributes.ApproximateReceiveCount}`, record);
    if (mode === 'throw') throw new Error(`thrown for ${id}`);
    if (mode === 'slow') await new Promise((done) => setTimeout(done, 150));
    if (mode === 'fail') failures.push({ itemIdentifier: record.messageId });
  }
  return { batchItemFailures: failures };
}
