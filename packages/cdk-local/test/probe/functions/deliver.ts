import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { note } from './notes.ts';

let running = 0;

/**
 * Notes each receive and how many batches were in work then. The body's `mode` says how to fail: `kill` kills the
 * process at the first receive.
 */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  const failures = [];
  running += 1;
  for (const record of event.Records) {
    const { id, mode } = JSON.parse(record.body) as { id: string; mode: string };
    if (mode === 'kill' && record.attributes.ApproximateReceiveCount === '1') process.kill(process.pid, 'SIGKILL');
    await note(`queue#${id}#${record.attributes.ApproximateReceiveCount}`, { record, running });
    if (mode === 'throw') {
      running -= 1;
      throw new Error(`thrown for ${id}`);
    }
    if (mode === 'slow') await new Promise((done) => setTimeout(done, 150));
    if (mode === 'fail') failures.push({ itemIdentifier: record.messageId });
  }
  running -= 1;
  return { batchItemFailures: failures };
}
