import * as z from 'zod';
import { newsDependencies } from '#functions/banks.ts';
import { workLists } from '#shared/news/work-lists.ts';
import { dueWorker } from '#shared/platform/jobs/due-worker.ts';

const DailyEvent = z.object({ daily: z.literal(true) });

/** Runs every hour. The event `{ "daily": true }` reads days and compares balances, whatever the hour. */
export const handler = dueWorker('read-bank-lists', async (run, event) => {
  const isDaily = DailyEvent.safeParse(event).success ? true : undefined;
  return { ...(await workLists(run, newsDependencies(), isDaily)), due: {} };
});
