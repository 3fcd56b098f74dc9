import { describe, expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import { exampleOf } from '#tools/docs/operation.ts';
import type { Contract } from '#shared/contract/contract.ts';
import { RequestError } from '#shared/core/errors.ts';
import { readRequest } from '#shared/platform/http/read-request.ts';
import type { Schema } from '#test/support/any-value.ts';
import { check, document } from '#test/support/document.ts';
import { each } from '#test/support/each.ts';
import { eventOf } from '#test/support/edge.ts';
import { fields } from './borders/fields.ts';
import type { Row } from './borders/fields.ts';
import type { Kind } from './borders/kinds.ts';

type Texts = Readonly<Record<string, string>>;
type Fields = Readonly<Record<string, unknown>>;
type Field = {
  readonly contract: Contract;
  /** `path`, `query`, `header` or `body`. */
  readonly part: string;
  readonly path: string;
  readonly title: string;
  readonly kind: Kind;
  readonly given: Fields;
};

const isRow = (entry: Kind | Row): entry is Row => 'kind' in entry;

const contracts = new Map(routes.map(({ contract }) => [contract.operationId, contract]));
const everyField = Object.entries(fields).flatMap(([operationId, entries]) =>
  Object.entries(entries).map(([title, entry]): Field => {
    const contract = contracts.get(operationId);
    if (contract === undefined) throw new Error(`There is no operation ${operationId}.`);
    const [part = '', path = ''] = title.split(' ');
    const row = isRow(entry) ? entry : { kind: entry };
    return { contract, part, path, title: `${operationId}: ${title}`, kind: row.kind, given: row.given ?? {} };
  }),
);

/** The value with another one at a dotted path, whose objects and lists are made where they are absent. */
function put(value: unknown, [name, ...rest]: readonly string[], other: unknown): unknown {
  if (name === undefined) return other;
  if (Array.isArray(value))
    return value.map((one, at) => (String(at) === name ? put(one, rest, other) : (one as unknown)));
  const known = (value ?? {}) as Fields;
  return { ...known, [name]: put(known[name], rest, other) };
}

/** `field:issue` of a request that is the operation's example but for one field; none where it is accepted. */
function faultsOf({ contract, part, path, given }: Field, value: unknown): readonly string[] {
  const { params = {}, query = {}, body = {} } = exampleOf(contract).request;
  const sent = put({ ...(body as Fields), ...given }, part === 'body' ? path.split('.') : ['-'], value) as Fields;
  const { '-': _unused, ...whole } = sent;
  const event = eventOf({
    headers: {
      'content-type': 'application/json',
      ...(contract.idempotencyKey !== 'none' && { 'idempotency-key': '3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e00' }),
      ...(part === 'header' && { [path]: String(value) }),
    },
    params: { ...(params as Texts), ...(part === 'path' && { [path]: String(value) }) },
    query: Object.fromEntries(
      Object.entries({ ...(query as Texts), ...(part === 'query' && { [path]: String(value) }) }).map(
        ([name, text]) => [name, [text]],
      ),
    ),
    body: contract.method === 'GET' ? null : JSON.stringify(whole),
  });
  try {
    readRequest(contract, event);
    return [];
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return error.details.map(({ field, issue }) => `${field}:${issue}`);
  }
}

describe('a field at its borders', () => {
  test.each(each(everyField))('$title is accepted at the smallest and the largest value', (field) => {
    for (const value of each(field.kind.accepted))
      expect({ value, faults: faultsOf(field, value) }).toEqual({ value, faults: [] });
  });

  const refusing = everyField.filter(({ kind }) => kind.refused.length > 0);
  test.each(each(refusing))('$title is refused with its name one beyond these values', (field) => {
    for (const [value, issues, where = field.path] of each(field.kind.refused))
      expect({ value, faults: faultsOf(field, value) }).toEqual({
        value,
        faults: issues.split(' ').map((issue) => `${where}:${issue}`),
      });
  });

  test.each(each(everyField))('$title is accepted at these values by the OpenAPI document', (field) => {
    const schema = documented(field.contract.operationId).get(`${field.part} ${field.path.replace('.0.', '.*.')}`);
    for (const value of each(field.kind.accepted)) {
      const asked = schema?.['type'] === 'integer' ? Number(value) : value;
      expect([value, check(schema ?? {})(asked)]).toEqual([value, true]);
    }
  });
});

const { schemas } = document.components;

/** Every field of a request with a schema of its own, by part and path; `*` is an element of a list. */
function documented(operationId: string): ReadonlyMap<string, Schema> {
  const operation = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .find((one) => one.operationId === operationId);
  const body = operation?.requestBody;
  const parameters = (operation?.parameters ?? []).filter(({ name }) => name !== undefined);
  return new Map([
    ...parameters.map(({ in: part, name, schema }): [string, Schema] => [`${part ?? ''} ${name ?? ''}`, schema ?? {}]),
    ...(body === undefined ? [] : leaves(body.content['application/json'].schema, 'body ')),
  ]);
}

function leaves(schema: Schema, path: string): readonly [string, Schema][] {
  const { $ref, properties, items, oneOf } = schema as Schema & {
    readonly $ref?: string;
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly items?: Schema;
    readonly oneOf?: readonly Schema[];
  };
  if ($ref !== undefined) return leaves(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, path);
  if (properties !== undefined)
    return Object.entries(properties).flatMap(([name, one]) =>
      leaves(one, path.endsWith(' ') ? path + name : `${path}.${name}`),
    );
  if (items !== undefined) return [[path, schema], ...leaves(items, `${path}.*`)];
  const objects = oneOf?.filter((one) => '$ref' in one) ?? [];
  return objects.length > 0 ? objects.flatMap((one) => leaves(one, path)) : [[path, schema]];
}

/** A closed list, a fixed word or a yes and no has no border. */
const isBounded = (schema: Schema): boolean =>
  schema['enum'] === undefined && schema['const'] === undefined && schema['type'] !== 'boolean';

test.each(each(contracts.keys()))(
  'the table of this file has every field of %s with a border, and no other',
  (operationId) => {
    const bounded = [...documented(operationId)].filter(([, schema]) => isBounded(schema)).map(([field]) => field);
    const listed = Object.keys(fields[operationId] ?? {}).map((title) =>
      title
        .split(' ')
        .slice(0, 2)
        .join(' ')
        .replace(/\.0(?=\.|$)/u, '.*'),
    );
    expect([...new Set(listed)].toSorted()).toEqual(bounded.toSorted());
  },
);
