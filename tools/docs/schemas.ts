import * as z from 'zod';
import * as capabilities from '#functions/accounts/capabilities/schemas.ts';
import * as account from '#shared/accounts/contract.ts';
import * as statementRoot from '#shared/accounts/roots/contract.ts';
import * as certificate from '#shared/certificates/contract.ts';
import * as amount from '#shared/contract/amount.ts';
import * as credit from '#shared/credits/contract.ts';
import * as dispute from '#shared/disputes/contract.ts';
import * as profile from '#shared/sandbox/profile-contract.ts';
import * as clock from '#shared/sandbox/clock-contract.ts';
import * as notification from '#shared/webhooks/notification.ts';
import * as party from '#shared/contract/party.ts';
import * as payIn from '#shared/pay-ins/contract.ts';
import * as paymentData from '#shared/payouts/payment-data.ts';
import * as payout from '#shared/payouts/contract.ts';
import * as pixKey from '#shared/pix-keys/contract.ts';
import * as refund from '#shared/refunds/contract.ts';
import * as scheduledPayment from '#shared/scheduled-payments/contract.ts';
import * as subscription from '#shared/subscriptions/contract.ts';
import * as tool from '#shared/sandbox/tool.ts';
import * as webhook from '#shared/webhooks/contract.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = Readonly<Record<string, Json>>;
type Direction = 'input' | 'output';

/** The objects of these modules are components of the document, under their names in the code. */
const named = {
  ...account,
  ...amount,
  ...capabilities,
  ...certificate,
  ...clock,
  ...credit,
  ...dispute,
  ...notification,
  ...party,
  ...payIn,
  ...paymentData,
  ...payout,
  ...pixKey,
  ...profile,
  ...refund,
  ...scheduledPayment,
  ...statementRoot,
  ...subscription,
  ...tool,
  ...webhook,
};

const reference = (name: string): string => `#/components/schemas/${name}`;

export type Schemas = ReturnType<typeof schemas>;

/** Collects zod schemas and writes them as JSON Schema (draft 2020-12), which OpenAPI 3.1 takes unchanged. */
export function schemas() {
  const registries = { input: registryOf(named), output: registryOf(named) };
  const roots: [Direction, string][] = [];
  return {
    /** A reference to the schema of a body; a component without a name gets this one. */
    refer: (schema: z.ZodType, direction: Direction, name: string): JsonObject => {
      const registry = registries[direction];
      if (!registry.has(schema)) registry.add(schema, { id: name });
      const id = registry.get(schema)?.id ?? name;
      roots.push([direction, id]);
      return { $ref: reference(id) };
    },
    /** The schema of a parameter, in place. */
    inline: (schema: z.ZodType, direction: Direction): JsonObject => {
      const { $schema: _schema, ...json } = z.toJSONSchema(schema, { ...options, io: direction }) as JsonObject;
      return json;
    },
    /** All components that are referred to, directly or by others. */
    components: (): JsonObject => {
      const written = {
        input: writeSchemas(registries.input, 'input'),
        output: writeSchemas(registries.output, 'output'),
      };
      const components = new Map<string, JsonObject>();
      const include = (direction: Direction, name: string): void => {
        const json = written[direction][name];
        if (json === undefined) throw new Error(`There is no schema ${name}.`);
        const known = components.get(name);
        if (known !== undefined && JSON.stringify(known) !== JSON.stringify(json))
          throw new Error(`${name} differs between requests and responses: give it two names.`);
        if (known !== undefined) return;
        components.set(name, json);
        for (const wanted of referencesIn(json)) include(direction, wanted);
      };
      for (const [direction, name] of roots) include(direction, name);
      return Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    },
  };
}

/** Clients parse texts of these formats. */
const parsed: ReadonlySet<string> = new Set(['date-time', 'date', 'uuid']);

/** A schema's `meta({ openapi })` adds members that zod cannot express. It removes a member by the value undefined. */
const options = {
  target: 'draft-2020-12',
  unrepresentable: 'any',
  uri: reference,
  override: ({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void => {
    const { openapi, anyOf } = jsonSchema;
    delete jsonSchema['openapi'];
    // The alternatives exclude each other. From `anyOf` some generators create a type without fields.
    if (anyOf !== undefined) jsonSchema['oneOf'] = anyOf;
    delete jsonSchema['anyOf'];
    Object.assign(jsonSchema, openapi);
    for (const [name, value] of Object.entries(jsonSchema))
      if (value === undefined) Reflect.deleteProperty(jsonSchema, name);
    // Generated clients cannot match a parsed value with a pattern.
    if (parsed.has(String(jsonSchema['format']))) delete jsonSchema['pattern'];
  },
} as const;

type Registry = z.core.$ZodRegistry<{ id: string }>;

function registryOf(modules: Readonly<Record<string, unknown>>): Registry {
  const registry: Registry = z.registry<{ id: string }>();
  for (const [id, value] of Object.entries(modules))
    if (value instanceof z.ZodObject || value instanceof z.ZodPipe) registry.add(value, { id });
  return registry;
}

function writeSchemas(registry: Registry, io: Direction): Readonly<Record<string, JsonObject>> {
  const written = z.toJSONSchema(registry, { ...options, io }).schemas as Readonly<Record<string, JsonObject>>;
  return Object.fromEntries(
    Object.entries(written).map(([name, { $schema: _schema, $id: _id, ...json }]) => {
      const documented = withoutDefaults(json);
      return [name, io === 'output' ? openSchema(documented) : documented];
    }),
  );
}

/** Fields of answers whose enumeration is closed: another value of a status is a new version (docs/versions.md). */
const closedEnumerations: ReadonlySet<string> = new Set(['status', 'state', 'orderStatus']);

/**
 * Returns the schema of an answer or a notification as a client must read it: an object may have further fields, and an
 * enumeration further values (`x-extensible-enum`), except that of a status.
 * @param name the field that has the schema
 */
export function openSchema(schema: JsonObject, name?: string): JsonObject {
  const { additionalProperties, enum: values, ...rest } = schema;
  const isOpen = isList(values) && name !== undefined && !closedEnumerations.has(name);
  const { description, ...members } = Object.fromEntries(
    Object.entries(rest).map(([member, value]) => [member, openMember(member, value, name)]),
  );
  return {
    ...members,
    ...(isOpen
      ? { 'x-extensible-enum': values, description: withValues(description, values), examples: values.slice(0, 1) }
      : { ...(values !== undefined && { enum: values }), ...(description !== undefined && { description }) }),
    ...(additionalProperties !== undefined && additionalProperties !== false && { additionalProperties }),
  };
}

function isList(json: Json | undefined): json is readonly Json[] {
  return Array.isArray(json);
}

/** Names the values of an open enumeration in its description, where most tools show them. */
function withValues(description: Json | undefined, values: readonly Json[]): string {
  const said = description === undefined ? '' : textOf(description);
  const unsaid = values.map((value) => `\`${textOf(value)}\``).filter((value) => !said.includes(value));
  const list = unsaid.length === 0 ? '' : `${unsaid.length < values.length ? 'Also' : 'Today'} ${unsaid.join(', ')}. `;
  return `${said}${said === '' ? '' : said.includes('\n') ? '\n\n' : ' '}${list}More values may follow.`;
}

function openMember(member: string, value: Json, name: string | undefined): Json {
  if (member === 'properties')
    return Object.fromEntries(
      Object.entries(value as Readonly<Record<string, JsonObject>>).map(([field, schema]) => [
        field,
        openSchema(schema, field),
      ]),
    );
  if (member === 'items') return openSchema(value as JsonObject, name);
  if (member === 'oneOf' || member === 'allOf')
    return (value as readonly JsonObject[]).map((part) => openSchema(part, name));
  return value;
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Moves the default of a field into its description. Type generators treat a field with `default` as always present,
 * and require it in a request.
 */
function withoutDefaults(json: JsonObject): JsonObject {
  const { properties } = json;
  if (properties === undefined) return json;
  const fields = Object.entries(properties as Readonly<Record<string, JsonObject>>).map(
    ([name, { default: value, ...field }]): [string, JsonObject] => {
      if (value === undefined) return [name, field];
      return [name, { ...field, description: `${textOf(field['description'] ?? '')} Default: \`${textOf(value)}\`.` }];
    },
  );
  return { ...json, properties: Object.fromEntries(fields) };
}

function referencesIn(json: Json): readonly string[] {
  if (Array.isArray(json)) return (json as readonly Json[]).flatMap(referencesIn);
  if (typeof json !== 'object' || json === null) return [];
  const { $ref, ...rest } = json as JsonObject;
  const own = typeof $ref === 'string' ? [$ref.slice(reference('').length)] : [];
  return [...own, ...Object.values(rest).flatMap(referencesIn)];
}
