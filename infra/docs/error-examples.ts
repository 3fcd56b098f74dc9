import type { Contract } from '#shared/contract/contract.ts';
import type { ErrorStatus } from './error-meanings.ts';
import { statusMeanings } from './error-meanings.ts';
import { operationErrors, recordedErrors, statusesOfOperation } from './recorded-errors.ts';
import type { Json, JsonObject } from './schemas.ts';

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
