import { replyWithFaults } from '../faulty-reply.ts';
import type { Reply } from '../faulty-reply.ts';
import type { ReceivedRequest } from '../https-server.ts';
import { Refusal } from '../refusal.ts';
import type { BankResponse } from '../refusal.ts';
import { openRoutes } from '../routing.ts';
import type { QiBank } from './bank.ts';
import type { Client } from './model.ts';
import { operations } from './operations.ts';
import { authenticationErrors, errorResponse, faultResponses, notFound } from './refusals.ts';
import { isSignatureOf } from './signatures.ts';

type Request = Omit<ReceivedRequest, 'query' | 'fingerprint'>;

/** Responds to a request, signs the response by the setting, and applies the injected fault that matches it. */
export async function replyTo(bank: QiBank, request: Request): Promise<Reply> {
  const { faults, callbacks } = bank;
  const reply = await replyWithFaults({ faults, callbacks, responses: faultResponses }, request, (lagMs) =>
    carryOut(bank, request, lagMs),
  );
  return reply.is === 'ANSWER' ? { ...reply, response: await signed(bank, request, reply.response) } : reply;
}

const findOperation = openRoutes(operations);

async function carryOut(bank: QiBank, request: Request, lagMs: number): Promise<BankResponse> {
  const client = await authenticate(bank, request);
  const { method, path, target, body } = request;
  const found = findOperation(method, path);
  if (found === undefined) throw notFound('The requested resource could not be found', 'Recurso não encontrado');
  const { searchParams: query } = new URL(target, 'https://127.0.0.1');
  const call = { params: found.params, query, body: readJson(body) };
  return bank.serve(client.api_client_key, lagMs, (session) => found.operation.run(session, call));
}

/** Returns the client whose key signs the request. @throws Refusal as the bank's page of errors shows them. */
async function authenticate(bank: QiBank, { headers, ...request }: Request): Promise<Client> {
  const key = headers['api-client-key'];
  if (typeof key !== 'string' || key === '') throw authenticationErrors.noKey();
  const client = bank.transact((common) => common.find('client', key));
  if (client === undefined) throw authenticationErrors.unknownKey(key);
  const reader = { publicKey: client.public_key, nowMs: bank.clock(), settings: bank.settings() };
  if (!(await isSignatureOf(headers.authorization ?? '', request, reader))) throw authenticationErrors.wrongToken();
  return client;
}

/** Signs a response with JSON as a request: one page says that responses are signed, none shows how. */
async function signed(bank: QiBank, { headers, method, target }: Request, response: BankResponse) {
  const key = headers['api-client-key'];
  if (!bank.settings().signsResponses || typeof key !== 'string') return response;
  const body = JSON.stringify(response.body);
  const more = await bank.sign(key, { method, uri: target, body });
  return { ...response, body, type: 'application/json', headers: { ...response.headers, ...more } };
}

/** Parses a body; undefined for an empty text. @throws Refusal for a text that is not JSON. */
function readJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    const description =
      'Malformed JSON. Could not decode the request body. The JSON was incorrect, empty or not encoded as UTF-8';
    const translation =
      'JSON malformado. Não foi possível decodificar o corpo da requisição. O JSON estava incorreto, vazio ou não foi codificado como UTF-8';
    // The page names 753 as the HTTP status, too.
    throw new Refusal(
      errorResponse({ status: 753, code: 'QIT000753', title: 'Syntax Error', description, translation }, {}),
    );
  }
}
