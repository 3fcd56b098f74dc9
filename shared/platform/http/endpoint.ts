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
 * The Lambda handler of an endpoint: authenticated context, request parsed by its contract, the operation, errors as
 * section 7 says, the request id on every response, and one log line without personal data. `build` makes the
 * dependencies at the first request; the company's time is read for each one.
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
      // `RequestOf` depends on the contract, which is still a parameter here.
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

/** The caller's own request id if it is one UUID; else the gateway's, which its log has too; else a new one. */
function requestIdOf(event: APIGatewayProxyEvent): string {
  const [own, ...others] = headerValues(event, 'x-request-id');
  if (own !== undefined && others.length === 0 && isUuid(own)) return own.toLowerCase();
  const { requestId } = event.requestContext;
  return typeof requestId === 'string' && isUuid(requestId) ? requestId.toLowerCase() : crypto.randomUUID();
}

/**
 * Returns the company and client that the authorizer names. Its response may be cached: the token's expiry is checked
 * again.
 * @throws RequestError 401; 403 for a caller that the authorizer lets through to be refused here.
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

/** Issues whose `field` is text of the sender: not logged. */
const unloggedFields: readonly Issue[] = ['UNKNOWN_FIELD', 'MALFORMED_JSON'];

/** The faulty fields, never their values. */
function issuesOf(error: unknown): { issues?: string } {
  if (!(error instanceof RequestError) || error.details.length === 0) return {};
  return {
    issues: error.details
      .map(({ field, issue }) => (unloggedFields.includes(issue) ? issue : `${field}:${issue}`))
      .slice(0, 20)
      .join(' '),
  };
}

/** Dependencies of an endpoint whose contract has rules that depend on the current time. */
type RuleDependencies = ({ readonly now: Clock } | { readonly realNow: Clock }) & {
  readonly settings: { readonly allowLocalTargets: boolean; readonly keyRules: { readonly phonesAbroad: boolean } };
};
export type DependenciesOf<C extends Contract> = C extends {
  readonly contextRules: NonNullable<Contract['contextRules']>;
}
  ? RuleDependencies
  : unknown;

/** Faults of a body by the rules that need clock and configuration. */
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
