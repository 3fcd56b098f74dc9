import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import * as z from 'zod';
import type { CallResult } from '../deliveries/states.ts';
import { jsonParser } from './queue.ts';
import type { AddressRules, Resolve } from '#shared/platform/target-guard.ts';
import {
  checkUrl,
  codeOf,
  ForbiddenTarget,
  guardedLookup,
  hostOf,
  isForbiddenAddress,
  portOf,
  resolver,
} from '#shared/platform/target-guard.ts';
import { nowMs } from '#shared/platform/clock.ts';
import { maxHeadBytes } from '#shared/platform/http/head-size.ts';
import type { AttemptError } from '#shared/platform/outbox/delivery.ts';

export type OutgoingCall = Readonly<{ endpoint: string; headers: Readonly<Record<string, string>>; body: string }>;

export type SenderOptions = {
  readonly rules: AddressRules;
  readonly resolve?: Resolve;
  /** Time limit of the whole call: name, connection, handshake, headers and body. Milliseconds. */
  readonly deadlineMs?: number;
  /** Certificate authorities instead of the public ones (PEM). */
  readonly authorities?: string;
};

const deadlineDefaultMs = 10_000;
const systemResolve = resolver();
const maxResponseBytes = 4096;
/** How long the body may take after the head: a response that never ends must not delay other deliveries. */
const bodyMs = 1000;

/** Milliseconds after which a call is slow: further deliveries to its endpoint wait for the drain. */
export const slowAfterMs = 1000;

/**
 * POSTs bodies to partners. Never throws: the result says how a call ended. Each call has its own connection: a socket
 * that was idle while the function was frozen must not cost an attempt. It follows no redirect. `whenSlow` runs once
 * during a slow call. `isConnected`: the handshake is complete, and the request is on its way.
 */
export function sender(
  options: SenderOptions,
): (call: OutgoingCall, whenSlow?: (isConnected: boolean) => void) => Promise<CallResult> {
  return async (call, whenSlow = () => undefined) => {
    const progress = { isConnected: false };
    const timer = setTimeout(() => {
      whenSlow(progress.isConnected);
    }, slowAfterMs);
    const startedMs = nowMs();
    const signal = AbortSignal.timeout(options.deadlineMs ?? deadlineDefaultMs);
    const result = await exchange(call, options, signal, progress).catch((error: unknown): CallResult => {
      const failed = { outcome: 'FAILED', error: signal.aborted ? 'TIMEOUT' : sendErrorOf(error) } as const;
      return progress.isConnected ? failed : { ...failed, isUnreached: true };
    });
    clearTimeout(timer);
    return { ...result, durationMs: nowMs() - startedMs };
  };
}

/** Sends one request over its own connection, for https after the TLS handshake. The signal aborts every step. */
async function exchange(
  call: OutgoingCall,
  { rules, resolve = systemResolve, authorities }: SenderOptions,
  signal: AbortSignal,
  progress: { isConnected: boolean },
): Promise<CallResult> {
  const checked = checkUrl(call.endpoint, rules);
  if (!checked.ok) throw new ForbiddenTarget(checked.because);
  const { url } = checked;
  const host = hostOf(url);
  const isSecure = url.protocol === 'https:';
  const lookup = guardedLookup(rules, resolve, signal);
  const socket = connectTcp({ host, port: portOf(url), lookup, autoSelectFamily: true, signal });
  try {
    await opened(socket, 'connect', signal);
    // Checked before the first byte of the handshake: all bytes go to this address, whatever the lookup returned.
    if (isForbiddenAddress(socket.remoteAddress ?? '', rules))
      throw new ForbiddenTarget('The connected address is forbidden.');
    // The certificate is checked for the host of the URL; an IP address is no server name (RFC 6066, 3).
    const name = { host, ...(isIP(host) === 0 && { servername: host }) };
    // Without a protocol in ALPN a receiver may take the connection for HTTP/2.
    const tls = { ...name, ALPNProtocols: ['http/1.1'], ...(authorities !== undefined && { ca: authorities }) };
    const connection = isSecure ? await opened(connectTls({ socket, ...tls }), 'secureConnect', signal) : socket;
    progress.isConnected = true;
    return await post(url, call, connection);
  } finally {
    // This also ends the TLS connection and the request over it.
    socket.destroy();
  }
}

async function opened(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<Socket> {
  // Without this handler an error at a moment when nothing awaits the socket would end the process.
  socket.on('error', () => undefined);
  await once(socket, event, { signal });
  return socket;
}

function post(url: URL, call: OutgoingCall, socket: Socket): Promise<CallResult> {
  const body = Buffer.from(call.body);
  const outgoing = request({
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    setHost: false,
    headers: { host: url.host, ...call.headers, 'content-length': body.byteLength },
    createConnection: () => socket,
    // Contradictory lengths do no harm: the connection has no other response.
    insecureHTTPParser: true,
    maxHeaderSize: maxHeadBytes,
  });
  return new Promise((resolve, reject) => {
    // A valid head is a response, even if invalid bytes follow: the first event counts, later ones have no effect.
    outgoing.once('response', (response) => {
      resolve(read(response));
    });
    outgoing.on('error', reject);
    outgoing.once('upgrade', () => {
      reject(Object.assign(new Error('The receiver switched protocols.'), { code: 'HPE_UPGRADE' }));
    });
    outgoing.end(body);
  });
}

/** Reads a response: any 2xx acknowledges (6.1). The return code is optional: it reads 4 KiB, for a second, at most. */
async function read(response: IncomingMessage): Promise<CallResult> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= maxResponseBytes) response.destroy();
  });
  response.on('error', () => undefined);
  const bodyTimer = setTimeout(() => response.destroy(), bodyMs);
  await new Promise((done) => response.once('close', done));
  clearTimeout(bodyTimer);
  const { statusCode: httpStatus = 0 } = response;
  const hundreds = Math.floor(httpStatus / 100);
  if (hundreds !== 2) return { outcome: 'FAILED', httpStatus, error: hundreds === 3 ? 'REDIRECT' : 'STATUS' };
  const text = Buffer.concat(chunks).subarray(0, maxResponseBytes).toString();
  return { outcome: 'DELIVERED', httpStatus, ...parseResponse(text) };
}

/** Attempt errors by the codes of name servers, sockets, OpenSSL's certificates, Node's handshakes and Node's HTTP. */
const errorsByCode: readonly (readonly [RegExp, AttemptError])[] = [
  [/^E(NOTFOUND|AI_AGAIN|AI_FAIL|NODATA|SERVFAIL|REFUSED|BADRESP|BADNAME|TIMEOUT|CANCELLED)$/u, 'DNS'],
  [/^ECONNREFUSED$/u, 'CONNECTION_REFUSED'],
  [/^(ECONNRESET|EPIPE)$/u, 'CONNECTION_RESET'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/u, 'UNREACHABLE'],
  [/^ETIMEDOUT$/u, 'TIMEOUT'],
  [/^(EPROTO$|ERR_TLS|ERR_SSL|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/u, 'TLS'],
  [/^(HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/u, 'TLS'],
  [/^HPE_/u, 'INVALID_RESPONSE'],
];

function sendErrorOf(error: unknown): AttemptError {
  if (error instanceof ForbiddenTarget) return 'FORBIDDEN_TARGET';
  return errorsByCode.find(([codes]) => codes.test(codeOf(error)))?.[1] ?? 'CONNECTION_FAILED';
}

/** A return code (specification, 4.8): short and printable, so that the delivery can show it. */
const parseResponse = jsonParser(z.object({ returnCode: z.string().regex(/^[\x20-\x7e]{1,64}$/u) }));
