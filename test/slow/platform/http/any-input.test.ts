import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeEach, describe, expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import { openApiDocument } from '#tools/docs/document.ts';
import { notFound } from '#shared/core/errors.ts';
import { keyRules } from '#test/support/key-rules.ts';
import { fc } from '#test/support/properties.ts';
import type { Components, Schema } from '#test/support/any-value.ts';
import { near } from '#test/support/any-value.ts';
import type { Edge } from '#test/support/edge.ts';
import { catchLog, through } from '#test/support/edge.ts';

/**
 * Whatever comes in, what goes out is an answer of the contract. The operation itself finds nothing, so that only the
 * edge is tried: a request is either good enough to be looked for (404) or refused.
 */
const document = JSON.parse(JSON.stringify(openApiDocument(routes, '0'))) as {
  paths: Record<string, Record<string, { requestBody?: { content: { 'application/json': { schema: Schema } } } }>>;
  components: { schemas: Components };
};
const { schemas } = document.components;
/** A schema of the document with the fields and values of today alone: the service itself sends no others. */
const ofToday = (schema: Schema = {}): Schema =>
  JSON.parse(JSON.stringify(schema), (name, value: Schema) => {
    if (name === 'properties' || typeof value !== 'object' || Array.isArray(value)) return value;
    const { 'x-extensible-enum': values, ...node } = value;
    return {
      ...node,
      ...(values !== undefined && { enum: values }),
      ...(node['properties'] !== undefined && { additionalProperties: false }),
    };
  }) as Schema;
const ajv = new Ajv2020();
const isError = ajv
  .addSchema(ofToday(schemas['ErrorDetail']), '#/components/schemas/ErrorDetail')
  .compile(ofToday(schemas['ErrorResponse']));

const now = () => '2026-03-10T12:00:00.000Z';
const settings = { allowLocalTargets: false, keyRules };

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('', 'a'.repeat(300), '\u0000', '\uD800'),
);
const dictionary = (values: fc.Arbitrary<string>) => fc.dictionary(text, values, { maxKeys: 4 });
/** One of these, the first ones more often. */
const some = <T>(often: fc.Arbitrary<T>, ...seldom: readonly fc.Arbitrary<T>[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 8, arbitrary: often }, ...seldom.map((arbitrary) => ({ weight: 1, arbitrary })));
const key = fc.oneof(fc.uuid(), text);
const headers = some<NonNullable<Edge['headers']> | null>(
  fc.record({ 'content-type': fc.constant('application/json'), 'Idempotency-Key': key }),
  dictionary(text),
  fc.record({ 'content-type': text, 'x-request-id': text }, { requiredKeys: [] }),
  fc.constant(null),
);
const query = fc.oneof(
  fc.constant(null),
  fc.dictionary(
    fc.oneof(text, fc.constantFrom('limit', 'cursor', 'externalId', 'status')),
    fc.array(text, { maxLength: 2 }),
    { maxKeys: 3 },
  ),
);
const authorizer = some<NonNullable<Edge['authorizer']> | null>(
  fc.constant({ companyId: 'c', clientId: 'c', expiresAt: '99999999999' }),
  fc.option(dictionary(text)),
);

beforeEach(() => {
  catchLog();
});

describe.each(routes.map(({ contract }) => ({ name: `${contract.method} ${contract.path}`, contract })))(
  '$name',
  ({ contract }) => {
    const schema =
      document.paths[contract.path]?.[contract.method.toLowerCase()]?.requestBody?.content['application/json'].schema;
    const json = schema ? near(schema, schemas) : fc.jsonValue();
    const body = some<string | null>(
      json.map((value) => JSON.stringify(value)),
      fc.option(text),
      fc.tuple(json, fc.nat()).map(([value, cut]) => JSON.stringify(value).slice(0, cut)),
    );
    const names = [...contract.path.matchAll(/\{([^}]+)\}/gu)].map(([, name = '']) => name);
    const params = fc.record(Object.fromEntries(names.map((name) => [name, some(fc.uuid(), text)])));
    const base64 = some(fc.constant(false), fc.boolean());
    const edges: fc.Arbitrary<Edge> = fc.record({ headers, query, params, body, authorizer, base64 });

    test('answers any input by its contract: never 5xx, never a stack', async () => {
      const call = through(contract, () => Promise.reject(notFound('Anything')), { now, settings });
      const seen = new Set<number>();
      await fc.assert(
        fc.asyncProperty(edges, async (edge) => {
          const response = await call(edge);
          seen.add(response.statusCode);
          expect([400, 401, 404, 413, 415]).toContain(response.statusCode);
          expect(isError(response.json), response.body).toBe(true);
          expect(response.body).not.toMatch(/node_modules|\.ts:\d|\bat \w+ \(/u);
          expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/u);
        }),
        { numRuns: 500 },
      );
      // The generator reaches the operation and the refusals before it, or it would show nothing.
      expect([...seen]).toEqual(expect.arrayContaining([400, 401, 404]));
    });
  },
);
