import middy from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { AnswerOf, Caller, Contract, Operation, RequestOf } from '../contracts/contract.ts';
import { isUuid } from '../domain/identifiers.ts';
import { Refusal } from '../domain/refusal.ts';
import { nowMs } from '../runtime/clock.ts';
import { errorFields, log } from '../runtime/log.ts';
import { emit } from '../runtime/metrics.ts';
import type { HttpAnswer } from './answers.ts';
import { answerOfError, HttpRefusal, jsonAnswer } from './answers.ts';
import { header, parseRequest } from './parse-request.ts';

/** What the authorizer passes on; API Gateway keeps its values as text. */
type AuthorizerContext = { companyId?: string; clientId?: string; expiresAt?: string } | null | undefined;
type Edge = { readonly startedMs: number; readonly requestId: string; companyId?: string };
export type EndpointHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<HttpAnswer>;

/**
 * The Lambda handler of an endpoint: authenticated context, request parsed by its contract, the operation, errors as the
 * answers of section 7, the request id on every answer, and one log line without personal data. `build` makes the
 * dependencies at the first request and they are kept while the function lives.
 */
export function endpoint<C extends Contract, D>(
  contract: C,
  operation: Operation<C, D>,
  build: () => D,
): EndpointHandler {
  let deps: D | undefined;
  const edges = new WeakMap<object, Edge>();
  const edgeOf = (event: APIGatewayProxyEvent): Edge =>
    edges.get(event) ?? { startedMs: nowMs(), requestId: requestIdOf(event) };

  const run = async (event: APIGatewayProxyEvent): Promise<HttpAnswer> => {
    const edge = edgeOf(event);
    const caller = callerOf(event, edge.startedMs);
    edge.companyId = caller.companyId;
    const request = { ...parseRequest(contract, event), caller, requestId: edge.requestId } as unknown as RequestOf<C>;
    deps ??= build();
    const answer: AnswerOf<C> = await operation(request, deps);
    return jsonAnswer(answer.status, answer.body, answer.replayed === true ? { 'idempotent-replayed': 'true' } : {});
  };
  const finish = (event: APIGatewayProxyEvent, answer: HttpAnswer, error?: unknown): HttpAnswer => {
    const edge = edgeOf(event);
    report(contract, edge, answer, error);
    return { ...answer, headers: { ...answer.headers, 'x-request-id': edge.requestId } };
  };
  return middy(run)
    .before(({ event }) => {
      edges.set(event, edgeOf(event));
    })
    .after((request) => {
      if (request.response) request.response = finish(request.event, request.response);
    })
    .onError((request) => {
      request.response = finish(request.event, answerOfError(request.error, contract.tool === true), request.error);
    });
}

/** The caller's own request id if it is a UUID, so that both sides find the same line; else a new one. */
function requestIdOf(event: APIGatewayProxyEvent): string {
  const own = header(event.headers, 'x-request-id');
  return own !== undefined && isUuid(own) ? own.toLowerCase() : crypto.randomUUID();
}

/** The authorizer's answer may be cached; the token's own end is honoured all the same. */
function callerOf(event: APIGatewayProxyEvent, nowMs: number): Caller {
  const context = event.requestContext.authorizer as AuthorizerContext;
  const { companyId, clientId, expiresAt } = context ?? {};
  if (companyId === undefined || clientId === undefined)
    throw new Refusal('unauthorized', 'The token is missing or invalid.');
  if (!(Number(expiresAt) * 1000 > nowMs)) throw new Refusal('unauthorized', 'The token has expired.');
  return { companyId, clientId };
}

function report(contract: Contract, edge: Edge, answer: HttpAnswer, error: unknown): void {
  const { operationId } = contract;
  const durationMs = nowMs() - edge.startedMs;
  const ours = error !== undefined && !(error instanceof Refusal) && !(error instanceof HttpRefusal);
  const base = {
    operationId,
    requestId: edge.requestId,
    companyId: edge.companyId,
    status: answer.statusCode,
    durationMs,
  };
  log(ours ? 'error' : 'info', 'request', { ...base, ...(ours ? errorFields(error) : issuesOf(error)) });
  emit(edge.startedMs, { operationId, statusClass: `${String(answer.statusCode).charAt(0)}xx` }, [
    { name: 'Requests', unit: 'Count', value: 1 },
    { name: 'RequestDuration', unit: 'Milliseconds', value: durationMs },
  ]);
}

/** Which fields were faulty, never what they held; the name of an unknown field is the sender's own text. */
function issuesOf(error: unknown): { issues?: string } {
  if (!(error instanceof Refusal) || error.details.length === 0) return {};
  return {
    issues: error.details
      .map(({ field, issue }) => (issue === 'UNKNOWN_FIELD' ? issue : `${field}:${issue}`))
      .slice(0, 20)
      .join(' '),
  };
}
