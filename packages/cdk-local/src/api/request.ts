import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A request as the gateway sees it, before it has a route. */
export type GatewayRequest = {
  readonly id: string;
  readonly at: Date;
  readonly method: string;
  /** Path as sent, percent-encoded, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** Values in the order sent, by the name that the caller used. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly protocol: string;
  readonly host: string;
  readonly sourceIp: string;
  readonly body: Buffer;
};

/** The authorizer's result about the caller: `principalId` and its context, all strings. */
export type AuthorizerContext = Readonly<Record<string, string>>;

/** An HTTP response, ready to be written. */
export type HttpResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

/** The request line or the query cannot be understood: 400. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest';
}

/** @throws BadRequest when the path or the query is not valid percent-encoding. */
export function readRequest(message: IncomingMessage, body: Buffer): GatewayRequest {
  const { path, query } = splitTarget(message.url ?? '/');
  const sourceIp = (message.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');
  return {
    id: randomUUID(),
    at: new Date(),
    method: message.method ?? 'GET',
    path,
    query: readQuery(query),
    headers: { ...readHeaders(message.rawHeaders), 'X-Forwarded-For': [sourceIp], 'X-Forwarded-Proto': ['http'] },
    protocol: `HTTP/${message.httpVersion}`,
    host: message.headers.host ?? 'localhost',
    sourceIp,
    body,
  };
}

/** Returns the last value of a header. The case of its name does not matter. */
export function headerOf({ headers }: Pick<GatewayRequest, 'headers'>, name: string): string | undefined {
  const found = Object.keys(headers).find((header) => header.toLowerCase() === name.toLowerCase());
  return found && headers[found]?.at(-1);
}

/**
 * Splits a request target into path and query, also in the absolute form `http://host/path` (RFC 9112 3.2.2). Any other
 * form becomes a path without a route.
 */
function splitTarget(target: string): { path: string; query: string } {
  const origin = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  const [path = '', ...query] = origin.split('?');
  decode(path);
  return { path: path.startsWith('/') ? path : `/${path}`, query: query.join('?') };
}

function readQuery(query: string): Record<string, string[]> {
  const values: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const pair of query.split('&').filter((part) => part !== '')) {
    const [name = '', ...value] = pair.split('=');
    (values[decodeForm(name)] ??= []).push(decodeForm(value.join('=')));
  }
  return values;
}

export function readHeaders(raw: readonly string[]): Record<string, string[]> {
  const values: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  const names = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [sent = '', value = ''] = raw.slice(at, at + 2);
    const name = names.get(sent.toLowerCase()) ?? sent;
    names.set(sent.toLowerCase(), name);
    (values[name] ??= []).push(value);
  }
  return values;
}

/** @throws BadRequest when it is not percent-encoded UTF-8. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new BadRequest('Invalid percent-encoding.');
  }
}

const decodeForm = (text: string): string => decode(text.replaceAll('+', ' '));
