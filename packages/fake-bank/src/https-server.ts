import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Authority } from './certificates.ts';
import type { Reply } from './faulty-reply.ts';
import type { BankResponse } from './refusal.ts';

/** A received request. */
export type ReceivedRequest = {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** SHA-256 fingerprint of the connection's client certificate; empty without one. */
  readonly fingerprint: string;
  readonly body: string;
};

/** Bytes of a request body that are read; a longer body is cut. */
const bodyLimit = 1024 * 1024;

type Options = {
  /** Issues the server's certificate. */
  readonly authority: Authority;
  /** 0 for any free port. */
  readonly port: number;
  /** Refuses a handshake without a client certificate of the authority. */
  readonly mutualTls: boolean;
  /** Response when the bank itself fails. */
  readonly failed: BankResponse;
};

/** Serves a bank's API on loopback by HTTPS. */
export async function serveHttps(
  { authority, port, mutualTls, failed }: Options,
  replyTo: (request: ReceivedRequest) => Promise<Reply>,
) {
  const { cert, key } = authority.issue('server', 'localhost');
  const server = createServer(
    { cert, key, ca: authority.certificate.cert, requestCert: mutualTls, rejectUnauthorized: mutualTls },
    (message, response) => {
      handleRequest(replyTo, message, response).catch((error: unknown) => {
        process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
        if (!response.headersSent) write(response, failed);
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

async function handleRequest(
  replyTo: (request: ReceivedRequest) => Promise<Reply>,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url: target = '', headers, socket } = message;
  const { pathname: path, searchParams: query } = new URL(target, 'https://127.0.0.1');
  const fingerprint = (socket instanceof TLSSocket ? socket.getPeerCertificate().fingerprint256 : undefined) ?? '';
  const reply = await replyTo({ method, target, path, query, headers, fingerprint, body: await readText(message) });
  switch (reply.is) {
    case 'LOST':
      response.destroy();
      return;
    case 'NEVER':
      return;
    case 'GARBLED':
      response.writeHead(reply.response.status, { 'Content-Type': 'text/html' }).end('<html>');
      return;
    case 'ANSWER':
      if (reply.delayMs > 0) await sleep(reply.delayMs);
      write(response, reply.response);
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

function write(response: ServerResponse, { status, body, headers, ...more }: BankResponse): void {
  if (response.destroyed) return;
  const type = more.type ?? (typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json');
  response.writeHead(status, { ...(body !== undefined && { 'Content-Type': type }), ...headers });
  response.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
}
