import { requestOf } from '#infra/partner/api/client.ts';
import { ToolFailure } from '#infra/partner/command-line.ts';
import type { HttpResponse, HttpRequest } from '#infra/partner/api/http.ts';
import type { Answer, Ask } from '../operations.ts';
import type { SeenRequests } from '../published.ts';
import type { ConsoleAnswer } from './answers.ts';
import { answerFault, answerJson } from './answers.ts';
import type { Companies } from './companies.ts';
import type { RequestLog } from './requests.ts';
import { consoleAgent } from './requests.ts';
import type { Routes } from './routes.ts';

type Service = {
  readonly companies: Companies;
  readonly routes: () => Routes;
  readonly requests: RequestLog;
  readonly requestsOf: SeenRequests['of'];
};

/** Calls the service for a company; the page gets status, request id and body of the answer, and no header besides. */
export async function callService(service: Service, companyId: string, ask: Ask): Promise<ConsoleAnswer> {
  const { operation: operationId, params = {} } = ask;
  const { method, path, takesKey } = service.routes()[operationId];
  if ([...path.matchAll(/\{([^}]+)\}/gu)].some(([, name = '']) => (params[name] ?? '') === ''))
    return answerFault(400, `${operationId} needs other parameters in its path.`);
  const shape = { operationId, method, path, idempotencyKey: takesKey ? 'required' : 'none' } as const;
  const sent = requestOf(shape, { ...ask, headers: { 'user-agent': consoleAgent } });
  const at = Date.now();
  const sending = service.companies.sendFor(companyId, sent);
  if (sending === undefined) return answerFault(404, 'The sandbox file has no such company with a client.');
  const received = await sending;
  if (service.requestsOf === 'console') service.requests.record(exchangeOf(sent, received, at));
  return answerJson(200, {
    status: received.status,
    requestId: requestIdOf(received),
    body: textOrJson(received.text),
  } satisfies Answer);
}

function exchangeOf(
  { method, path, body }: HttpRequest,
  received: HttpResponse,
  at: number,
): Parameters<RequestLog['record']>[0] {
  return {
    ...{ at, durationMs: Date.now() - at, method, path, userAgent: consoleAgent, status: received.status },
    ...{ requestId: requestIdOf(received), sent: body?.toString() ?? '', answered: received.text },
  };
}

function requestIdOf({ headers }: HttpResponse): string | undefined {
  const id = headers['x-request-id'];
  return typeof id === 'string' ? id : undefined;
}

function textOrJson(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}

/** What the page is told when the service could not be asked. */
export function faultOf(error: unknown): ConsoleAnswer {
  if (error instanceof ToolFailure) return answerFault(502, error.message, error.next);
  if (error instanceof SyntaxError || error instanceof URIError) return answerFault(400, 'The request cannot be read.');
  // The message may quote what the token endpoint answered; the terminal is for whoever holds the secrets anyway.
  console.error(`The console could not ask the service: ${error instanceof Error ? error.message : String(error)}`);
  return answerFault(
    502,
    'The service cannot be asked.',
    'Is the environment running, and is its sandbox file current?',
  );
}
