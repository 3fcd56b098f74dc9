import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { LocalStartError } from '../template/local-template.ts';
import type { Gateway } from './gateway.ts';
import { BadRequest, readRequest } from './gateway-request.ts';
import type { HttpAnswer } from './proxy-response.ts';

/** Largest request body of API Gateway ("Amazon API Gateway quotas": payload size). */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024;
/** What is still read, and thrown away, of a body that is too large: so that the caller gets to read the answer. */
const DRAIN_LIMIT_BYTES = 64 * 1024 * 1024;
const CLOSE_WITHIN_MS = 800;

/** Answers requests that are not the API's (the token issuer's); undefined for all others. */
export type SideRoutes = (message: IncomingMessage) => ((body: Buffer) => Promise<HttpAnswer>) | undefined;

export interface HttpServer {
  readonly port: number;
  readonly baseUrl: string;
  /** From now on requests are answered; those that came earlier were waiting. */
  readonly serve: (gateway: Gateway, sideRoutes: SideRoutes) => void;
  readonly stop: () => Promise<void>;
}

/**
 * Listens on loopback at once, so that a port in use is known before anything else is started.
 *
 * @param port 0 for any free one.
 * @throws {LocalStartError} when the port is taken.
 */
export async function listen(port: number): Promise<HttpServer> {
  const serving = Promise.withResolvers<{ gateway: Gateway; sideRoutes: SideRoutes }>();
  let refuse: Gateway['refuse'] | undefined;
  const server = createServer((message, response) => {
    void serving.promise.then(({ gateway, sideRoutes }) => answer(message, response, gateway, sideRoutes));
  });
  // Partners keep connections open between payments, and no request of theirs may meet one that is being closed.
  server.keepAliveTimeout = 65_000;
  const raw = (socket: Duplex, error?: NodeJS.ErrnoException): void => {
    rawRefusal(socket, refuse, error);
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    raw(socket, error);
  });
  server.on('connect', (_message, socket) => {
    raw(socket);
  });
  server.listen(port, '127.0.0.1');
  await listening(server, port);
  const address = server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  return {
    port: actual,
    baseUrl: `http://127.0.0.1:${actual}`,
    serve: (gateway, sideRoutes) => {
      refuse = gateway.refuse;
      serving.resolve({ gateway, sideRoutes });
    },
    stop: () => close(server),
  };
}

async function listening(server: Server, port: number): Promise<void> {
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new LocalStartError(`Port ${port} is in use. Choose another with PORT (0: any free one).`);
    if (code === 'EACCES')
      throw new LocalStartError(`Port ${port} may not be used by this user. Choose another with PORT.`);
    throw error;
  }
}

async function answer(
  message: IncomingMessage,
  response: ServerResponse,
  gateway: Gateway,
  sideRoutes: SideRoutes,
): Promise<void> {
  try {
    const body = await readBody(message);
    if (body === undefined) {
      response.shouldKeepAlive = false;
      write(response, gateway.refuse('REQUEST_TOO_LARGE', { requestId: randomUUID() }));
      return;
    }
    const side = sideRoutes(message);
    write(response, side === undefined ? await gateway.handle(readRequest(message, body)) : await side(body));
  } catch (error) {
    if (error instanceof BadRequest) {
      write(
        response,
        gateway.refuse('BAD_REQUEST_PARAMETERS', { requestId: randomUUID() }, { message: error.message }),
      );
      return;
    }
    // The caller went away while sending, or the runner itself has a fault.
    if (!message.complete) return void response.destroy();
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    write(response, gateway.refuse('DEFAULT_5XX', { requestId: randomUUID() }, { status: 500 }));
  }
}

/** @returns undefined for a body above the limit. */
async function readBody(message: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= BODY_LIMIT_BYTES) chunks.push(chunk);
    else chunks.length = 0;
    if (size > DRAIN_LIMIT_BYTES) break;
  }
  return size > BODY_LIMIT_BYTES ? undefined : Buffer.concat(chunks);
}

function write(response: ServerResponse, answered: HttpAnswer): void {
  if (response.headersSent) return;
  const bodiless = answered.status === 204 || answered.status === 304;
  response.writeHead(answered.status, {
    ...answered.headers,
    ...(!bodiless && { 'Content-Length': answered.body.length }),
  });
  response.end(bodiless ? undefined : answered.body);
}

/** Bytes that are no HTTP request: the standard body all the same. */
function rawRefusal(socket: Duplex, refuse: Gateway['refuse'] | undefined, error?: NodeJS.ErrnoException): void {
  socket.on('error', () => undefined);
  if (error?.code === 'ECONNRESET' || !socket.writable || refuse === undefined) {
    socket.destroy();
    return;
  }
  const status = error?.code === 'HPE_HEADER_OVERFLOW' ? 431 : error?.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const message = STATUS_CODES[status] ?? 'Bad Request';
  const refusal = refuse('BAD_REQUEST_PARAMETERS', { requestId: randomUUID() }, { status, message });
  const headers = Object.entries(refusal.headers).map(([name, value]) => `${name}: ${String(value)}`);
  const head = [
    `HTTP/1.1 ${status} ${message}`,
    ...headers,
    `Content-Length: ${refusal.body.length}`,
    'Connection: close',
    '',
    '',
  ];
  socket.end(Buffer.concat([Buffer.from(head.join('\r\n')), refusal.body]));
}

/** Requests in flight get their answer, idle connections are closed at once. */
async function close(server: Server): Promise<void> {
  const closed = new Promise((done) => server.close(done));
  server.closeIdleConnections();
  const impatient = setTimeout(() => {
    server.closeAllConnections();
  }, CLOSE_WITHIN_MS);
  await closed;
  clearTimeout(impatient);
}
