import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { newsDependencies } from '#functions/banks.ts';
import type { NewsDependencies } from '#shared/news/context.ts';
import { workCallbacks } from '#shared/news/work-callbacks.ts';

let deps: NewsDependencies | undefined;

/** Queue of callbacks → the bank, and what it says moves. What the bank does not say now comes again. */
export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const kept = await workCallbacks(Records, (deps ??= newsDependencies()));
  return { batchItemFailures: kept.map((itemIdentifier) => ({ itemIdentifier })) };
}
