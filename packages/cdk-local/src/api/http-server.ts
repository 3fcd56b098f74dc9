import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { LocalStartError } from '../template/local-template.ts';
import type { Gateway } from './gateway.ts';
import type { HttpResponse } from './request.ts';
import { BadRequest, readHeaders, readRequest } from './request.ts';

/**
 * Routes beside the API, on the same port: token issuer, receiver, reference. The head of a request selects the route,
 * which then responds to the body. A route that returns `undefined` has handled the connection itself. All other
 * requests go to the API.
 */
export type SideRoutes = (message: IncomingMessage) => SideRoute | undefined;
export type SideRoute = (body: Buffer) => HttpResponse | Promise<HttpResponse | undefined>;

export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** Largest request body of API Gateway ("Amazon API Gateway quotas": payload size). */
const bodyLimitBytes = 10 * 1024 * 1024;
/** Bytes of a too large body that are read and discarded, so that the caller reads the response. */
const drainLimitBytes = 64 * 1024 * 1024;
const closeWithinMs = 800;

/**
 * Listens on loopback immediately, so that a port in use is known before anything else is started.
 *
 * @param port 0 for any free one.
 * @throws LocalStartError when the port is taken.
 */
export async function listen(port: number) {
  const serving = Promise.withResolvers<{ gateway: Gateway; sideRoutes: readonly SideRoutes[] }>();
  let refuse: Gateway['refuse'] | undefined;
  const server = createServer((message, response) => {
    void serving.promise.then(({ gateway, sideRoutes }) => handleRequest(message, response, gateway, sideRoutes));
  });
  // Partners keep connections open between payments. No request may arrive on a connection that is being closed.
  server.keepAliveTimeout = 65_000;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    respondRaw(socket, refuse, error);
  });
  server.on('connect', (_message, socket) => {
    respondRaw(socket, refuse);
  });
  server.listen(port, '127.0.0.1');
  await untilListening(server, port);
  const { port: actual } = server.address() as AddressInfo;
  return {
    port: actual,
    baseUrl: `http://127.0.0.1:${actual}`,
    /** Starts to respond to requests, also to requests that arrived before. */
    serve: (gateway: Gateway, sideRoutes: readonly SideRoutes[]): void => {
      refuse = gateway.refuse;
      serving.resolve({ gateway, sideRoutes });
    },
    stop: () => close(server),
  };
}

async function untilListening(server: Server, port: number): Promise<void> {
  try {
    await once(server, 'listening');
  } catch (error) {
    const errors: Readonly<Record<string, string>> = {
      EADDRINUSE: 'is in use',
      EACCES: 'may not be used by this user',
    };
    const refusal = errors[(error as NodeJS.ErrnoException).code ?? ''];
    if (refusal === undefined) throw error;
    throw new LocalStartError(`Port ${port} ${refusal}. Choose another port with PORT (0: any free port).`);
  }
}

async function handleRequest(
  message: IncomingMessage,
  response: ServerResponse,
  gateway: Gateway,
  sideRoutes: readonly SideRoutes[],
): Promise<void> {
  try {
    const body = await readBody(message);
    if (body === undefined) {
      response.shouldKeepAlive = false;
      write(response, gateway.refuse('REQUEST_TOO_LARGE', unread(message)));
      return;
    }
    const side = sideRoutes
      .values()
      .map((routes) => routes(message))
      .find((route) => route !== undefined);
    const ready = side === undefined ? await gateway.handle(readRequest(message, body)) : await side(body);
    if (ready !== undefined) write(response, ready);
  } catch (error) {
    if (error instanceof BadRequest) {
      write(response, gateway.refuse('BAD_REQUEST_PARAMETERS', unread(message)));
      return;
    }
    // The caller closed the connection while sending, or the local environment itself has an error.
    if (!message.complete) return void response.destroy();
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    write(response, gateway.refuse('DEFAULT_5XX', unread(message), 500));
  }
}

/** Returns the fields that a response to an unread request needs. */
function unread({ rawHeaders }: IncomingMessage): Parameters<Gateway['refuse']>[1] {
  return { id: randomUUID(), headers: readHeaders(rawHeaders) };
}

/** @returns undefined for a body above the limit. */
async function readBody(message: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= bodyLimitBytes) chunks.push(chunk);
    else chunks.length = 0;
    if (size > drainLimitBytes) break;
  }
  return size > bodyLimitBytes ? undefined : Buffer.concat(chunks);
}

function write(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  if (response.headersSent) return;
  const bodiless = status === 204 || status === 304;
  response.writeHead(status, { ...headers, ...(!bodiless && { 'Content-Length': body.length }) });
  response.end(bodiless ? undefined : body);
}

/** Responds to CONNECT and to bytes that are no HTTP request, with the body of a gateway response. */
function respondRaw(socket: Duplex, refuse: Gateway['refuse'] | undefined, error?: NodeJS.ErrnoException): void {
  socket.on('error', () => undefined);
  if (error?.code === 'ECONNRESET' || !socket.writable || refuse === undefined) {
    socket.destroy();
    return;
  }
  const status = error?.code === 'HPE_HEADER_OVERFLOW' ? 431 : error?.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const message = STATUS_CODES[status] ?? 'Bad Request';
  const response = refuse('BAD_REQUEST_PARAMETERS', { id: randomUUID(), headers: {} }, status);
  const headers = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}`);
  const head = [
    `HTTP/1.1 ${status} ${message}`,
    ...headers,
    `Content-Length: ${response.body.length}`,
    'Connection: close',
    '',
    '',
  ];
  socket.end(Buffer.concat([Buffer.from(head.join('\r\n')), response.body]));
}

/** Closes idle connections immediately. Requests in flight have `closeWithinMs` for their response. */
async function close(server: Server): Promise<void> {
  const closed = new Promise((done) => server.close(done));
  server.closeIdleConnections();
  const timeout = setTimeout(() => {
    server.closeAllConnections();
  }, closeWithinMs);
  await closed;
  clearTimeout(timeout);
}
