import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent, request as httpRequest } from 'node:http';
import { Agent as SecureAgent, request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request on the wire; `host` and `content-length` are added. */
export type HttpRequest = {
  readonly method: string;
  /** Path below the base URL, with the query, encoded. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
};
export type HttpResponse = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string };
/** Sends a request below a base URL and reads the whole response. */
export type Send = (baseUrl: string, sent: HttpRequest) => Promise<HttpResponse>;

/** Parses a JSON text; undefined when it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const responseTimeoutMs = 30_000;
/** Longest headers of a response, bytes. The default of Node is 16 KiB. */
const maxHeaderSize = 256 * 1024;
/** An idle connection ends after two seconds, before any server ends it: a request on it would break with the end. */
const connections = { keepAlive: true, maxSockets: 64, timeout: 2000 };
const plain = new Agent(connections);
const secure = new SecureAgent(connections);

/** Sends a request. Rejects when the connection breaks or is silent for 30 seconds. */
export const send: Send = async (baseUrl, { method, path, headers = {}, body, signal }) => {
  const base = new URL(baseUrl);
  const own =
    base.protocol === 'https:' ? { request: httpsRequest, agent: secure } : { request: httpRequest, agent: plain };
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = {
      agent: own.agent,
      method,
      path: `${base.pathname.replace(/\/$/u, '')}${path}`,
      timeout: responseTimeoutMs,
      headers: body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
      maxHeaderSize,
      ...(signal !== undefined && { signal }),
    };
    const outgoing = own.request(base, options, resolve);
    outgoing.on('error', reject);
    outgoing.on('timeout', () => {
      outgoing.destroy(new Error(`${method} ${path} got no response within ${responseTimeoutMs} ms.`));
    });
    outgoing.end(body);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return { status: message.statusCode ?? 0, headers: message.headers, text };
};

const triesAtMost = 5;

/**
 * Sends a request, and again after a 503, with longer and longer waits: only one that reads or has an idempotency key,
 * so that nothing is done twice.
 */
export const sendPatiently: Send = async (baseUrl, sent) => {
  const isSafe = sent.method === 'GET' || sent.headers?.['idempotency-key'] !== undefined;
  for (let tries = 1; ; tries += 1) {
    const response = await send(baseUrl, sent);
    if (response.status !== 503 || !isSafe || tries === triesAtMost) return response;
    await sleep(500 * tries);
  }
};
