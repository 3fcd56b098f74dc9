import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { CallResult } from '../domain/delivery-moves.ts';
import { nowMs } from '../runtime/clock.ts';
import type { AddressRules } from './forbidden-addresses.ts';
import { isForbiddenAddress } from './forbidden-addresses.ts';
import { returnCodeOf } from './return-code.ts';
import { sendErrorOf } from './send-errors.ts';
import type { Resolve } from './target-guard.ts';
import { checkUrl, ForbiddenTarget, guardedLookup, hostOf, systemResolve } from './target-guard.ts';

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

type Answer = { readonly status: number; readonly text: string };

/**
 * POSTs bodies to partners. Never throws: how a call ended is its value. One connection a call: a socket that slept
 * through a freeze of the function must not cost an attempt. Redirects are not followed.
 */
export function sender(options: SenderOptions): (call: OutgoingCall) => Promise<CallResult> {
  return async (call) => {
    const startedMs = nowMs();
    const signal = AbortSignal.timeout(options.deadlineMs ?? deadlineDefaultMs);
    const ended = await exchange(call, options, signal).then(judged, (error: unknown) => failure(error, signal));
    return { ...ended, durationMs: nowMs() - startedMs };
  };
}

/** Any 2xx acknowledges (specification, 6.1); what the body says is only kept. */
function judged({ status, text }: Answer): CallResult {
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
  const socket = await connected(checked.url, options, signal);
  const stop = (): void => void socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await posted(checked.url, call, socket);
  } finally {
    signal.removeEventListener('abort', stop);
    socket.destroy();
  }
}

/** A socket to an address that was checked, with the handshake done: before that, nothing is written to it. */
async function connected(url: URL, options: SenderOptions, signal: AbortSignal): Promise<Socket> {
  const { rules, resolve = systemResolve, authorities } = options;
  const host = hostOf(url);
  const secure = url.protocol === 'https:';
  const address = {
    host,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    lookup: guardedLookup(rules, resolve),
  };
  // The certificate is checked for the name that the partner registered, never for the address.
  const name = isIP(host) === 0 ? { servername: host } : {};
  const socket = secure
    ? connectTls({
        ...address,
        ...name,
        ALPNProtocols: ['http/1.1'],
        ...(authorities !== undefined && { ca: authorities }),
      })
    : connectTcp(address);
  // Whoever waits for the socket hears its errors; this one is for the moments when nobody does.
  socket.on('error', () => undefined);
  try {
    await once(socket, secure ? 'secureConnect' : 'connect', { signal });
    if (isForbiddenAddress(socket.remoteAddress ?? '', rules))
      throw new ForbiddenTarget('Connected to a forbidden address.');
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function posted(url: URL, call: OutgoingCall, socket: Socket): Promise<Answer> {
  const body = Buffer.from(call.body);
  const outgoing = request({
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    setHost: false,
    headers: { host: url.host, ...call.headers, 'content-length': body.byteLength },
    createConnection: () => socket,
  });
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.once('upgrade', () => {
      reject(Object.assign(new Error('The receiver switches protocols.'), { code: 'HPE_UPGRADE' }));
    });
    outgoing.once('response', (response) => {
      read(response, resolve);
    });
    outgoing.end(body);
  });
}

/** Reads the answer up to 4 KiB. Its status counts, however its body ends. */
function read(response: IncomingMessage, done: (answer: Answer) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const finish = (): void => {
    done({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString() });
  };
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= maxAnswerBytes) response.destroy();
  });
  response.on('error', finish);
  response.once('close', finish);
}
