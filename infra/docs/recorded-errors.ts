import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Contract } from '#shared/contract/contract.ts';
import { issues } from '#shared/core/errors.ts';
import type { ErrorStatus } from './error-meanings.ts';
import { statusMeanings } from './error-meanings.ts';
import type { Json, JsonObject } from './schemas.ts';

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

/** Statuses whose answers say what is wrong with the one resource or field. */
export const statusesOfOperation = [400, 404, 409] as const;

/** Whether answers of this status differ from operation to operation. */
export function dependsOnOperation(status: ErrorStatus): boolean {
  return (statusesOfOperation as readonly number[]).includes(status);
}

/**
 * How an error answer looks that is the same for every operation, as it was recorded. What is safe to repeat differs,
 * so that 503 and 504 say what the gateway does, which cannot tell requests apart. The simulation tools answer a
 * failure of their own with texts.
 */
export function exampleOfError(status: ErrorStatus, tool: boolean): Json {
  if (status === 503 || status === 504)
    return { error: 'INTERNAL_ERROR', message: statusMeanings[status].cause, details: [] };
  const recorded = recordedErrors[String(status)];
  if (recorded === undefined) throw new Error(`No answer is recorded for ${String(status)}: see docs/working.md.`);
  const { answer } = recorded;
  return tool ? [answer.message] : answer;
}

/** What the operation itself answered with this status, as far as it ever did: of 409 one answer an issue. */
export function examplesOf({ operationId }: Contract, status: ErrorStatus): JsonObject {
  const answers = operationErrors[operationId]?.[String(status)] ?? [];
  const [example] = answers;
  if (example === undefined) return {};
  if (status !== 409) return { example };
  return { examples: Object.fromEntries(answers.map((value) => [value.details[0]?.issue ?? value.error, { value }])) };
}
