import { expect, test } from 'vitest';
import * as z from 'zod';
import { routes } from '#functions/routes.ts';
import * as notifications from '#shared/webhooks/notification.ts';
import { check, document } from '../support/document.ts';

/*
 * Answers and notifications grow without a new version, requests do not (docs/versions.md). The document says so to
 * clients. The service itself and its tests read answers by closed schemas, so that no field is added unintentionally.
 */

type Node = Readonly<Record<string, unknown>>;
type Placed = { readonly place: string; readonly node: Node };

/** Every schema that a part of the document reaches, with its place. */
function reachable(part: unknown): readonly Placed[] {
  const found = new Map<string, Node>();
  const walk = (node: unknown, place: string): void => {
    if (typeof node !== 'object' || node === null) return;
    const { $ref } = node as { readonly $ref?: string };
    if ($ref !== undefined) {
      const [kind = '', name = ''] = $ref.split('/').slice(-2);
      if (found.has($ref)) return;
      found.set($ref, {});
      const components = document.components as unknown as Readonly<Record<string, Node>>;
      walk(components[kind]?.[name], name);
      return;
    }
    if (!Array.isArray(node)) found.set(place, node as Node);
    for (const [name, value] of Object.entries(node))
      if (!['example', 'examples', 'if', 'then', 'else', 'dependentSchemas', 'not'].includes(name))
        walk(value, `${place}/${name}`);
  };
  walk(part, '');
  return [...found].map(([place, node]) => ({ place, node }));
}

const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const requests = reachable(operations.map(({ parameters, requestBody }) => [parameters, requestBody]));
const answers = reachable([
  operations.map(({ responses }) => responses),
  Object.values(document.components.pathItems).map(({ post }) => post.requestBody),
]);
const places = (all: readonly Placed[], isWrong: (node: Node, place: string) => boolean): readonly string[] =>
  all.filter(({ node, place }) => isWrong(node, place)).map(({ place }) => place);
const isObject = ({ properties, type }: Node): boolean =>
  type === 'object' && Object.keys((properties as Node | undefined) ?? {}).length > 0;

test('every object of a request is closed, and every object of an answer or a notification is open', () => {
  expect(requests.filter(({ node }) => isObject(node)).length).toBeGreaterThan(20);
  expect(answers.filter(({ node }) => isObject(node)).length).toBeGreaterThan(60);
  expect(places(requests, (node) => isObject(node) && node['additionalProperties'] !== false)).toEqual([]);
  expect(places(answers, (node) => node['additionalProperties'] === false)).toEqual([]);
});

test('every enumeration of an answer or a notification is open, except that of a status or a state', () => {
  const isClosed = (place: string) => /\/(?:status|state|orderStatus)(?:\/(?:items|oneOf\/\d+))?$/u.test(place);
  expect(places(answers, (node, place) => Array.isArray(node['enum']) !== (isClosed(place) && 'enum' in node))).toEqual(
    [],
  );
  const open = answers.filter(({ node }) => 'x-extensible-enum' in node);
  expect(places(open, (_node, place) => isClosed(place))).toEqual([]);
  expect(places(requests, (node) => 'x-extensible-enum' in node)).toEqual([]);
  expect(open.length).toBeGreaterThan(20);
  expect(places(open, ({ description }) => !String(description).endsWith('More values may follow.'))).toEqual([]);
});

test('the status of a pay-in in the notification of a refund is closed, as money depends on it', () => {
  const { properties } = document.components.schemas['RefundNotification'] as unknown as { properties: Node };
  expect(properties['orderStatus']).toMatchObject({ enum: ['PAID', 'REFUNDED'] });
});

test('a client that reads by the document takes a later field and a later event, and refuses a later status', () => {
  const [{ post }] = [document.components.pathItems['payIn']!];
  const { schema, example } = post.requestBody!.content['application/json'];
  const valid = check(schema);
  expect(valid({ ...(example as object), addedLater: { of: 'the next version' } })).toBe(true);
  expect(valid({ ...(example as object), event: 'ORDER-PAYIN.ADDED_LATER' })).toBe(true);
  expect(valid({ ...(example as object), status: 'ADDED_LATER' })).toBe(false);
});

/** The places of objects in a contract's schema that take a field that they do not list. */
function openObjects(schema: z.ZodType): readonly string[] {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' });
  const found: string[] = [];
  const walk = (node: unknown, place: string): void => {
    if (typeof node !== 'object' || node === null) return;
    if (isObject(node as Node) && (node as Node)['additionalProperties'] !== false) found.push(place);
    for (const [name, value] of Object.entries(node)) if (name !== 'openapi') walk(value, `${place}/${name}`);
  };
  walk(json, '');
  return found;
}

test('the tests read every answer and every notification by a closed schema', () => {
  const promised = routes.flatMap(({ contract }) =>
    Object.entries<z.ZodType>(contract.responses).map(
      ([status, schema]) => [`${contract.operationId} ${status}`, schema] as const,
    ),
  );
  const sent = Object.entries(notifications).flatMap(([name, schema]) =>
    schema instanceof z.ZodObject && name !== 'Acknowledgement' ? [[name, schema] as const] : [],
  );
  expect(sent.length).toBeGreaterThanOrEqual(6);
  for (const [name, schema] of [...promised, ...sent]) expect(openObjects(schema), name).toEqual([]);
});
