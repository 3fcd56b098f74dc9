import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import * as z from 'zod';
import type { CallResult } from '../deliveries/states.ts';
import { slotAfterMs } from '../health/circuit.ts';
import { nowMs } from '#shared/platform/clock.ts';
import type { AddressRules, Resolve } from './target-guard.ts';
import { isForbiddenAddress, checkUrl, ForbiddenTarget, guardedLookup, hostOf, systemResolve } from './target-guard.ts';
import type { AttemptError } from '#shared/platform/outbox/delivery.ts';

export type OutgoingCall = {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type SenderOptions = {
  readonly rules: AddressRules;
  readonly resolve?: Resolve;
  /** For the whole call: name, connection, handshake, headers and body. Milliseconds. */
  readonly deadlineMs?: number;
  /** Certificate authorities instead of the public ones (PEM). */
  readonly authorities?: string;
};

const deadlineDefaultMs = 10_000;
const maxResponseBytes = 4096;
/** How long the body may take after the head: a response that never ends must not delay other deliveries. */
const bodyMs = 1000;

type Received = { readonly status: number; readonly text: string };

/**
 * POSTs bodies to partners. Never throws: the result says how a call ended. Each call has its own connection: a socket
 * that was idle while the function was frozen must not cost an attempt. It follows no redirect. `whenLong` runs during
 * a long call.
 */
export function sender(options: SenderOptions): (call: OutgoingCall, whenLong?: () => void) => Promise<CallResult> {
  return async (call, whenLong = () => undefined) => {
    const timer = setTimeout(whenLong, slotAfterMs);
    const startedMs = nowMs();
    const signal = AbortSignal.timeout(options.deadlineMs ?? deadlineDefaultMs);
    const ended = await exchange(call, options, signal).then(readOutcome, (error: unknown) => failure(error, signal));
    clearTimeout(timer);
    return { ...ended, durationMs: nowMs() - startedMs };
  };
}

/** Any 2xx acknowledges (specification, 6.1), whatever its body. */
function readOutcome({ status, text }: Received): CallResult {
  if (status < 200 || status > 299)
    return { outcome: 'FAILED', httpStatus: status, error: status >= 300 && status < 400 ? 'REDIRECT' : 'STATUS' };
  const returnCode = returnCodeOf(text);
  return { outcome: 'DELIVERED', httpStatus: status, ...(returnCode !== undefined && { returnCode }) };
}

function failure(error: unknown, signal: AbortSignal): CallResult {
  return { outcome: 'FAILED', error: signal.aborted ? 'TIMEOUT' : sendErrorOf(error) };
}

async function exchange(call: OutgoingCall, options: SenderOptions, signal: AbortSignal): Promise<Received> {
  const checked = checkUrl(call.endpoint, options.rules);
  if (!checked.ok) throw new ForbiddenTarget(checked.because);
  const socket = await connectTo(checked.url, options, signal);
  const stop = (): void => void socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await post(checked.url, call, socket);
  } finally {
    signal.removeEventListener('abort', stop);
    socket.destroy();
  }
}

/** A socket to a checked address; for https after its handshake. */
async function connectTo(url: URL, options: SenderOptions, signal: AbortSignal): Promise<Socket> {
  const { rules, resolve = systemResolve } = options;
  const host = hostOf(url);
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  const socket = connectTcp({ host, port, lookup: guardedLookup(rules, resolve) });
  await open(socket, 'connect', signal);
  // Checked before the first byte, handshake included: whatever the lookup said, bytes go to this address.
  if (!isForbiddenAddress(socket.remoteAddress ?? '', rules))
    return secure ? secured(socket, host, options, signal) : socket;
  socket.destroy();
  throw new ForbiddenTarget('Connected to a forbidden address.');
}

/** Checks the certificate for the registered name, never for its address. */
async function secured(
  socket: Socket,
  host: string,
  { authorities }: SenderOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const secure = connectTls({
    socket,
    host,
    // An address is no server name (RFC 6066, 3).
    ...(isIP(host) === 0 && { servername: host }),
    // Without it a receiver may take the connection for HTTP/2.
    ALPNProtocols: ['http/1.1'],
    ...(authorities !== undefined && { ca: authorities }),
  });
  await open(secure, 'secureConnect', signal);
  return secure;
}

async function open(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  // An error while nothing waits for the socket.
  socket.on('error', () => undefined);
  try {
    await once(socket, event, { signal });
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function post(url: URL, call: OutgoingCall, socket: Socket): Promise<Received> {
  const body = Buffer.from(call.body);
  const outgoing = request({
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    setHost: false,
    headers: { host: url.host, ...call.headers, 'content-length': body.byteLength },
    createConnection: () => socket,
    // Contradictory lengths do no harm: the connection has no other response.
    insecureHTTPParser: true,
  });
  return new Promise((resolve, reject) => {
    // The head is the response, even with invalid bytes after it: the first of these two events counts.
    outgoing.once('response', (response) => {
      resolve(read(response));
    });
    outgoing.on('error', reject);
    outgoing.once('upgrade', () => {
      reject(Object.assign(new Error('The receiver switches protocols.'), { code: 'HPE_UPGRADE' }));
    });
    outgoing.end(body);
  });
}

/** Reads up to 4 KiB of the response, for a second: its status decides, its return code is optional. */
async function read(response: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= maxResponseBytes) response.destroy();
  });
  response.on('error', () => undefined);
  const timer = setTimeout(() => response.destroy(), bodyMs);
  await new Promise((done) => response.once('close', done));
  clearTimeout(timer);
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).subarray(0, maxResponseBytes).toString() };
}

const byCode: Readonly<Record<string, AttemptError>> = {
  ENOTFOUND: 'DNS',
  EAI_AGAIN: 'DNS',
  EAI_FAIL: 'DNS',
  ENODATA: 'DNS',
  ECONNREFUSED: 'CONNECTION_REFUSED',
  ECONNRESET: 'CONNECTION_RESET',
  EPIPE: 'CONNECTION_RESET',
  EHOSTUNREACH: 'UNREACHABLE',
  ENETUNREACH: 'UNREACHABLE',
  EADDRNOTAVAIL: 'UNREACHABLE',
  ETIMEDOUT: 'TIMEOUT',
  EPROTO: 'TLS',
};

/** OpenSSL's codes of invalid certificates, and Node's of failed handshakes. */
const tls = /^(ERR_TLS|ERR_SSL|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/u;

function sendErrorOf(error: unknown): AttemptError {
  if (error instanceof ForbiddenTarget) return 'FORBIDDEN_TARGET';
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (tls.test(code)) return 'TLS';
  return byCode[code] ?? (code.startsWith('HPE_') ? 'INVALID_RESPONSE' : 'CONNECTION_FAILED');
}

/** A return code (specification, 4.8): short and printable, so that the delivery can show it. */
const ResponseShape = z.object({ returnCode: z.string().regex(/^[\x20-\x7e]{1,64}$/u) });

/** The `returnCode` of a response, if it is JSON with a valid one. */
function returnCodeOf(text: string): string | undefined {
  try {
    return ResponseShape.safeParse(JSON.parse(text)).data?.returnCode;
  } catch {
    return undefined;
  }
}
