import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { routes } from '../../functions/routes.ts';
import { openApiDocument } from '../../infra/openapi/document.ts';
import { parseJson } from '../../shared/contracts/json.ts';
import { ISSUES } from '../../shared/domain/refusal.ts';
import type { Components, Schema } from '../support/any-value.ts';
import { near } from '../support/any-value.ts';

type Operation = {
  readonly operationId: string;
  readonly parameters: readonly { readonly name?: string; readonly in?: string; readonly schema?: Schema }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Readonly<Record<string, unknown>>;
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: { readonly schemas: Components };
};

const file = new URL('../../docs/openapi.json', import.meta.url);
const text = `${JSON.stringify(openApiDocument(routes, manifest.version), null, 2)}\n`;
const document = JSON.parse(text) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
);
const { schemas } = document.components;

/** Schemas of the document, compiled: strict mode refuses what JSON Schema does not know. */
const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true });
formats.default(ajv, ['uuid', 'date', 'date-time']);
// Whether an address may be called is not a matter of form: the target guard says so.
ajv.addFormat('uri', true);
const standing = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"')) as Schema;
for (const [name, schema] of Object.entries(schemas)) ajv.addSchema(standing(schema), name);
const check = (schema: Schema) => ajv.compile(standing(schema));

test('docs/openapi.json is what the contracts say: if not, run `node infra/openapi/main.ts` and commit it', () => {
  expect(readFileSync(file, 'utf8') === text).toBe(true);
});

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
    ...Object.values(document.webhooks).map(({ post }) => post.operationId),
  ];
  expect(new Set(names).size).toBe(names.length);
});

test('every reference leads somewhere, and every component is used', () => {
  const references = new Set([...text.matchAll(/"\$ref": "#\/([^"]+)"/gu)].map(([, path = '']) => path));
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
  for (const name of Object.keys(schemas)) expect(() => ajv.getSchema(name), name).not.toThrow();
  for (const { operation } of operations)
    for (const { schema } of operation.parameters) if (schema) expect(() => check(schema)).not.toThrow();
});

test('the issues of an error are the closed list', () => {
  const { properties } = schemas['ErrorDetail'] as { properties: { issue: { enum: string[] } } };
  expect(properties.issue.enum).toEqual([...ISSUES]);
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
      expect.arrayContaining([...Object.keys(contract.answers).map(Number), 400, 401, 403, 429, 500, 503]),
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

test.each(bodies)('$name promises to take every body that the service takes', ({ contract, schema }) => {
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
