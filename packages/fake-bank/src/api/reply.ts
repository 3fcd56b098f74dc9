import type { Bank } from '../bank.ts';
import { replyWithFaults } from '../faulty-reply.ts';
import type { Reply } from '../faulty-reply.ts';
import type { ReceivedRequest } from '../https-server.ts';
import { faultResponses } from './fault-responses.ts';
import { operations } from './operations.ts';
import { notFound, problem, Refusal } from '../refusal.ts';
import type { BankResponse } from '../refusal.ts';
import { openRoutes } from '../routing.ts';
import type { Call } from '../session.ts';
import { authenticate, issueToken, tokenPath } from './tokens.ts';

type Request = Omit<ReceivedRequest, 'target'>;

/** Responds to a request, and applies the injected fault that matches it. */
export async function replyTo(bank: Bank, request: Request): Promise<Reply> {
  const { faults, callbacks } = bank;
  return replyWithFaults({ faults, callbacks, responses: faultResponses }, request, (lagMs) =>
    carryOut(bank, request, lagMs),
  );
}

const findOperation = openRoutes(operations);

async function carryOut(bank: Bank, request: Request, lagMs: number): Promise<BankResponse> {
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

/** Parses a body; undefined for an empty text. @throws Refusal for a text that is not JSON. */
function readJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(problem(400, 'RequisicaoInvalida', 'O corpo da requisição não é JSON.'));
  }
}
