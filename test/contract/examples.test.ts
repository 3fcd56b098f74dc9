import { describe, expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import { exampleOf } from '#tools/docs/operation.ts';
import { parseJson } from '#shared/contract/json.ts';
import type { Schema } from '../support/any-value.ts';
import { check, document, operations } from '../support/document.ts';
import { each } from '../support/each.ts';

/** As it goes over the wire: numbers by their text. */
const sent = (value: unknown): unknown => parseJson(JSON.stringify(value ?? {}));

describe.each(routes)('the example of $contract.operationId', ({ contract }) => {
  const { request, response } = exampleOf(contract);

  test('is a request of its contract', () => {
    contract.params.parse(request.params ?? {});
    contract.query.parse(request.query ?? {});
    contract.body.parse(sent(request.body));
  });

  test('has a response that its contract reads back unchanged', () => {
    const promised = contract.responses[response.status];
    expect(promised, `${contract.operationId} ${String(response.status)}`).toBeDefined();
    // What the service writes is what it reads back: nothing is left out, nothing filled in.
    expect(promised?.parse(response.body)).toEqual(response.body);
  });
});

const everyOperation = [
  ...operations,
  ...Object.entries(document.components.pathItems).map(([name, { post }]) => ({ name, path: '', operation: post })),
];

test.each(everyOperation)('$name has examples that its schemas accept', ({ operation }) => {
  const contents = [
    ...(operation.requestBody ? [operation.requestBody] : []),
    ...Object.entries(operation.responses).flatMap(([status, response]) => (status < '300' ? [response] : [])),
  ].flatMap(({ content }) => (content ? [content['application/json']] : []));
  const shown = contents.filter(({ example }) => example !== undefined);
  expect(shown.length).toBeGreaterThan(0);
  if (operation.requestBody) expect(shown).toContain(operation.requestBody.content['application/json']);
  for (const { schema, example } of shown) {
    const valid = check(schema);
    expect(valid(example), JSON.stringify(valid.errors)).toBe(true);
  }
});

/** A schema may be described where it is used, or where it is defined. */
type Described = Schema & {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
  readonly oneOf?: readonly Described[];
};

const target = ({ $ref }: Described): Described =>
  ($ref === undefined ? {} : document.components.schemas[$ref.split('/').at(-1) ?? '']) as Described;

function isDescribed(schema: Described): boolean {
  const inside = [...(schema.oneOf ?? []), target(schema)];
  return (schema.description ?? '') !== '' || inside.some(({ description }) => (description ?? '') !== '');
}

/** A list of values, a truth value and an object say by themselves what they hold. */
function isExampled(schema: Described): boolean {
  const alternatives = schema.oneOf ?? [];
  return (
    schema.examples !== undefined ||
    schema.enum !== undefined ||
    schema.const !== undefined ||
    schema.properties !== undefined ||
    schema.$ref !== undefined ||
    schema.items !== undefined ||
    schema.type === 'boolean' ||
    alternatives.some((one) => isExampled(one))
  );
}

/** Fields without a description or an example, by their paths. */
function untold(schema: Described, path: string): readonly string[] {
  const fields = Object.entries(schema.properties ?? {});
  return [
    ...fields.flatMap(([name, field]) => [
      ...(isDescribed(field) ? [] : [`${path}.${name} is not described`]),
      ...(isExampled(field) ? [] : [`${path}.${name} has no example`]),
    ]),
    ...fields.flatMap(([name, field]) => untold(field, `${path}.${name}`)),
    ...(schema.items ? untold(schema.items, `${path}[]`) : []),
  ];
}

test('every schema and every field is described and shows an example', () => {
  const schemas = Object.entries(document.components.schemas) as [string, Described][];
  expect(schemas.flatMap(([name, schema]) => untold(schema, name))).toEqual([]);
  // Those of one operation alone are described by it.
  const shared = schemas.filter(([name]) => !/(?:Request|Response)$/u.test(name));
  expect(shared.filter(([, schema]) => !isDescribed(schema)).map(([name]) => name)).toEqual([]);
});

test('every operation, parameter and group of operations is described', () => {
  for (const { name, operation } of each(everyOperation)) {
    expect(operation.summary, name).toBeTruthy();
    expect(operation.description, name).toBeTruthy();
    for (const parameter of operation.parameters.filter(({ schema }) => schema !== undefined)) {
      expect(parameter.description, `${name} ${parameter.name}`).toBeTruthy();
      const { schema = {}, example } = parameter;
      expect(example !== undefined || isExampled(schema), `${name} ${parameter.name}`).toBe(true);
    }
  }
  for (const { name, description } of each(document.tags)) expect(description, name).toBeTruthy();
});
