import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { issues } from '#shared/domain/refusal.ts';

const Answer = z.object({
  error: z.string(),
  message: z.string(),
  details: z.array(z.object({ field: z.string(), issue: z.enum(issues), description: z.string() })),
});
const Recorded = z.object({ status: z.int(), answer: Answer });
/** Answers of the service by the status, and by the one issue that their details have. */
const AllRecorded = z.record(z.string(), Recorded);
export type RecordedErrors = Readonly<Record<string, z.infer<typeof Recorded>>>;

const file = new URL('recorded-errors.json', import.meta.url);

export const recordedErrors: RecordedErrors = AllRecorded.parse(JSON.parse(readFileSync(file, 'utf8')));

/** What no request can bring about: shown as the code writes it. */
export const notProvoked: readonly string[] = ['500'];
