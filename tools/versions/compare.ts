import type { Difference, Direction, Node } from './schemas.ts';
import { isNode, listOf, nodeOf, resolve, schemaComparison } from './schemas.ts';

const methods = ['get', 'put', 'post', 'patch', 'delete'];

/**
 * Compares two OpenAPI documents of the service by docs/versions.md: returns what a client by the earlier one meets at
 * a service of the later one.
 */
export function compareDocuments(before: Node, after: Node): readonly Difference[] {
  const [old, now] = [operationsOf(before), operationsOf(after)];
  const [oldPosts, posts] = [notificationsOf(before), notificationsOf(after)];
  const both: Both = {
    before,
    after,
    REQUEST: schemaComparison(before, after, 'REQUEST'),
    ANSWER: schemaComparison(before, after, 'ANSWER'),
  };
  const found = [
    ...pairs(old, now, 'operation', (one, other, place) => [
      ...(one['operationId'] === other['operationId'] ? [] : [broken(place, 'operationId changed')]),
      ...parameters(both, [one, other], place, 'REQUEST'),
      ...body(both, [one, other], place, 'REQUEST'),
      ...responses(both, [one, other], place),
    ]),
    ...pairs(oldPosts, posts, 'notification', (one, other, place) => [
      ...parameters(both, [one, other], place, 'ANSWER'),
      ...body(both, [one, other], place, 'ANSWER'),
    ]),
    ...transitions(before, after),
  ];
  return [...new Map(found.map((one) => [`${one.place}: ${one.change}`, one])).values()];
}

/** Two documents, and the comparison of their schemas by the direction in which they are sent. */
type Both = Readonly<Record<Direction, ReturnType<typeof schemaComparison>>> & {
  readonly before: Node;
  readonly after: Node;
};

type Pair = readonly [before: Node, after: Node];

function broken(place: string, change: string, name = place): Difference {
  return { place, change, breaks: true, name };
}

function added(place: string, change: string, name = place): Difference {
  return { place, change, breaks: false, name };
}

/** Compares what both have by name. */
function pairs(
  old: Readonly<Record<string, Node>>,
  now: Readonly<Record<string, Node>>,
  what: string,
  compare: (one: Node, other: Node, place: string) => readonly Difference[],
): readonly Difference[] {
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((name) => {
    const [one, other] = [old[name], now[name]];
    if (other === undefined) return [broken(name, `${what} removed`)];
    return one === undefined ? [added(name, `${what} added`)] : compare(one, other, name);
  });
}

function operationsOf(document: Node): Readonly<Record<string, Node>> {
  return Object.fromEntries(
    Object.entries(nodeOf(document['paths'])).flatMap(([path, item]) =>
      methods.flatMap((method) => {
        const operation = nodeOf(item)[method];
        return isNode(operation) ? [[`${method.toUpperCase()} ${path}`, operation] as const] : [];
      }),
    ),
  );
}

function notificationsOf(document: Node): Readonly<Record<string, Node>> {
  return Object.fromEntries(
    Object.entries(nodeOf(document['webhooks'])).map(([name, item]) => [name, nodeOf(resolve(document, item)['post'])]),
  );
}

function parameters(both: Both, [one, other]: Pair, place: string, direction: Direction) {
  const named = (document: Node, { parameters }: Node): Readonly<Record<string, Node>> =>
    Object.fromEntries(
      listOf(parameters)
        .map((parameter) => resolve(document, parameter))
        .map((parameter) => [`${String(parameter['in'])} ${String(parameter['name'])}`, parameter]),
    );
  const [old, now] = [named(both.before, one), named(both.after, other)];
  const isRequest = direction === 'REQUEST';
  return Object.keys({ ...old, ...now }).flatMap((key): readonly Difference[] => {
    const [was, is] = [old[key], now[key]];
    const here = `${place} ${key}`;
    const name = key.split(' ')[1] ?? key;
    if (is === undefined) return [broken(here, 'parameter removed', name)];
    if (was === undefined)
      return is['required'] === true && isRequest
        ? [broken(here, 'required parameter added', name)]
        : [added(here, 'parameter added', name)];
    const [wasRequired, isRequired] = [was['required'] === true, is['required'] === true];
    const change = isRequired ? 'parameter is now required' : 'parameter is no longer required';
    return [
      ...(wasRequired === isRequired ? [] : [{ place: here, change, breaks: isRequest === isRequired, name }]),
      ...both[direction](was['schema'], is['schema'], here),
    ];
  });
}

function contentOf(part: Node): unknown {
  return nodeOf(nodeOf(part['content'])['application/json'])['schema'];
}

function body(both: Both, [one, other]: Pair, place: string, direction: Direction) {
  const [was, is] = [one['requestBody'], other['requestBody']].map(nodeOf) as [Node, Node];
  const [old, now] = [contentOf(was), contentOf(is)];
  if (old === undefined && now === undefined) return [];
  const here = `${place} body`;
  if (now === undefined) return [broken(here, 'body removed')];
  const isNewlyRequired = direction === 'REQUEST' && is['required'] === true && was['required'] !== true;
  const required = isNewlyRequired ? [broken(here, 'body is now required')] : [];
  if (old === undefined) return isNewlyRequired ? required : [added(here, 'body added')];
  return [...required, ...both[direction](old, now, here)];
}

/** A further success is another answer to the same request; a further error is an error as others are. */
function responses(both: Both, [one, other]: Pair, place: string): readonly Difference[] {
  const [old, now] = [nodeOf(one['responses']), nodeOf(other['responses'])];
  return Object.keys({ ...old, ...now }).flatMap((status): readonly Difference[] => {
    const here = `${place} ${status}`;
    if (!(status in now)) return [broken(here, 'status removed')];
    if (!(status in old)) return [{ place: here, change: 'status added', breaks: status < '400', name: status }];
    const [was, is] = [resolve(both.before, old[status]), resolve(both.after, now[status])];
    const [oldHeaders, headers] = [was['headers'], is['headers']].map(nodeOf) as [Node, Node];
    return [
      ...Object.keys({ ...oldHeaders, ...headers }).flatMap((name) =>
        !(name in headers)
          ? [broken(here, `header ${name} removed`, name)]
          : name in oldHeaders
            ? []
            : [added(here, `header ${name} added`, name)],
      ),
      ...(contentOf(was) !== undefined && contentOf(is) === undefined ? [broken(here, 'body removed')] : []),
      ...both.ANSWER(contentOf(was), contentOf(is), here),
    ];
  });
}

/** Statuses are closed, and so is what may become of each. */
function transitions(before: Node, after: Node): readonly Difference[] {
  const rows = (document: Node): ReadonlySet<string> =>
    new Set(
      Object.entries(nodeOf(document['x-transitions'])).flatMap(([resource, moves]) =>
        listOf(moves)
          .map(nodeOf)
          .map(({ from, trigger, to, by }) => `${resource}: ${[from, trigger, to, by].map(String).join(' ')}`),
      ),
    );
  const [old, now] = [rows(before), rows(after)];
  const known = nodeOf(before['x-transitions']);
  const isKnown = (row: string): boolean => (row.split(':')[0] ?? '') in known;
  return [
    ...[...old.difference(now)].map((row) => broken(row, 'transition removed')),
    // A client knows no status of a resource that is new.
    ...[...now.difference(old)].map((row) => (isKnown(row) ? broken : added)(row, 'transition added')),
  ];
}
