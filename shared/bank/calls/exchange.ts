import { Agent, request } from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { BankResponse, Exchange } from './response.ts';
import { secondsToWait } from './response.ts';
import { parseHttpDate } from '#shared/core/brasilia-time.ts';
import { nowMs, systemClock } from '#shared/platform/clock.ts';
import { maxHeadBytes } from '#shared/platform/http/head-size.ts';
import type { Resolve } from '#shared/platform/target-guard.ts';
import { guardedLookup, resolver } from '#shared/platform/target-guard.ts';

/**
 * Certificate and key of a connection (PEM), where the bank knows us by them, and authorities instead of the public
 * ones.
 */
export type Identity = { readonly certificate?: string; readonly key?: string; readonly authorities?: string };

type Call = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
};

/** One TLS connection pool: sockets and TLS sessions are kept between calls. Never throws. */
export type Exchanges = (call: Call) => Promise<Exchange>;

/** Milliseconds that a bank has for its response, unless the caller has less. */
export const callTimeoutMs = 3000;

const maxBankResponseBytes = 4 * 1024 * 1024;
/** Milliseconds after which an idle socket is not used: the bank may have closed it while the function was frozen. */
const idleMs = 4000;

type Ways = {
  /** Reads the JSON of a bank; undefined for a text that is none. */
  readonly parse: (text: string) => unknown;
  /** Lets the system resolve host names, also to this machine: only in the local environment. */
  readonly allowLocal?: boolean;
  readonly resolve?: Resolve;
};

/**
 * Creates the connection pool of an identity. Unless `allowLocal`, a host name that leads to an internal address gets
 * no connection, whatever it led to before.
 * @param identity presented in every handshake, if the bank knows us by one (RFC 8705: a token is bound to it)
 */
export function exchanges(
  { certificate: cert, key, authorities: ca }: Identity,
  { parse, allowLocal = false, resolve = resolver() }: Ways,
): Exchanges {
  const agent = new Agent({
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    minVersion: 'TLSv1.2',
    keepAlive: true,
    maxFreeSockets: 10,
    maxCachedSessions: 10,
    ...(ca !== undefined && { ca }),
    ...(!allowLocal && { lookup: guardedLookup({ allowLocal }, resolve), autoSelectFamily: true }),
  });
  let lastMs = nowMs();
  return async (call) => {
    // Closes only idle sockets. TLS sessions stay, so the next handshake is short.
    if (nowMs() - lastMs > idleMs)
      for (const free of Object.values(agent.freeSockets)) free?.forEach((socket) => socket.destroy());
    lastMs = nowMs();
    const progress = { isSent: false, isReused: false };
    try {
      return await exchange(agent, call, { parse, progress });
    } catch (error) {
      if (progress.isSent && (progress.isReused || !isHandshakeRefusal(error))) return { status: 'NO_ANSWER' };
      const cause = `Cannot connect to the bank: ${errorCode(error)}.`;
      return { status: 'NOT_CONNECTED', cause, ...(isAccessError(error) && { isAccess: true }) };
    } finally {
      lastMs = nowMs();
    }
  };
}

type Progress = { isSent: boolean; isReused: boolean };

function exchange(
  agent: Agent,
  call: Call,
  { parse, progress }: Pick<Ways, 'parse'> & { readonly progress: Progress },
): Promise<BankResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<BankResponse>();
  const { method, url, headers, body, signal } = call;
  const length = body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` };
  const outgoing: ClientRequest = request(
    url,
    { method, agent, headers: { ...headers, ...length }, signal, maxHeaderSize: maxHeadBytes },
    (response) => {
      read(response, parse).then(resolve, reject);
    },
  );
  outgoing.on('error', reject);
  // The bytes of a request leave only when its socket is ready. Any earlier error means that nothing was sent.
  outgoing.on('socket', (socket) => {
    const sent = (): void => void (progress.isSent = true);
    progress.isReused = outgoing.reusedSocket;
    if (progress.isReused) sent();
    else socket.once('secureConnect', sent);
  });
  outgoing.end(body);
  return promise;
}

/**
 * Whether the bank refused the handshake. TLS 1.3 reports a missing certificate after the client's own handshake: the
 * bank saw no request.
 */
function isHandshakeRefusal(error: unknown): boolean {
  return /^ERR_SSL_.*(ALERT|CERTIFICATE)/u.test(errorCode(error));
}

/** Whether a person must fix it: an error of a certificate, its authority, or an address that is no bank's. */
function isAccessError(error: unknown): boolean {
  return /^ERR_(?:SSL|TLS)_|CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|ForbiddenTarget/u.test(
    errorCode(error),
  );
}

function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return code ?? (error instanceof Error ? error.name : 'ERROR');
}

async function read(response: IncomingMessage, parse: Ways['parse']): Promise<BankResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxBankResponseBytes) throw new Error('The bank response is too large.');
    chunks.push(chunk);
  }
  const { statusCode: status = 0, headers } = response;
  const retryAfterSeconds = secondsToWait(headers['retry-after'], parseHttpDate(headers.date ?? '') ?? systemClock());
  return {
    status,
    body: parse(Buffer.concat(chunks).toString('utf8')),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** Keeps the pool of the current certificate, key and authorities. A rotated identity opens another pool. */
export function identityPool(exchangesOf: (identity: Identity) => Exchanges): (identity: Identity) => Exchanges {
  let open: { readonly identity: Identity; readonly exchange: Exchanges } | undefined;
  return (identity) => {
    const { certificate, key, authorities } = identity;
    const isSame =
      open !== undefined &&
      open.identity.certificate === certificate &&
      open.identity.key === key &&
      open.identity.authorities === authorities;
    if (open === undefined || !isSame) open = { identity, exchange: exchangesOf(identity) };
    return open.exchange;
  };
}
