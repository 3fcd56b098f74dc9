import * as z from 'zod';
import type { Contract, IdempotencyRule } from '../../shared/contracts/contract.ts';
import { errorStatuses, requestIdHeader, responseName } from './errors.ts';
import type { Json, JsonObject, Schemas } from './schemas.ts';

const KEY_ADVICE =
  'A UUID is recommended. The same key with the same request gets the first answer again; with another request 422.';

const KEY_PARAMETERS: Readonly<Record<Exclude<IdempotencyRule, 'none'>, JsonObject>> = {
  required: keyParameter(
    true,
    { type: 'string', minLength: 1, maxLength: 64, pattern: '^[\\x20-\\x7e]+$' },
    KEY_ADVICE,
  ),
  optional: keyParameter(
    false,
    { type: 'string', minLength: 1, maxLength: 64, pattern: '^[\\x20-\\x7e]+$' },
    `Advised: without it a repeated request meets its own \`externalId\`. ${KEY_ADVICE}`,
  ),
  uuid: keyParameter(true, { type: 'string', format: 'uuid', maxLength: 64 }, KEY_ADVICE),
};

function keyParameter(required: boolean, schema: JsonObject, description: string): JsonObject {
  return { name: 'idempotency-key', in: 'header', required, description, schema };
}

/** One endpoint as an OpenAPI operation. */
export function operationOf(contract: Contract, simulation: boolean, schemas: Schemas): JsonObject {
  const { operationId, tag, summary, description, idempotencyKey } = contract;
  const tool = contract.tool === true;
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1);
  const parameters = [
    ...parametersOf(contract.params, 'path', schemas),
    ...parametersOf(contract.query, 'query', schemas),
    ...(idempotencyKey === 'none' ? [] : [KEY_PARAMETERS[idempotencyKey]]),
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
        required: !takesNothing(contract.body),
        content: { 'application/json': { schema: schemas.refer(contract.body, 'input', `${name}Request`) } },
      },
    }),
    responses: { ...answersOf(contract, name, schemas), ...errorsOf(contract, tool) },
  };
}

function hasBody({ method, body }: Contract): boolean {
  return method !== 'GET' && Object.keys(propertiesOf(body)).length > 0;
}

/** Whether an empty body is a good one. */
function takesNothing(body: z.ZodType): boolean {
  return body.safeParse({}).success;
}

function answersOf({ answers, idempotencyKey }: Contract, name: string, schemas: Schemas): JsonObject {
  const replayed = { 'idempotent-replayed': { $ref: '#/components/headers/IdempotentReplayed' } };
  const entries = Object.entries(answers).map(([status, schema]): [string, Json] => [
    status,
    {
      description: status === '201' ? 'Created.' : 'Done.',
      headers: { ...requestIdHeader, ...(idempotencyKey !== 'none' && replayed) },
      content: { 'application/json': { schema: schemas.refer(schema, 'output', `${name}Answer`) } },
    },
  ]);
  return Object.fromEntries(entries);
}

function errorsOf(contract: Contract, tool: boolean): JsonObject {
  return Object.fromEntries(
    errorStatuses(contract).map((status) => [
      String(status),
      { $ref: `#/components/responses/${responseName(status, tool)}` },
    ]),
  );
}

function parametersOf(shape: z.ZodType, place: 'path' | 'query', schemas: Schemas): readonly JsonObject[] {
  return Object.entries(propertiesOf(shape)).map(([name, schema]) => {
    const { description, ...rest } = schemas.inline(schema, 'input');
    const required = place === 'path' || !schema.safeParse(undefined).success;
    return { name, in: place, required, ...(description !== undefined && { description }), schema: rest };
  });
}

function propertiesOf(shape: z.ZodType): Readonly<Record<string, z.ZodType>> {
  if (!(shape instanceof z.ZodObject)) throw new Error('Parameters and bodies are objects.');
  return shape.shape;
}
