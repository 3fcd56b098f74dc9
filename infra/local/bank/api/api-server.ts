import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bank } from '../bank.ts';
import type { Authority } from '../certificates.ts';
import { answerBefore, serverError } from '../faults.ts';
import type { Fault } from '../faults.ts';
import { operations } from './operations.ts';
import { notFound, problem, Refusal } from '../refusal.ts';
import type { Answer } from '../refusal.ts';
import type { Call, Operation } from '../session.ts';
import { authenticate, issueToken, tokenPath } from './tokens.ts';

/** Most bytes of a request. */
const bodyLimit = 1024 * 1024;

/**
 * The bank's API on loopback: mTLS on every call, the token's included. Without a certificate of the bank's authority
 * the handshake fails.
 *
 * @param port 0 for any free one.
 */
export async function serveApi(bank: Bank, authority: Authority, port: number) {
  const { cert, key } = authority.issue('server', 'localhost');
  const server = createServer(
    { cert, key, ca: authority.certificate.cert, requestCert: true, rejectUnauthorized: true },
    (message, response) => {
      answer(bank, message, response).catch((error: unknown) => {
        process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
        if (!response.headersSent) write(response, serverError(500));
      });
    },
  );
  server.keepAliveTimeout = 65_000;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function answer(bank: Bank, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '' } = message;
  const { pathname, searchParams } = new URL(url, 'https://127.0.0.1');
  const { fault, lagMs } = bank.faults.meet(method, pathname);
  const body = await readText(message);
  if (fault?.fault === 'LOSE_REQUEST') return void response.destroy();
  const instead = fault && answerBefore(fault);
  if (instead !== undefined) {
    write(response, instead);
    return;
  }
  const done = await respond(() => carryOut(bank, message, { path: pathname, query: searchParams, body, lagMs }));
  bank.callbacks.wake();
  if (fault === undefined) write(response, done);
  else await spoil(response, done, fault);
}

type Asked = { path: string; query: URLSearchParams; body: string; lagMs: number };

async function carryOut(bank: Bank, message: IncomingMessage, asked: Asked): Promise<Answer> {
  const { method = '' } = message;
  const { authorization } = message.headers;
  const { socket } = message;
  const fingerprint = socket instanceof TLSSocket ? socket.getPeerCertificate().fingerprint256 : '';
  const caller = { authorization, fingerprint, now: Date.now() };
  if (asked.path === tokenPath && method === 'POST')
    return bank.transact((common) => issueToken(common, { ...caller, body: asked.body, seconds: bank.tokenSeconds() }));
  const found = findOperation(method, asked.path);
  if (found === undefined) throw notFound('NaoEncontrado');
  const { operation, params } = found;
  const client = bank.transact((common) => authenticate(common, { ...caller, scope: operation.scope }));
  const call: Call = { params, query: asked.query, body: readJson(asked.body), headers: message.headers };
  await operation.before?.(bank.probe, call);
  return bank.serve(client.id, asked.lagMs, (session) => operation.run(session, call));
}

async function respond(act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

/** What is left of an answer to something that was done. */
async function spoil(response: ServerResponse, done: Answer, fault: Fault): Promise<void> {
  switch (fault.fault) {
    case 'LOSE_ANSWER':
      response.destroy();
      return;
    case 'ERROR_AFTER':
      write(response, serverError(fault.status));
      return;
    case 'GARBLE':
      response.writeHead(done.status, { 'Content-Type': 'text/html' }).end('<html>');
      return;
    case 'HANG':
      return;
    case 'DELAY':
      await sleep(fault.ms);
      write(response, done);
      return;
    case 'LOSE_REQUEST':
    case 'ERROR_BEFORE':
    case 'TOO_MANY':
    case 'FORBID':
    case 'UNAUTHORIZED':
    case 'LAG':
      write(response, done);
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

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyLimit) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function write(response: ServerResponse, { status, body, type = 'application/json', headers }: Answer): void {
  if (response.destroyed) return;
  response.writeHead(status, { ...(body !== undefined && { 'Content-Type': type }), ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
