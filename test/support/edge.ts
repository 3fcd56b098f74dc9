import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { vi } from 'vitest';
import type { Contract, Operation } from '#shared/contract/contract.ts';
import type { HttpResponse } from '#shared/platform/http/responses.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import type { DependenciesOf } from '#shared/platform/http/middlewares/parse-request.ts';

/** What API Gateway hands over, as far as a test cares. */
export type Edge = {
  /** A list is a header that was sent more than once. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>> | null;
  readonly params?: Readonly<Record<string, string>> | null;
  readonly query?: Readonly<Record<string, readonly string[]>> | null;
  readonly body?: string | null;
  readonly base64?: boolean;
  readonly gatewayId?: string;
  readonly authorizer?: Readonly<Record<string, string>> | null;
};

export const caller = { companyId: 'company-a', clientId: 'client-a', expiresAt: '99999999999' };

export function eventOf({ headers = { 'content-type': 'application/json' }, ...edge }: Edge): APIGatewayProxyEvent {
  const { params, query, body, base64, authorizer, gatewayId } = edge;
  const sent = Object.entries(headers ?? {}).map(([name, value]) => [name, [value ?? []].flat()] as const);
  const event = {
    headers: headers && Object.fromEntries(sent.map(([name, values]) => [name, values.at(-1)])),
    multiValueHeaders: headers && Object.fromEntries(sent),
    pathParameters: params ?? null,
    multiValueQueryStringParameters: query ?? null,
    body: body ?? null,
    isBase64Encoded: base64 ?? false,
    requestContext: { requestId: gatewayId, authorizer: authorizer === undefined ? caller : authorizer },
  };
  return event as unknown as APIGatewayProxyEvent;
}

type Seen = HttpResponse & { readonly json: unknown };

/** Calls an operation through the wrapper of its endpoint. */
export function through<C extends Contract, D extends DependenciesOf<C>>(
  contract: C,
  operation: Operation<C, D>,
  deps: D,
): (edge: Edge) => Promise<Seen> {
  const handle = endpoint(contract, operation, () => deps);
  return async (edge) => {
    const response = await handle(eventOf(edge), {} as Context);
    return { ...response, json: JSON.parse(response.body) };
  };
}

/** Lines that go to standard output from here on, kept from the reporter: the log. */
export function catchLog(): () => readonly Readonly<Record<string, unknown>>[] {
  const written = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  return () =>
    written.mock.calls
      .map(([chunk]) => chunk)
      .filter((chunk): chunk is string => typeof chunk === 'string' && chunk.startsWith('{'))
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}
