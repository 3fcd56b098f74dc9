import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { issues } from '#shared/core/errors.ts';

const Answer = z.object({
  error: z.string(),
  message: z.string(),
  details: z.array(z.object({ field: z.string(), issue: z.enum(issues), description: z.string() })),
});
export type ErrorAnswer = z.infer<typeof Answer>;
const Recorded = z.object({ status: z.int(), answer: Answer });
/** Answers of the service by the status, and by the one issue that their details have. */
const AllRecorded = z.record(z.string(), Recorded);
export type RecordedErrors = Readonly<Record<string, z.infer<typeof Recorded>>>;
/** Answers of the service by operation and status: one each, but for 409 one an issue. */
const OfOperations = z.record(z.string(), z.record(z.string(), z.array(Answer).min(1)));
export type OperationErrors = Readonly<Record<string, Readonly<Record<string, readonly ErrorAnswer[]>>>>;

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));

export const recordedErrors: RecordedErrors = AllRecorded.parse(read('recorded-errors.json'));
export const operationErrors: OperationErrors = OfOperations.parse(read('operation-errors.json'));

/** What no request can bring about: shown as the code writes it. */
export const notProvoked: readonly string[] = ['500'];

/** Statuses whose answers say what is wrong with the one resource or field. */
export const statusesOfOperation = [400, 404, 409] as const;
