import type { Contract } from '#shared/contract/contract.ts';
import type { Issue } from '#shared/core/errors.ts';
import { RequestError } from '#shared/core/errors.ts';
import { nowMs } from '#shared/platform/clock.ts';
import { errorFields } from '#shared/platform/log.ts';
import { logMeasured } from '#shared/platform/metrics.ts';
import type { HttpResponse } from '../responses.ts';
import { HttpError } from '../responses.ts';
import type { EndpointContext, EndpointMiddleware } from './middleware.ts';

/** Writes one log line for each request, with its metrics and without personal data. */
export function requestLog(contract: Contract): EndpointMiddleware {
  const write: EndpointMiddleware['after'] = ({ context, response, error }) => {
    if (response) report(contract, context, response, error);
  };
  return { after: write, onError: write };
}

function report(contract: Contract, context: EndpointContext, response: HttpResponse, error: unknown): void {
  const { operationId } = contract;
  const { requestId, caller, startedMs = nowMs() } = context;
  const durationMs = nowMs() - startedMs;
  const isFailure = error !== undefined && !(error instanceof RequestError) && !(error instanceof HttpError);
  const { companyId, clientId } = caller ?? {};
  const base = { operationId, requestId, companyId, clientId, status: response.statusCode, durationMs };
  const fields = { ...base, ...(isFailure ? errorFields(error) : issuesOf(error)) };
  logMeasured(isFailure ? 'error' : 'info', 'request', fields, {
    atMs: startedMs,
    by: 'operation',
    dimensions: { operationId, statusClass: statusClassOf(response, error) },
    metrics: [
      { name: 'Requests', unit: 'Count', value: 1 },
      { name: 'RequestDuration', unit: 'Milliseconds', value: durationMs },
    ],
  });
}

/** Returns `2xx`, `4xx` or `5xx`; `bank` for a company's bank that does not respond: the service did not fail. */
function statusClassOf({ statusCode }: HttpResponse, error: unknown): string {
  if (error instanceof Error && error.name === 'BankUnavailable') return 'bank';
  return `${String(statusCode).charAt(0)}xx`;
}

/** Issues whose `field` may contain text of the sender. They are logged without the field. */
const unloggedFields: readonly Issue[] = ['UNKNOWN_FIELD', 'MALFORMED_JSON'];

/** Returns the first 20 invalid fields with their issues, never a value. */
function issuesOf(error: unknown): { issues?: string } {
  if (!(error instanceof RequestError) || error.details.length === 0) return {};
  return {
    issues: error.details
      .map(({ field, issue }) => (unloggedFields.includes(issue) ? issue : `${field}:${issue}`))
      .slice(0, 20)
      .join(' '),
  };
}
