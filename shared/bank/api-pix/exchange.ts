import { Agent, request } from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { BankAnswer, Exchange } from './answer.ts';
import { nowMs } from '#shared/platform/clock.ts';

/** Certificate and key of a connection (PEM), and authorities instead of the public ones. */
export type Identity = { readonly certificate: string; readonly key: string; readonly authorities?: string };

type Call = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
};

/** One mTLS connection pool: sockets and TLS sessions are kept between calls. Never throws. */
export type Exchanges = (call: Call) => Promise<Exchange>;

const maxAnswerBytes = 4 * 1024 * 1024;
/** Sockets that were idle for longer are not used: a function may have been frozen while the bank closed them. */
const idleMs = 4000;

/** @param identity presented in every handshake (RFC 8705: the token is bound to it) */
export function exchanges({ certificate: cert, key, authorities: ca }: Identity): Exchanges {
  const agent = new Agent({
    ...{ cert, key, minVersion: 'TLSv1.2', keepAlive: true, maxFreeSockets: 10, maxCachedSessions: 10 },
    ...(ca !== undefined && { ca }),
  });
  let lastMs = nowMs();
  return async (call) => {
    // Ends idle sockets alone; sessions stay, so the next handshake is short.
    if (nowMs() - lastMs > idleMs)
      for (const free of Object.values(agent.freeSockets)) free?.forEach((socket) => socket.destroy());
    lastMs = nowMs();
    const progress = { isSent: false };
    try {
      return await exchange(agent, call, progress);
    } catch (error) {
      if (progress.isSent && !isHandshakeRefusal(error)) return { status: 'NO_ANSWER' };
      return { status: 'NOT_CONNECTED', cause: `No connection to the bank: ${errorCode(error)}.` };
    } finally {
      lastMs = nowMs();
    }
  };
}

function exchange(agent: Agent, call: Call, progress: { isSent: boolean }): Promise<BankAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<BankAnswer>();
  const { method, url, headers, body, signal } = call;
  const length = body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` };
  const outgoing: ClientRequest = request(
    url,
    { method, agent, headers: { ...headers, ...length }, signal },
    (answer) => {
      read(answer).then(resolve, reject);
    },
  );
  outgoing.on('error', reject);
  // The bytes of a request leave once its socket is ready: not a moment before, whatever fails.
  outgoing.on('socket', (socket) => {
    const sent = (): void => void (progress.isSent = true);
    if (outgoing.reusedSocket) sent();
    else socket.once('secureConnect', sent);
  });
  outgoing.end(body);
  return promise;
}

/** TLS 1.3 tells of a missing certificate after the client's own handshake: the bank saw no request. */
function isHandshakeRefusal(error: unknown): boolean {
  return /^ERR_SSL_.*(ALERT|CERTIFICATE)/u.test(errorCode(error));
}

function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return code ?? (error instanceof Error ? error.name : 'ERROR');
}

async function read(answer: IncomingMessage): Promise<BankAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxAnswerBytes) throw new Error('The answer of the bank is too large.');
    chunks.push(chunk);
  }
  const { statusCode: status = 0, headers } = answer;
  const retryAfter = /^\d{1,5}$/u.exec(headers['retry-after'] ?? '')?.[0];
  return {
    status,
    body: jsonOf(Buffer.concat(chunks).toString('utf8')),
    ...(retryAfter !== undefined && { retryAfterSeconds: Math.min(Number(retryAfter), 86_400) }),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
