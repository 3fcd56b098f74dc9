import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bank } from '../bank.ts';
import type { Authority } from '../certificates.ts';
import { serverError } from '../faults.ts';
import type { BankResponse } from '../refusal.ts';
import { replyTo } from './reply.ts';

/** Bytes of a request body that are read; a longer body is cut. */
const bodyLimit = 1024 * 1024;

/**
 * Serves the bank's API on loopback, with mTLS on every call, also on calls for a token. The handshake fails without a
 * certificate of the bank's authority.
 *
 * @param port 0 for any free port.
 */
export async function serveApi(bank: Bank, authority: Authority, port: number) {
  const { cert, key } = authority.issue('server', 'localhost');
  const server = createServer(
    { cert, key, ca: authority.certificate.cert, requestCert: true, rejectUnauthorized: true },
    (message, response) => {
      handleRequest(bank, message, response).catch((error: unknown) => {
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

async function handleRequest(bank: Bank, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers, socket } = message;
  const { pathname: path, searchParams: query } = new URL(url, 'https://127.0.0.1');
  const fingerprint = socket instanceof TLSSocket ? socket.getPeerCertificate().fingerprint256 : '';
  const reply = await replyTo(bank, { method, path, query, headers, fingerprint, body: await readText(message) });
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
