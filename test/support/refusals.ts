import { expect } from 'vitest';
import type { ErrorResponse } from '@banking-order/partner-tools';
import { readError } from '@banking-order/partner-tools';
import type { Detail } from '#shared/core/errors.ts';
import { RequestError } from '#shared/core/errors.ts';

/** An answer as a caller of an operation, a partner, or API Gateway has it. */
type Answered =
  | { readonly status: number; readonly text: string }
  | { readonly status: number; readonly received: { readonly text: string } }
  | { readonly statusCode: number; readonly body: string };

/**
 * Asserts that a request was refused. First the status: another one fails with the whole body that came instead. Then
 * the body of every error, whose code must go with the status. Then, where they are given, all faults in their order.
 * @param faults as `dueDate:OUTSIDE_WINDOW`; an empty list when the answer names none
 * @param description says which of several answers a failure is about
 */
export function refused(
  response: Answered,
  status: number,
  faults?: readonly string[],
  description = 'The refusal',
): ErrorResponse {
  const came = 'statusCode' in response ? response.statusCode : response.status;
  const text = textOf(response);
  expect(came, `${description}: the response was ${String(came)} ${text}`).toBe(status);
  const error = readError({ status, headers: {}, text });
  if (faults !== undefined) expect(faultsOf(error), `${description}: ${text}`).toEqual(faults);
  return error;
}

function textOf(response: Answered): string {
  if ('statusCode' in response) return response.body;
  return 'received' in response ? response.received.text : response.text;
}

/** The faults of an error, as `dueDate:OUTSIDE_WINDOW`. */
export function faultsOf({ details }: { readonly details: readonly Omit<Detail, 'description'>[] }): readonly string[] {
  return details.map(({ field, issue }) => `${field}:${issue}`);
}

const statuses = {
  badRequest: 400,
  state: 409,
  missing: 404,
  forbidden: 403,
  unauthorized: 401,
  throttled: 429,
} as const;

/** What a rule refuses, as `409 dueDate:OUTSIDE_WINDOW`; `none` when it refuses nothing. @throws what is no refusal. */
export function errorOf(rule: () => unknown): string {
  try {
    rule();
    return 'none';
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return [String(statuses[error.kind]), ...faultsOf(error)].join(' ');
  }
}
