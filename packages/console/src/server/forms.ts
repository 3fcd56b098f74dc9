import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { FormField, Forms } from '../protocol.ts';
import { formOperations } from '../protocol.ts';
import { documentFile } from '@banking-order/partner-tools';

const Schema = z.looseObject({
  $ref: z.string().optional(),
  type: z.string().optional(),
  format: z.string().optional(),
  description: z.string().optional(),
  examples: z.array(z.unknown()).default([]),
  const: z.string().optional(),
  enum: z.array(z.string()).default([]),
  required: z.array(z.string()).default([]),
  properties: z.record(z.string(), z.unknown()).default({}),
  oneOf: z.array(z.unknown()).default([]),
  anyOf: z.array(z.unknown()).default([]),
});
type Schema = z.infer<typeof Schema>;

const Content = z.object({ 'application/json': z.object({ schema: z.unknown() }) });
const Operation = z.object({ operationId: z.string(), requestBody: z.object({ content: Content }) });
const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});
type Document = z.infer<typeof Document>;

/**
 * Reads the fields of every form, in the order of the OpenAPI document.
 * @throws Error with an operation that has no body in the document.
 */
export function readForms(text = readFileSync(documentFile, 'utf8')): Forms {
  const document = Document.parse(JSON.parse(text));
  const operations = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap((candidate) => Operation.safeParse(candidate).data ?? []);
  const formOf = (id: string): readonly FormField[] => {
    const operation = operations.find(({ operationId }) => operationId === id);
    if (operation === undefined) throw new Error(`docs/openapi.json has no body for ${id}.`);
    return fieldsOf(resolve(document, operation.requestBody.content['application/json'].schema), document);
  };
  return Object.fromEntries(formOperations.map((id) => [id, formOf(id)])) as Forms;
}

/** Resolves the `$ref` of a schema. A description beside the reference replaces the referenced one. */
function resolve(document: Document, schema: unknown): Schema {
  const own = Schema.parse(schema);
  const name = own.$ref?.split('/').at(-1);
  if (name === undefined) return own;
  const { description } = own;
  return {
    ...resolve(document, document.components.schemas[name]),
    ...(description !== undefined && { description }),
  };
}

/** Returns the fields of an object and of all its alternatives. The service checks which fields go together. */
function fieldsOf(schema: Schema, document: Document): readonly FormField[] {
  const alternatives = [...schema.oneOf, ...schema.anyOf].flatMap((alternative) =>
    fieldsOf(resolve(document, alternative), document),
  );
  const own = Object.entries(schema.properties).map(([name, inner]) =>
    fieldOf(name, resolve(document, inner), schema.required.includes(name), document),
  );
  const names = new Set(own.map(({ name }) => name));
  return [
    ...own,
    ...alternatives
      .filter(({ name }) => !names.has(name) && names.add(name))
      .map((field) => ({ ...field, isRequired: false })),
  ];
}

function fieldOf(name: string, schema: Schema, isRequired: boolean, document: Document): FormField {
  const [example] = schema.examples;
  const fields = fieldsOf(schema, document);
  return {
    name,
    isRequired,
    fields,
    options: optionsOf(schema),
    description: schema.description ?? '',
    kind: fields.length > 0 ? 'group' : kindOf(schema),
    example: typeof example === 'string' || typeof example === 'number' ? String(example) : '',
  };
}

function optionsOf({ const: only, enum: options }: Schema): readonly string[] {
  return only === undefined ? options : [only];
}

function kindOf(schema: Schema): FormField['kind'] {
  const { type, format } = schema;
  if (optionsOf(schema).length > 0) return 'choice';
  if (type === 'boolean') return 'flag';
  if (type === 'integer' || type === 'number') return 'number';
  return format === 'date' ? 'date' : 'text';
}
