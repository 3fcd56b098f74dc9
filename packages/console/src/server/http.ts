import type { IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';

export type ConsoleResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

/** Allows only files of the console itself and `data:` images; forbids inline code and styles, and frames. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const always = {
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

export function respondJson(status: number, body: unknown): ConsoleResponse {
  const headers = { ...always, 'Content-Type': 'application/json; charset=utf-8' };
  return { status, headers, body: Buffer.from(JSON.stringify(body)) };
}

/** @param next The next step for the person at the page. */
export function respondWithError(status: number, message: string, next = ''): ConsoleResponse {
  return respondJson(status, { message: next === '' ? message : `${message} ${next}` });
}

export function respondWithFile(type: string, text: string): ConsoleResponse {
  const headers = { ...always, 'Content-Type': `${type}; charset=utf-8`, 'Content-Encoding': 'gzip' };
  return { status: 200, headers, body: gzipSync(text) };
}

export function redirect(location: string): ConsoleResponse {
  return { status: 302, headers: { ...always, Location: location }, body: Buffer.of() };
}

const loopback = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Returns why a request does not come from the console's own page, or undefined when it does. The check of the host
 * stops DNS rebinding. The check of the origin stops other pages in the browser.
 */
export function checkSameOrigin({ headers, method, socket }: IncomingMessage): string | undefined {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  const [, name = '', port = '80'] = /^(.+?)(?::(\d+))?$/u.exec(host) ?? [];
  if (!loopback.has(name) || Number(port) !== socket.localPort)
    return 'The console responds only at the loopback address of this machine, such as http://127.0.0.1.';
  const own = `http://${host}`;
  if (origin === undefined ? method !== 'GET' : origin !== own)
    return 'Only the page of the console may call its server.';
  if (site !== undefined && site !== 'same-origin' && !(site === 'none' && method === 'GET'))
    return 'Only the page of the console may call its server. Open the console by its address.';
  return undefined;
}
