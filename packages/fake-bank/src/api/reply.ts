import type { IncomingHttpHeaders } from 'node:http';
import type { Bank } from '../bank.ts';
import type { Fault } from '../faults.ts';
import { responseBefore, serverError, withNewValue } from '../faults.ts';
import { operations } from './operations.ts';
import { notFound, problem, Refusal } from '../refusal.ts';
import type { BankResponse } from '../refusal.ts';
import type { Call, Operation } from '../session.ts';
import { authenticate, issueToken, tokenPath } from './tokens.ts';

/** A received request. `fingerprint` is the one of the connection's client certificate. */
type ReceivedRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly fingerprint: string;
  readonly body: string;
};

/** Result for the caller: a response, a response that is not JSON, a closed connection, or no response. */
type Reply =
  | { readonly is: 'ANSWER'; readonly response: BankResponse; readonly delayMs: number }
  | { readonly is: 'GARBLED'; readonly response: BankResponse }
  | { readonly is: 'LOST' }
  | { readonly is: 'NEVER' };

/** Responds to a request, and applies the injected fault that matches it. */
export async function replyTo(bank: Bank, request: ReceivedRequest): Promise<Reply> {
  const { fault, lagMs } = bank.faults.meet(request.method, request.path);
  if (fault?.fault === 'LOSE_REQUEST') return { is: 'LOST' };
  const instead = fault && responseBefore(fault);
  if (instead !== undefined) return { is: 'ANSWER', response: instead, delayMs: 0 };
  const done = await respond(() => carryOut(bank, request, lagMs));
  bank.callbacks.wake();
  return fault === undefined ? { is: 'ANSWER', response: done, delayMs: 0 } : spoil(done, fault);
}

async function carryOut(bank: Bank, request: ReceivedRequest, lagMs: number): Promise<BankResponse> {
  const { method, path, query, headers, fingerprint, body } = request;
  const caller = { authorization: headers.authorization, fingerprint, now: Date.now() };
  if (path === tokenPath && method === 'POST')
    return bank.transact((common) => issueToken(common, { ...caller, body, seconds: bank.tokenSeconds() }));
  const found = findOperation(method, path);
  if (found === undefined) throw notFound('NaoEncontrado');
  const { operation, params } = found;
  const client = bank.transact((common) => authenticate(common, { ...caller, scope: operation.scope }));
  const call: Call = { params, query, body: readJson(body), headers };
  await operation.before?.(bank.probe, call);
  return bank.serve(client.id, lagMs, (session) => operation.run(session, call));
}

async function respond(act: () => Promise<BankResponse>): Promise<BankResponse> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Refusal) return error.response;
    throw error;
  }
}

/** Applies an injected fault to the response of a request that was carried out. */
function spoil(response: BankResponse, fault: Fault): Reply {
  switch (fault.fault) {
    case 'LOSE_ANSWER':
      return { is: 'LOST' };
    case 'ERROR_AFTER':
      return { is: 'ANSWER', response: serverError(fault.status), delayMs: 0 };
    case 'GARBLE':
      return { is: 'GARBLED', response };
    case 'NEW_VALUE':
      return { is: 'ANSWER', response: { ...response, body: withNewValue(response.body, fault.id) }, delayMs: 0 };
    case 'HANG':
      return { is: 'NEVER' };
    case 'DELAY':
      return { is: 'ANSWER', response, delayMs: fault.ms };
    case 'LOSE_REQUEST':
    case 'ERROR_BEFORE':
    case 'TOO_MANY':
    case 'FORBID':
    case 'UNAUTHORIZED':
    case 'LAG':
      return { is: 'ANSWER', response, delayMs: 0 };
  }
}

const routes = operations.map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path.replaceAll(/:(\w+)/gu, '(?<$1>[^/]+)')}$`, 'u'),
}));

function findOperation(method: string, path: string): { operation: Operation; params: Call['params'] } | undefined {
  for (const { operation, pattern } of routes) {
    const match = operation.method === method ? pattern.exec(path) : null;
    if (match === null) continue;
    const params = Object.entries(match.groups ?? {}).map(([name, text]) => [name, decodeURIComponent(text)] as const);
    return { operation, params: Object.fromEntries(params) };
  }
  return undefined;
}

/** Parses a body; undefined for an empty text. @throws Refusal for a text that is not JSON. */
function readJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(problem(400, 'RequisicaoInvalida', 'O corpo da requisição não é JSON.'));
  }
}
