import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { bankEventDependencies } from '#functions/banks.ts';
import { checkTruststore } from '#shared/bank-events/truststore.ts';
import { beginReadings, beginsReadings, isDailyRun, workListJob } from '#shared/bank-events/work-lists.ts';
import { env } from '#shared/platform/env.ts';
import type { DueWork } from '#shared/platform/jobs/due.ts';
import { dueWorker, sendDue } from '#shared/platform/jobs/due-worker.ts';
import { truststoreWarnings } from './truststore-warnings.ts';

const DailyEvent = z.object({ daily: z.literal(true) });
const send = (jobs: readonly DueWork[]): Promise<void> => sendDue('BANK_LISTS', jobs);

/**
 * Begins the readings of the hour, and does their jobs. The event `{ "daily": true }` begins the daily readings at any
 * hour.
 */
export const handler = dueWorker('read-bank-lists', {
  family: 'BANK_LISTS',
  doJob: (run, job) => workListJob(run, { ...bankEventDependencies(), send }, job),
  alsoDo: async (run, _sent, event) => {
    const isAskedFor = DailyEvent.safeParse(event).success;
    if (!isAskedFor && !beginsReadings(run.now())) return {};
    const failed = await beginReadings(run, send, isAskedFor ? 'DAILY' : undefined);
    const host = env('CALLBACK_HOST');
    if ((isAskedFor || isDailyRun(run.now())) && host !== 'none')
      await checkTruststore(() => truststoreWarnings(host, new DynamoDBClient({}).config));
    if (failed > 0) throw new Error(`Cannot begin the readings of ${failed} companies.`);
    return {};
  },
});
