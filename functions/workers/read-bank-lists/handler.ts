import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { bankEventDependencies } from '#functions/banks.ts';
import { checkTruststore } from '#shared/bank-events/truststore.ts';
import { isDailyRun, workLists } from '#shared/bank-events/work-lists.ts';
import { env } from '#shared/platform/env.ts';
import { scheduledWorker } from '#shared/platform/jobs/scheduled-worker.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import { truststoreWarnings } from './truststore-warnings.ts';

const DailyEvent = z.object({ daily: z.literal(true) });

/** Runs every hour. The event `{ "daily": true }` reads days instead of hours and compares balances, at any hour. */
export const handler = scheduledWorker('read-bank-lists', async (run, event) => {
  const isAskedFor = DailyEvent.safeParse(event).success;
  const host = env('CALLBACK_HOST');
  const isUnread = (isAskedFor || isDailyRun(run.now())) && host !== 'none' && !(await isTruststoreRead(host));
  const { counts, failed, pending } = await workLists(run, bankEventDependencies(), isAskedFor ? 'DAILY' : 'AS_OWED');
  return { counts, failed: failed + (isUnread ? 1 : 0), pending };
});

async function isTruststoreRead(host: string): Promise<boolean> {
  try {
    await checkTruststore(() => truststoreWarnings(host, new DynamoDBClient({}).config));
    return true;
  } catch (error) {
    log('error', 'Cannot read the truststore warnings of the callback domain', errorFields(error));
    return false;
  }
}
