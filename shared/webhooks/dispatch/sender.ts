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
const maxAnswerBytes = 4096;
/** How long the body may take after the head: an answer that never ends must not hold up other deliveries. */
const bodyMs = 1000;

type Answer = { readonly status: number; readonly text: string };

/**
 * POSTs bodies to partners. Never throws: the result says how a call ended. Each call has its own connection: a socket
 * that was idle while the function was frozen must not cost an attempt. Redirects are not followed. `whenLong` runs
 * during a call that takes long.
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

/** Any 2xx acknowledges (specification, 6.1); what the body says is only kept. */
function readOutcome({ status, text }: Answer): CallResult {
  if (status < 200 || status > 299)
    return { outcome: 'FAILED', httpStatus: status, error: status >= 300 && status < 400 ? 'REDIRECT' : 'STATUS' };
  const returnCode = returnCodeOf(text);
  return { outcome: 'DELIVERED', httpStatus: status, ...(returnCode !== undefined && { returnCode }) };
}

function failure(error: unknown, signal: AbortSignal): CallResult {
  return { outcome: 'FAILED', error: signal.aborted ? 'TIMEOUT' : sendErrorOf(error) };
}

async function exchange(call: OutgoingCall, options: SenderOptions, signal: AbortSignal): Promise<Answer> {
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

/** A socket to an address that was checked, over https with the handshake done. */
async function connectTo(url: URL, options: SenderOptions, signal: AbortSignal): Promise<Socket> {
  const { rules, resolve = systemResolve } = options;
  const host = hostOf(url);
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  const socket = connectTcp({ host, port, lookup: guardedLookup(rules, resolve) });
  await open(socket, 'connect', signal);
  // Checked before any byte is written, those of the handshake included: whatever the lookup said, bytes would go here.
  if (!isForbiddenAddress(socket.remoteAddress ?? '', rules))
    return secure ? secured(socket, host, options, signal) : socket;
  socket.destroy();
  throw new ForbiddenTarget('Connected to a forbidden address.');
}

/** The certificate is checked for the name that the partner registered, never for the address behind it. */
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
  // Errors that come while nothing waits for the socket.
  socket.on('error', () => undefined);
  try {
    await once(socket, event, { signal });
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function post(url: URL, call: OutgoingCall, socket: Socket): Promise<Answer> {
  const body = Buffer.from(call.body);
  const outgoing = request({
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    setHost: false,
    headers: { host: url.host, ...call.headers, 'content-length': body.byteLength },
    createConnection: () => socket,
    // Contradictory lengths do no harm: nothing else comes on this connection.
    insecureHTTPParser: true,
  });
  return new Promise((resolve, reject) => {
    // With the head there is an answer, whatever is wrong with the bytes after it: the first of these two events
    // counts.
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

/** Reads the answer up to 4 KiB and for a second: only its status decides, its return code is kept if it comes. */
async function read(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= maxAnswerBytes) response.destroy();
  });
  response.on('error', () => undefined);
  const timer = setTimeout(() => response.destroy(), bodyMs);
  await new Promise((done) => response.once('close', done));
  clearTimeout(timer);
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString() };
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

/** Certificates that do not hold, by OpenSSL's names, and Node's own names for failed handshakes. */
const tls = /^(ERR_TLS|ERR_SSL|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/u;

/** The name for what went wrong while a partner was called. */
function sendErrorOf(error: unknown): AttemptError {
  if (error instanceof ForbiddenTarget) return 'FORBIDDEN_TARGET';
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = byCode[code];
  if (known !== undefined) return known;
  if (tls.test(code)) return 'TLS';
  return code.startsWith('HPE_') ? 'INVALID_RESPONSE' : 'CONNECTION_FAILED';
}

/** What a receiver may say about itself (specification, 4.8): short, printable, so that it can be kept and shown. */
const AnswerShape = z.object({ returnCode: z.string().regex(/^[\x20-\x7e]{1,64}$/u) });

/** The `returnCode` of a partner's answer, if it is JSON and has one that can be kept. */
function returnCodeOf(text: string): string | undefined {
  try {
    return AnswerShape.safeParse(JSON.parse(text)).data?.returnCode;
  } catch {
    return undefined;
  }
}
