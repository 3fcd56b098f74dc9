import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Partner, HttpRequest, HttpResponse, Send, Company, Sandbox } from '@banking-order/partner-tools';
import {
  connectPartner,
  documentFile,
  requestOf,
  jsonOf,
  ToolFailure,
  completeCompanies,
  readSandbox,
} from '@banking-order/partner-tools';
import type { ServiceResponse, Ask, OperationId, Route, SeenRequests } from '../protocol.ts';
import { operationIds } from '../protocol.ts';
import type { ConsoleResponse } from './http.ts';
import { respondWithError, respondJson } from './http.ts';
import type { Exchange, RequestLog } from './requests.ts';
import { consoleAgent } from './requests.ts';

type Service = {
  readonly companies: Companies;
  readonly routes: () => Routes;
  readonly requests: RequestLog;
  readonly requestsOf: SeenRequests['of'];
};

/** Calls the service for a company. The page gets status, request id and body of the response, but no headers. */
export async function callService(service: Service, companyId: string, ask: Ask): Promise<ConsoleResponse> {
  const { operation: operationId, params = {} } = ask;
  const { method, path, takesKey } = service.routes()[operationId];
  if ([...path.matchAll(/\{([^}]+)\}/gu)].some(([, name = '']) => (params[name] ?? '') === ''))
    return respondWithError(400, `A path parameter of ${operationId} is missing.`);
  const shape = { operationId, method, path, idempotencyKey: takesKey ? 'required' : 'none' } as const;
  const sent = requestOf(shape, { ...ask, headers: { 'user-agent': consoleAgent } });
  const at = Date.now();
  const sending = service.companies.sendFor(companyId, sent);
  if (sending === undefined) return respondWithError(404, 'The sandbox file has no company of this id with a client.');
  const received = await sending;
  const clientId = service.companies.known().find((entry) => entry.companyId === companyId)?.clientId;
  if (service.requestsOf === 'console') service.requests.record(exchangeOf(sent, received, at, clientId));
  return respondJson(200, {
    status: received.status,
    requestId: requestIdOf(received),
    body: received.text === '' ? null : (jsonOf(received.text) ?? received.text),
  } satisfies ServiceResponse);
}

function exchangeOf(
  { method, path, body }: HttpRequest,
  received: HttpResponse,
  at: number,
  clientId: string | undefined,
): Exchange {
  return {
    at,
    durationMs: Date.now() - at,
    method,
    path,
    userAgent: consoleAgent,
    status: received.status,
    clientId,
    requestId: requestIdOf(received),
    sent: body?.toString() ?? '',
    responseBody: received.text,
  };
}

function requestIdOf({ headers }: HttpResponse): string | undefined {
  const id = headers['x-request-id'];
  return typeof id === 'string' ? id : undefined;
}

/** Returns the response to the page when the request was unreadable or the service could not be called. */
export function errorResponseOf(error: unknown): ConsoleResponse {
  if (error instanceof ToolFailure) return respondWithError(502, error.message, error.next);
  if (error instanceof SyntaxError || error instanceof URIError)
    return respondWithError(400, 'Cannot read the request.');
  // The message may quote the token endpoint: it goes only to the terminal.
  console.error(`Cannot call the service: ${error instanceof Error ? error.message : String(error)}`);
  return respondWithError(
    502,
    'Cannot call the service.',
    'Check that the environment is running and that its sandbox file is current.',
  );
}

/** The companies of a sandbox file, for which the console calls the service. */
export type Companies = {
  readonly sandbox: () => Sandbox;
  /** Returns the companies whose entry in the sandbox file is complete. */
  readonly known: () => readonly Company[];
  /** Sends a request with a company's token; undefined for an unknown company. */
  readonly sendFor: (companyId: string, sent: HttpRequest) => Promise<HttpResponse> | undefined;
};

/** @param file Read at every use, because an operator's command may add a company or change a secret. */
export function openCompanies(file: string, send: Send): Companies {
  const connected = new Map<string, Partner>();
  const known = (): readonly Company[] => completeCompanies(readSandbox(file));
  const connect = (company: Company): Partner => {
    const partner = connectPartner(readSandbox(file), company, send);
    connected.set(company.companyId, partner);
    return partner;
  };
  const sendAs = async (company: Company, sent: HttpRequest): Promise<HttpResponse> => {
    const before = connected.get(company.companyId);
    if (before?.clientSecret !== company.clientSecret) return connect(company).raw(sent);
    const response = await before.raw(sent).catch((error: unknown) => {
      connected.delete(company.companyId);
      throw error;
    });
    // The token has expired. The service did nothing, so the request is sent again with a new token.
    return response.status === 401 ? connect(company).raw(sent) : response;
  };
  return {
    sandbox: () => readSandbox(file),
    known,
    sendFor: (companyId, sent) => {
      const company = known().find((entry) => entry.companyId === companyId);
      return company === undefined ? undefined : sendAs(company, sent);
    },
  };
}

const Parameter = z.looseObject({ name: z.string().optional(), $ref: z.string().optional() });
const Operation = z.object({ operationId: z.string(), parameters: z.array(Parameter).default([]) });
const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });

export type Routes = Readonly<Record<OperationId, Route>>;

/**
 * Reads method and path of the operations that the page may call from the OpenAPI document.
 * @throws Error with an operation that the document does not have.
 */
export function readRoutes(text = readFileSync(documentFile, 'utf8')): Routes {
  const { paths } = Document.parse(JSON.parse(text));
  const all = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, described]) => {
        const operation = Operation.safeParse(described).data;
        if (operation === undefined) return [];
        const takesKey = operation.parameters.some(({ name, $ref }) =>
          /(?:^|\/)idempotency-?key$/iu.test(name ?? $ref ?? ''),
        );
        return [[operation.operationId, { method: method.toUpperCase(), path, takesKey }] as const];
      }),
    ),
  );
  const routeOf = (operation: string): Route => {
    const route = all.get(operation);
    if (route === undefined) throw new Error(`docs/openapi.json has no operation ${operation}.`);
    return route;
  };
  return Object.fromEntries(Object.keys(operationIds).map((id) => [id, routeOf(id)])) as Routes;
}

export function isOperation(text: string): text is OperationId {
  return Object.hasOwn(operationIds, text);
}
