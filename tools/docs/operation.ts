import * as z from 'zod';
import { routes } from '#functions/routes.ts';
import type { Contract, ExampleOf, IdempotencyRule } from '#shared/contract/contract.ts';
import { longestKey } from '#shared/contract/contract.ts';
import { errorsOf, requestIdHeader } from './errors.ts';
import type { Json, JsonObject, Schemas } from './schemas.ts';

type Example = ExampleOf<Contract>;

/** The example of every operation, from its contract; each endpoint needs one. */
const examples: ReadonlyMap<string, Example> = new Map(
  await Promise.all(
    routes.map(async ({ folder, contract }): Promise<[string, Example]> => {
      const file = new URL(`../../functions/${folder}/contract.ts`, import.meta.url);
      const module = (await import(/* @vite-ignore */ file.href)) as { readonly example: () => Example };
      return [contract.operationId, module.example()];
    }),
  ),
);

/** @throws Error for an operation without an example. */
export function exampleOf({ operationId }: Pick<Contract, 'operationId'>): Example {
  const example = examples.get(operationId);
  if (example === undefined) throw new Error(`${operationId} has no example.`);
  return example;
}

const keyAdvice =
  'A UUID is recommended. The same key with the same request gets the first answer again; with another request 422.';

const keyText = { type: 'string', minLength: 1, maxLength: longestKey.required, pattern: '^[\\x20-\\x7e]+$' };

const keyParameters: Readonly<Record<Exclude<IdempotencyRule, 'none'>, JsonObject>> = {
  required: keyParameter(true, keyText, keyAdvice),
  optional: keyParameter(false, keyText, `Advised: with it a repetition is safe. ${keyAdvice}`),
  uuid: keyParameter(true, { type: 'string', format: 'uuid', maxLength: longestKey.uuid }, keyAdvice),
};

function keyParameter(required: boolean, schema: JsonObject, description: string): JsonObject {
  const example = 'b3c1e6a0-6f0b-4b57-9f3b-2f7a1c9d8e10';
  return { name: 'idempotency-key', in: 'header', required, description, schema, example };
}

/** The parts that operations share: the components, and the links by the operation that they come from. */
type Document = { readonly schemas: Schemas; readonly links: Readonly<Record<string, JsonObject>> };

/** One endpoint as an OpenAPI operation. */
export function operationOf(contract: Contract, simulation: boolean, { schemas, links }: Document): JsonObject {
  const { operationId, tag, summary, description, idempotencyKey } = contract;
  const example = exampleOf(contract);
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1);
  const parameters = [
    ...parametersOf(contract.params, 'path', example, schemas),
    ...parametersOf(contract.query, 'query', example, schemas),
    ...(idempotencyKey === 'none' ? [] : [keyParameters[idempotencyKey]]),
    { $ref: '#/components/parameters/RequestId' },
  ];
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(simulation && { 'x-simulation': true }),
    parameters,
    ...(hasBody(contract) && {
      requestBody: {
        // An empty body may be valid.
        required: !contract.body.safeParse({}).success,
        content: {
          'application/json': {
            schema: schemas.refer(contract.body, 'input', `${name}Request`),
            example: (example.request.body ?? {}) as Json,
          },
        },
      },
    }),
    responses: { ...responsesOf(contract, name, example, { schemas, links }), ...errorsOf(contract) },
  };
}

function hasBody({ method, body }: Contract): boolean {
  return method !== 'GET' && Object.keys(propertiesOf(body)).length > 0;
}

function responsesOf(
  contract: Contract,
  name: string,
  { response }: Example,
  { schemas, links }: Document,
): JsonObject {
  const { responses, idempotencyKey } = contract;
  const own = links[contract.operationId];
  const replayed = { 'idempotent-replayed': { $ref: '#/components/headers/IdempotentReplayed' } };
  const entries = Object.entries(responses).map(([status, schema]): [string, Json] => [
    status,
    {
      description: status === '201' ? 'Created.' : status === '202' ? 'Accepted: it begins soon.' : 'Done.',
      headers: {
        ...requestIdHeader,
        ...(idempotencyKey !== 'none' && replayed),
        ...(contract.files && isPaged(contract) && { link: { $ref: '#/components/headers/NextPage' } }),
      },
      content: {
        'application/json': {
          schema: schemas.refer(schema, 'output', `${name}Response`),
          ...(schema === responses[response.status] && { example: response.body as Json }),
        },
        ...(status === '200' && filesOf(contract)),
      },
      ...(own && { links: own }),
    },
  ]);
  return Object.fromEntries(entries);
}

function isPaged({ query }: Contract): boolean {
  return query instanceof z.ZodObject && 'cursor' in query.shape;
}

/** The media types of a file, whose content is a text. */
function filesOf({ files = {} }: Contract): JsonObject {
  const media = Object.values(files).map((type) => type.split(';', 1)[0] ?? type);
  return Object.fromEntries(media.map((type) => [type, { schema: { type: 'string' } }]));
}

function parametersOf(
  shape: z.ZodType,
  place: 'path' | 'query',
  { request }: Example,
  schemas: Schemas,
): readonly JsonObject[] {
  const shown = (place === 'path' ? request.params : request.query) as Readonly<Record<string, Json>> | undefined;
  return Object.entries(propertiesOf(shape)).map(([name, schema]) => {
    const { description, ...rest } = schemas.inline(schema, 'input');
    const required = place === 'path' || !schema.safeParse(undefined).success;
    const value = shown?.[name];
    const example = value !== undefined && { example: rest['type'] === 'integer' ? Number(value) : value };
    return { name, in: place, required, ...(description !== undefined && { description }), schema: rest, ...example };
  });
}

function propertiesOf(shape: z.ZodType): Readonly<Record<string, z.ZodType>> {
  if (!(shape instanceof z.ZodObject)) throw new Error('Parameters and bodies are objects.');
  return shape.shape;
}
