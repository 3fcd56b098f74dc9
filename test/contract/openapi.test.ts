import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { routes } from '#functions/routes.ts';
import { errorsPage } from '#tools/docs/errors-page.ts';
import { recordedErrors } from '#tools/docs/recorded-errors.ts';
import { parseJson } from '#shared/contract/json.ts';
import { issues } from '#shared/core/errors.ts';
import { near } from '../support/any-value.ts';
import { ajv, check, document, documentText, operations } from '../support/document.ts';
import { each } from '../support/each.ts';

const file = new URL('../../docs/openapi.json', import.meta.url);
const { schemas } = document.components;

test('docs/openapi.json is what the contracts say: if not, run `npm run openapi` and commit it', () => {
  expect(readFileSync(file, 'utf8') === documentText).toBe(true);
});

test('docs/errors.md is what is known of errors: if not, run `npm run openapi` and commit it', () => {
  const page = new URL('../../docs/errors.md', import.meta.url);
  expect(readFileSync(page, 'utf8') === errorsPage()).toBe(true);
});

test.each(Object.entries(recordedErrors))(
  'the example of the error %s is valid and has its status or its issue',
  (name, { status, answer: response }) => {
    const valid = check(schemas['ErrorResponse'] ?? {});
    expect(valid(response), JSON.stringify(valid.errors)).toBe(true);
    if (/^\d+$/u.test(name)) expect(String(status)).toBe(name);
    else expect(new Set(response.details.map(({ issue }) => issue))).toEqual(new Set([name]));
  },
);

test('routes, document and folders are the same set', () => {
  const listed = routes.map(({ contract }) => `${contract.method} ${contract.path}`);
  expect(operations.map(({ name }) => name).toSorted()).toEqual(listed.toSorted());
  const root = new URL('../../functions/', import.meta.url);
  const folders = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('/contract.ts'))
    .map((path) => path.slice(0, -'/contract.ts'.length));
  expect(folders.toSorted()).toEqual(routes.map(({ folder }) => folder).toSorted());
});

test('every operation has a name of its own', () => {
  const names = [
    ...operations.map(({ operation }) => operation.operationId),
    ...Object.values(document.components.pathItems).map(({ post }) => post.operationId),
  ];
  expect(new Set(names).size).toBe(names.length);
});

test('every reference leads somewhere, and every component is used', () => {
  const references = new Set([...documentText.matchAll(/"\$ref": "#\/([^"]+)"/gu)].map(([, path = '']) => path));
  for (const reference of references) {
    const found = reference
      .split('/')
      .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], document);
    expect(found, reference).toBeDefined();
  }
  const defined = Object.entries(document.components)
    .filter(([kind]) => kind !== 'securitySchemes')
    .flatMap(([kind, all]) => Object.keys(all).map((name) => `components/${kind}/${name}`));
  expect(defined.filter((name) => !references.has(name))).toEqual([]);
});

test('every schema is a valid JSON Schema of draft 2020-12', () => {
  for (const name of each(Object.keys(schemas))) expect(() => ajv.getSchema(name), name).not.toThrow();
  for (const { operation } of each(operations))
    for (const { schema } of operation.parameters) if (schema) expect(() => check(schema)).not.toThrow();
});

test('the issues of an error are those that the service has', () => {
  const { properties } = schemas['ErrorDetail'] as { properties: { issue: { 'x-extensible-enum': string[] } } };
  expect(properties.issue['x-extensible-enum']).toEqual([...issues]);
});

describe.each(operations)('$name', ({ path, operation }) => {
  const { contract } = routes.find((route) => route.contract.operationId === operation.operationId)!;

  test('declares the parameters of its path', () => {
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
    expect(inPath).toEqual([...path.matchAll(/\{([^}]+)\}/gu)].map(([, name]) => name));
  });

  test('has the answers that it can give', () => {
    const statuses = Object.keys(operation.responses).map(Number);
    expect(statuses).toEqual(
      expect.arrayContaining([...Object.keys(contract.responses).map(Number), 400, 401, 403, 429, 500, 503]),
    );
    expect(statuses.includes(404)).toBe(contract.errors.includes('NOT_FOUND'));
    expect(statuses.includes(422)).toBe(contract.idempotencyKey !== 'none');
    expect(statuses.includes(409)).toBe(contract.method !== 'GET');
  });
});

const bodies = operations.flatMap(({ name, operation }) => {
  const contract = routes.find((route) => route.contract.operationId === operation.operationId)?.contract;
  const schema = operation.requestBody?.content['application/json'].schema;
  return contract && schema ? [{ name, contract, schema }] : [];
});

test.each(bodies)('$name has a schema that accepts every body that the service accepts', ({ contract, schema }) => {
  const valid = check(schema);
  let accepted = 0;
  fc.assert(
    fc.property(near(schema, schemas), (body) => {
      const sent = JSON.stringify(body);
      if (!contract.body.safeParse(parseJson(sent)).success) return;
      accepted += 1;
      expect(valid(JSON.parse(sent)), `${sent} ${JSON.stringify(valid.errors)}`).toBe(true);
    }),
    { numRuns: 2000 },
  );
  expect(accepted).toBeGreaterThan(0);
});
