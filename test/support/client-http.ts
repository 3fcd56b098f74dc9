import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent, request as httpRequest } from 'node:http';
import { Agent as SecureAgent, request as httpsRequest } from 'node:https';
import { connect } from 'node:net';

/** One request as it goes over the wire; nothing is added but `host` and `content-length`. */
export type Sent = {
  readonly method: string;
  /** Behind the base URL, with its query, as it is to be sent. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
};
export type Received = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string };

const ANSWER_WITHIN_MS = 30_000;
const plain = new Agent({ keepAlive: true, maxSockets: 64 });
const secure = new SecureAgent({ keepAlive: true, maxSockets: 64 });

/** Sends a request and reads the whole answer. Rejects when the connection breaks or nothing comes for 30 seconds. */
export async function send(baseUrl: string, { method, path, headers = {}, body }: Sent): Promise<Received> {
  const base = new URL(baseUrl);
  const own =
    base.protocol === 'https:' ? { request: httpsRequest, agent: secure } : { request: httpRequest, agent: plain };
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = own.request(
      {
        protocol: base.protocol,
        hostname: base.hostname,
        port: base.port,
        agent: own.agent,
        method,
        path: `${base.pathname.replace(/\/$/u, '')}${path}`,
        headers: body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
        timeout: ANSWER_WITHIN_MS,
      },
      resolve,
    );
    outgoing.on('error', reject);
    outgoing.on('timeout', () => {
      outgoing.destroy(new Error(`${method} ${path} was not answered within ${ANSWER_WITHIN_MS} ms.`));
    });
    outgoing.end(body);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return { status: message.statusCode ?? 0, headers: message.headers, text: Buffer.concat(chunks).toString('utf8') };
}

/** Bytes that need not be HTTP, and whatever comes back until the other side closes or stays silent for `silentMs`. */
export async function sendBytes(baseUrl: string, bytes: Buffer, silentMs = 1000): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.setTimeout(silentMs, resolve);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', () => {
      resolve();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The other side may close while there is still something to send.
      if (error.code === 'EPIPE' || error.code === 'ECONNRESET') resolve();
      else reject(error);
    });
    socket.write(bytes);
  });
  socket.destroy();
  return Buffer.concat(chunks).toString('utf8');
}
