import { document } from '#test/support/document.ts';
import type { Schema } from '#test/support/any-value.ts';

/** `*`: each element of a list. */
export type Path = readonly string[];
type Field = { readonly path: string; readonly optional: boolean; readonly amount: boolean };

const { schemas } = document.components;

/** A schema behind its reference. */
function resolved(schema: Schema | undefined): Schema {
  const name = (schema?.['$ref'] as string | undefined)?.split('/').at(-1);
  return (name === undefined ? schema : schemas[name]) ?? {};
}

const propertiesOf = (schema: Schema): Readonly<Record<string, Schema>> =>
  (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;

/** An amount is one value, with its currency or without. */
const isAmount = (schema: Schema): boolean => 'currency' in propertiesOf(schema);

/** The schema of a member, however deep; undefined where there is none. */
export function memberOf(schema: Schema | undefined, [name, ...rest]: Path): Schema | undefined {
  if (schema === undefined || name === undefined) return schema;
  const known = resolved(schema);
  return memberOf(name === '*' ? (known['items'] as Schema | undefined) : propertiesOf(known)[name], rest);
}

/** Every field of a schema that has no fields itself. */
export function fieldsOf(schema: Schema, path: Path = [], optional = false): readonly Field[] {
  const known = resolved(schema);
  if (known['type'] === 'array') return fieldsOf(known['items'] as Schema, [...path, '*'], optional);
  if (known['type'] !== 'object' || isAmount(known))
    return [{ path: path.join('.'), optional, amount: isAmount(known) }];
  const required = new Set(known['required'] as readonly string[] | undefined);
  return Object.entries(propertiesOf(known)).flatMap(([name, member]) =>
    fieldsOf(member, [...path, name], optional || !required.has(name)),
  );
}

/** What a value holds at a path: of a list what each element holds there. */
export function valueAt(value: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined || value === undefined || value === null) return value;
  if (name === '*') return (value as readonly unknown[]).map((one) => valueAt(one, rest));
  return valueAt((value as Readonly<Record<string, unknown>>)[name], rest);
}

export function requestSchema(operationId: string): Schema | undefined {
  return operationOf(operationId)?.requestBody?.content['application/json'].schema;
}

export function responseSchema(operationId: string, status: number): Schema | undefined {
  return operationOf(operationId)?.responses[`${status}`]?.content?.['application/json'].schema;
}

function operationOf(operationId: string) {
  return Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .find((operation) => operation.operationId === operationId);
}
