import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RouteModel } from './api-model.ts';

/** A request as the gateway sees it, before it has a route. */
export type GatewayRequest = {
  readonly id: string;
  readonly at: Date;
  readonly method: string;
  /** Path as sent, percent-encoded, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** By the name the caller used, values in the order sent. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly protocol: string;
  readonly host: string;
  readonly sourceIp: string;
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

/** The last value of a header, by any case of its name. */
export function headerOf({ headers }: Pick<GatewayRequest, 'headers'>, name: string): string | undefined {
  const found = Object.keys(headers).find((header) => header.toLowerCase() === name.toLowerCase());
  return found && headers[found]?.at(-1);
}

/** Also `GET http://host/path` (absolute form, RFC 9112 3.2.2); any other form of target names nothing that exists. */
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

/** A request's route and the path parameters as sent (still percent-encoded). */
export type Match = {
  readonly route: RouteModel;
  readonly parameters: Readonly<Record<string, string>>;
};

/**
 * Finds the route of a method and a raw path; a fixed segment comes before a parameter. As in API Gateway a known path
 * with another method matches nothing.
 */
export function createRouter(routes: readonly RouteModel[]): (method: string, path: string) => Match | undefined {
  const patterns = routes
    .map((route) => ({ route, segments: route.resourcePath.slice(1).split('/') }))
    .sort((one, other) => precedence(one.segments).localeCompare(precedence(other.segments)));
  return (method, path) => {
    const segments = path.slice(1).split('/');
    for (const { route, segments: pattern } of patterns) {
      const parameters = route.method === method ? readParameters(pattern, segments) : undefined;
      if (parameters !== undefined) return { route, parameters };
    }
    return undefined;
  };
}

const isParameter = (segment: string): boolean => segment.startsWith('{');

/** Sorts patterns: the first segment that is fixed in one and a parameter in the other decides. */
const precedence = (pattern: readonly string[]): string =>
  pattern.map((segment) => (isParameter(segment) ? '1' : '0')).join('');

/** The parameters of a path; undefined where it does not match. A parameter is never empty. */
function readParameters(pattern: readonly string[], path: readonly string[]): Match['parameters'] | undefined {
  const matches =
    pattern.length === path.length &&
    pattern.every((segment, at) => (isParameter(segment) ? path[at] !== '' : path[at] === segment));
  if (!matches) return undefined;
  const entries = pattern.flatMap((segment, at) => (isParameter(segment) ? [[segment.slice(1, -1), path[at]]] : []));
  return Object.fromEntries(entries) as Match['parameters'];
}
