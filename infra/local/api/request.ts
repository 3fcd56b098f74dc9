import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RouteModel } from './api-model.ts';

/** A request as the gateway sees it, before it is known what it asks for. */
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
export function headerOf(request: GatewayRequest, name: string): string | undefined {
  const wanted = name.toLowerCase();
  const found = Object.entries(request.headers).find(([header]) => header.toLowerCase() === wanted);
  return found?.[1].at(-1);
}

/** Also `GET http://host/path` (absolute form, RFC 9112 3.2.2); any other form of target names nothing that exists. */
function splitTarget(target: string): { path: string; query: string } {
  const origin = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  const mark = origin.indexOf('?');
  const path = mark < 0 ? origin : origin.slice(0, mark);
  assertEncoding(path);
  return { path: path.startsWith('/') ? path : `/${path}`, query: mark < 0 ? '' : origin.slice(mark + 1) };
}

function readQuery(query: string): Record<string, string[]> {
  const values: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const pair of query.split('&').filter((part) => part !== '')) {
    const equals = pair.indexOf('=');
    const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    (values[decodeForm(name)] ??= []).push(decodeForm(value));
  }
  return values;
}

function readHeaders(raw: readonly string[]): Record<string, string[]> {
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
    throw new BadRequest(`Invalid percent-encoding in ${JSON.stringify(text.slice(0, 80))}`);
  }
}

const decodeForm = (text: string): string => decode(text.replaceAll('+', ' '));

const assertEncoding = (text: string): void => void decode(text);

/** A request's route and the path parameters as sent (still percent-encoded). */
export type Match = {
  readonly route: RouteModel;
  readonly parameters: Readonly<Record<string, string>>;
};

type Node = {
  readonly fixed: Map<string, Node>;
  readonly methods: Map<string, RouteModel>;
  parameter?: { readonly name: string; readonly node: Node };
  greedy?: { readonly name: string; readonly node: Node };
};

/**
 * Finds the route of a method and a raw path: fixed segments before `{parameters}` before `{proxy+}`, a method before
 * `ANY`. As in API Gateway a known path with another method matches nothing.
 */
export function createRouter(routes: readonly RouteModel[]): (method: string, path: string) => Match | undefined {
  const root = emptyNode();
  for (const route of routes) insert(root, route);
  return (method, path) => {
    const segments = path === '/' ? [] : path.slice(1).split('/');
    return search(root, segments, method, {});
  };
}

const emptyNode = (): Node => ({ fixed: new Map(), methods: new Map() });

function insert(root: Node, route: RouteModel): void {
  let node = root;
  for (const segment of route.resourcePath.split('/').filter((part) => part !== '')) {
    const [, name, plus] = /^\{([^}+]+)(\+)?\}$/.exec(segment) ?? [];
    if (name === undefined) {
      const next = node.fixed.get(segment) ?? emptyNode();
      node.fixed.set(segment, next);
      node = next;
    } else if (plus === undefined) {
      node.parameter ??= { name, node: emptyNode() };
      node = node.parameter.node;
    } else {
      node.greedy ??= { name, node: emptyNode() };
      node = node.greedy.node;
    }
  }
  node.methods.set(route.method, route);
}

function search(
  node: Node,
  segments: readonly string[],
  method: string,
  parameters: Readonly<Record<string, string>>,
): Match | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) {
    const route = node.methods.get(method) ?? node.methods.get('ANY');
    return route && { route, parameters };
  }
  const fixed = node.fixed.get(segment);
  const found = fixed && search(fixed, rest, method, parameters);
  if (found || segment === '') return found;
  const { parameter, greedy } = node;
  const one = parameter && search(parameter.node, rest, method, { ...parameters, [parameter.name]: segment });
  return one ?? (greedy && search(greedy.node, [], method, { ...parameters, [greedy.name]: segments.join('/') }));
}
