import type { Contract } from '#shared/contract/contract.ts';
import type { Detail } from '#shared/core/errors.ts';
import type { ErrorStatus } from './error-meanings.ts';
import { statusMeanings } from './error-meanings.ts';
import operations from './operation-errors.json' with { type: 'json' };
import recorded from './recorded-errors.json' with { type: 'json' };
import type { Json, JsonObject } from './schemas.ts';

export type ErrorResponse = { readonly error: string; readonly message: string; readonly details: readonly Detail[] };
/** Recorded responses of the service: one for each status, and one for each issue, which is its only issue. */
export type RecordedErrors = Readonly<Record<string, { readonly status: number; readonly answer: ErrorResponse }>>;
/** Recorded responses of the service by operation and status: one each, for 409 one for each issue. */
export type OperationErrors = Readonly<Record<string, Readonly<Record<string, readonly ErrorResponse[]>>>>;

export const recordedErrors = recorded as RecordedErrors;
export const operationErrors = operations as OperationErrors;

/** @throws Error when the acceptance suite recorded none of this status or issue. */
export function recordedError(name: string): RecordedErrors[string] {
  const found = recordedErrors[name];
  if (found === undefined) throw new Error(`No response is recorded for ${name}: see CONTRIBUTING.md.`);
  return found;
}

/** Errors of these statuses name one resource or field. */
export const statusesOfOperation = [400, 404, 409] as const;

/** Whether errors of this status differ from operation to operation. */
export function dependsOnOperation(status: ErrorStatus): boolean {
  return (statusesOfOperation as readonly number[]).includes(status);
}

/**
 * An error that is the same for every operation, as it was recorded. 503 and 504 are those of the gateway: it cannot
 * tell which requests are safe to repeat. The simulation tools send their own failures as texts.
 */
export function exampleOfError(status: ErrorStatus, tool: boolean): Json {
  if (status === 503 || status === 504)
    return { error: 'INTERNAL_ERROR', message: statusMeanings[status].cause, details: [] };
  const { answer } = recordedError(String(status));
  return tool ? [answer.message] : answer;
}

/** Returns the recorded errors of an operation with this status: one, for 409 one for each issue. */
export function examplesOf({ operationId }: Contract, status: ErrorStatus): JsonObject {
  const responses = operationErrors[operationId]?.[String(status)] ?? [];
  const [example] = responses;
  if (example === undefined) return {};
  if (status !== 409) return { example };
  return {
    examples: Object.fromEntries(responses.map((value) => [value.details[0]?.issue ?? value.error, { value }])),
  };
}
