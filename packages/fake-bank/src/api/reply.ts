import type { IncomingHttpHeaders } from 'node:http';
import type { Bank } from '../bank.ts';
import type { Fault } from '../faults.ts';
import { answerBefore, serverError } from '../faults.ts';
import { operations } from './operations.ts';
import { notFound, problem, Refusal } from '../refusal.ts';
import type { Answer } from '../refusal.ts';
import type { Call, Operation } from '../session.ts';
import { authenticate, issueToken, tokenPath } from './tokens.ts';

/** A request as it came; `fingerprint`: of the certificate of its connection. */
type Asked = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly fingerprint: string;
  readonly body: string;
};

/** Result for the caller: an answer, one that is no JSON, a broken connection, or nothing. */
type Reply =
  | { readonly is: 'ANSWER'; readonly answer: Answer; readonly delayMs: number }
  | { readonly is: 'GARBLED'; readonly answer: Answer }
  | { readonly is: 'LOST' }
  | { readonly is: 'NEVER' };

/** Answers a request, or spoils the answer by the injected fault that it meets. */
export async function replyTo(bank: Bank, asked: Asked): Promise<Reply> {
  const { fault, lagMs } = bank.faults.meet(asked.method, asked.path);
  if (fault?.fault === 'LOSE_REQUEST') return { is: 'LOST' };
  const instead = fault && answerBefore(fault);
  if (instead !== undefined) return { is: 'ANSWER', answer: instead, delayMs: 0 };
  const done = await respond(() => carryOut(bank, asked, lagMs));
  bank.callbacks.wake();
  return fault === undefined ? { is: 'ANSWER', answer: done, delayMs: 0 } : spoil(done, fault);
}

async function carryOut(bank: Bank, asked: Asked, lagMs: number): Promise<Answer> {
  const { method, path, query, headers, fingerprint, body } = asked;
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

async function respond(act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

/** Spoils the answer to a request that was carried out. */
function spoil(answer: Answer, fault: Fault): Reply {
  switch (fault.fault) {
    case 'LOSE_ANSWER':
      return { is: 'LOST' };
    case 'ERROR_AFTER':
      return { is: 'ANSWER', answer: serverError(fault.status), delayMs: 0 };
    case 'GARBLE':
      return { is: 'GARBLED', answer };
    case 'HANG':
      return { is: 'NEVER' };
    case 'DELAY':
      return { is: 'ANSWER', answer, delayMs: fault.ms };
    case 'LOSE_REQUEST':
    case 'ERROR_BEFORE':
    case 'TOO_MANY':
    case 'FORBID':
    case 'UNAUTHORIZED':
    case 'LAG':
      return { is: 'ANSWER', answer, delayMs: 0 };
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

/** @throws Refusal for text that is no JSON. */
function readJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(problem(400, 'RequisicaoInvalida', 'O corpo da requisição não é JSON.'));
  }
}
