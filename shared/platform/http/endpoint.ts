import middy from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { respondToCaller, dependenciesOf } from '#sandbox';
import type { ResponseOf, Caller, Contract, Operation, RequestOf } from '#shared/contract/contract.ts';
import { isUuid } from '#shared/core/identifiers.ts';
import type { Issue, Detail } from '#shared/core/errors.ts';
import { RequestError } from '#shared/core/errors.ts';
import { nowMs } from '../clock.ts';
import { errorFields } from '../log.ts';
import { logMeasured } from '../metrics.ts';
import type { CallerContext } from './refused-tokens.ts';
import { noAccess, tokenErrors } from './refused-tokens.ts';
import type { HttpResponse } from './responses.ts';
import { errorResponse, HttpError, jsonResponse, replayedHeader } from './responses.ts';
import { headerValues } from './read-body.ts';
import { parseRequest } from './parse-request.ts';
import type { Clock } from '#shared/core/brasilia-time.ts';

type Edge = { readonly startedMs: number; readonly requestId: string; companyId?: string };
type EndpointHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<HttpResponse>;

/**
 * Returns the Lambda handler of an endpoint. It requires an authenticated caller, parses the request by its contract,
 * runs the operation, and maps errors to responses (section 7 of the specification). Each response has the request id.
 * Each request writes one log line without personal data. `build` creates the dependencies at the first request. In the
 * sandbox an endpoint that uses time reads the clock of the company at each request.
 */
export function endpoint<C extends Contract, D extends DependenciesOf<C>>(
  contract: C,
  operation: Operation<C, D>,
  build: () => D,
): EndpointHandler {
  let deps: D | undefined;
  const edges = new WeakMap<object, Edge>();
  const edgeOf = (event: APIGatewayProxyEvent): Edge =>
    edges.get(event) ?? { startedMs: nowMs(), requestId: requestIdOf(event) };

  const run = async (event: APIGatewayProxyEvent): Promise<HttpResponse> => {
    const edge = edgeOf(event);
    const caller = callerOf(event, edge.startedMs);
    edge.companyId = caller.companyId;
    return respondToCaller(event, { ...contract, companyId: caller.companyId }, async () => {
      const own = await dependenciesOf((deps ??= build()), caller.companyId);
      const parts = parseRequest(contract, event, (body) => contextDetails(contract, body, own));
      // TypeScript cannot resolve `RequestOf<C>`: `C` is a type parameter here.
      const request = { ...parts, caller, requestId: edge.requestId } as unknown as RequestOf<C>;
      const response: ResponseOf<C> = await operation(request, own);
      return jsonResponse(response.status, response.body, response.replayed === true ? replayedHeader : {});
    });
  };
  const finish = (event: APIGatewayProxyEvent, response: HttpResponse, error?: unknown): HttpResponse => {
    const edge = edgeOf(event);
    report(contract, edge, response, error);
    return { ...response, headers: { ...response.headers, 'x-request-id': edge.requestId } };
  };
  return middy(run)
    .before(({ event }) => {
      edges.set(event, edgeOf(event));
    })
    .after((request) => {
      if (request.response) request.response = finish(request.event, request.response);
    })
    .onError((request) => {
      const hasKey = headerValues(request.event, 'idempotency-key').length > 0;
      request.response = finish(request.event, errorResponse(request.error, { ...contract, hasKey }), request.error);
    });
}

/**
 * Returns the caller's `x-request-id` if the header was sent once and is a UUID. Otherwise returns the request id of
 * API Gateway, which its access log has too. Creates a UUID if neither is a UUID.
 */
function requestIdOf(event: APIGatewayProxyEvent): string {
  const [own, ...others] = headerValues(event, 'x-request-id');
  if (own !== undefined && others.length === 0 && isUuid(own)) return own.toLowerCase();
  const { requestId } = event.requestContext;
  return typeof requestId === 'string' && isUuid(requestId) ? requestId.toLowerCase() : crypto.randomUUID();
}

/**
 * Returns the company and client that the authorizer names. API Gateway may cache the authorizer's response, so the
 * expiry of the token is checked again.
 * @throws RequestError 401 for a missing or expired token; 403 for a valid token that gives no access.
 */
function callerOf(event: APIGatewayProxyEvent, nowMs: number): Caller {
  const context = event.requestContext.authorizer as Partial<CallerContext> | null | undefined;
  const { companyId, clientId, expiresAt, refusal } = context ?? {};
  const caller = companyId !== undefined && clientId !== undefined ? { companyId, clientId } : undefined;
  if (caller === undefined && refusal === undefined) throw new RequestError('unauthorized', tokenErrors.MISSING);
  if (!(Number(expiresAt) * 1000 > nowMs)) throw new RequestError('unauthorized', tokenErrors.EXPIRED);
  if (caller === undefined || refusal !== undefined) throw new RequestError('forbidden', noAccess);
  return caller;
}

function report(contract: Contract, edge: Edge, response: HttpResponse, error: unknown): void {
  const { operationId } = contract;
  const durationMs = nowMs() - edge.startedMs;
  const isFailure = error !== undefined && !(error instanceof RequestError) && !(error instanceof HttpError);
  const { requestId, companyId } = edge;
  const base = { operationId, requestId, companyId, status: response.statusCode, durationMs };
  const fields = { ...base, ...(isFailure ? errorFields(error) : issuesOf(error)) };
  logMeasured(isFailure ? 'error' : 'info', 'request', fields, {
    atMs: edge.startedMs,
    by: 'operation',
    dimensions: { operationId, statusClass: `${String(response.statusCode).charAt(0)}xx` },
    metrics: [
      { name: 'Requests', unit: 'Count', value: 1 },
      { name: 'RequestDuration', unit: 'Milliseconds', value: durationMs },
    ],
  });
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

/** Dependencies of an endpoint whose contract has `contextRules`: a clock and configuration. */
type RuleDependencies = ({ readonly now: Clock } | { readonly realNow: Clock }) & {
  readonly settings: { readonly allowLocalTargets: boolean; readonly keyRules: { readonly phonesAbroad: boolean } };
};
export type DependenciesOf<C extends Contract> = C extends {
  readonly contextRules: NonNullable<Contract['contextRules']>;
}
  ? RuleDependencies
  : unknown;

/** Returns the issues that the `contextRules` of the contract find in a body. */
function contextDetails({ contextRules }: Contract, body: unknown, dependencies: unknown): readonly Detail[] {
  if (contextRules === undefined || typeof body !== 'object' || body === null) return [];
  const given = dependencies as RuleDependencies;
  const now = 'now' in given ? given.now : given.realNow;
  const found: Detail[] = [];
  const { allowLocalTargets, keyRules } = given.settings;
  const context = { now: now(), allowLocalTargets, phonesAbroad: keyRules.phonesAbroad };
  contextRules(body as Readonly<Record<string, unknown>>, context, (field, issue, description) => {
    found.push({ field, issue, description });
  });
  return found;
}
