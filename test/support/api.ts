import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { Contract, Operation } from '#shared/contract/contract.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import type { DependenciesOf } from '#shared/platform/http/middlewares/parse-request.ts';

export type Answer = {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
};
type Call = {
  readonly companyId: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly key?: string;
  readonly clientId?: string;
};

/** The client of requests, unless a test names another one: as long as one of an identity provider. */
export const testClient = '0246d40d-3193-4308-ae05-dc1fd379cde4';

/**
 * An operation as a caller meets it: validated by its contract, refusals as answers, and every answer checked against
 * what the contract promises. Only the network and the authorizer are left out.
 */
export function caller<C extends Contract, D extends DependenciesOf<C>>(
  contract: C,
  operation: Operation<C, D>,
  deps: D,
): (call: Call) => Promise<Answer> {
  const handle = endpoint(contract, operation, () => deps);
  return async (call) => {
    const { statusCode, body: text, headers } = await handle(eventOf(contract, call), {} as Context);
    const isFile = Object.values(contract.files ?? {}).includes(headers['content-type'] ?? '');
    const body: unknown = isFile ? text : JSON.parse(text);
    const promised = contract.responses[statusCode];
    if (statusCode < 300 && !isFile) {
      if (promised === undefined) throw new Error(`${contract.operationId} promises no ${statusCode}.`);
      promised.parse(body);
    }
    return { status: statusCode, body, text, headers };
  };
}

/** What API Gateway hands a function for a call. */
function eventOf(contract: Contract, call: Call): APIGatewayProxyEvent {
  const { companyId, params, query, body, key, clientId = testClient } = call;
  const event = {
    httpMethod: contract.method,
    multiValueHeaders: { 'content-type': ['application/json'], ...(key !== undefined && { 'idempotency-key': [key] }) },
    pathParameters: params ?? null,
    multiValueQueryStringParameters: query ? Object.fromEntries(Object.entries(query).map(([k, v]) => [k, [v]])) : null,
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    isBase64Encoded: false,
    requestContext: { authorizer: { companyId, clientId, expiresAt: '99999999999' } },
  };
  return event as unknown as APIGatewayProxyEvent;
}

// Programs that vitest does not run have no variables of functions.
process.env['METRIC_NAMESPACE'] ??= 'BankingOrderService/test';
process.env['ERROR_PAGES'] ??= '/docs/errors/';

// The log and the metrics of a request go to standard output, where a test reporter is writing.
const print = process.stdout.write.bind(process.stdout);
process.stdout.write = (chunk: string | Uint8Array, ...rest: []) =>
  typeof chunk === 'string' && /^\{"(level|_aws)"/u.test(chunk) ? true : print(chunk, ...rest);
