import fc from 'fast-check';

export type Schema = Readonly<Record<string, unknown>>;
export type Components = Readonly<Record<string, Schema>>;

type Known = {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly type?: string;
  readonly items?: Schema;
};

/** Texts that break things: controls, lone surrogates, the longest there are, other JSON in them. */
const nastyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.constantFrom('', '\u0000', '\uD800', 'a\uDC00b', '\u202E', 'x'.repeat(5000), '__proto__', '<script>', 'C#x#SUB#y'),
);
const junk = fc.oneof(fc.jsonValue({ maxDepth: 3 }), nastyText, fc.constantFrom(1.5, -0, 1e300, 2 ** 60));

/** CPFs and CNPJs with right check digits. */
const document = fc.constantFrom(
  { type: 'CPF', number: '52998224725' },
  { type: 'CNPJ', number: '11222333000181' },
  { type: 'CPF', number: '11222333000181' },
);

/** Values near a JSON Schema: mostly as it wants them, sometimes not, fields left out and added. */
export function near(schema: Schema, components: Components): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: like(schema, components) }, { weight: 1, arbitrary: junk });
}

function like(schema: Schema, components: Components): fc.Arbitrary<unknown> {
  const { $ref, anyOf, oneOf, const: only, enum: values, type, items } = schema as Known;
  if ($ref !== undefined) return like(components[$ref.split('/').at(-1) ?? ''] ?? {}, components);
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => like(choice, components)));
  if (only !== undefined) return fc.constant(only);
  if (values !== undefined) return fc.constantFrom(...values);
  if (type === 'object') return objectLike(schema, components);
  if (type === 'array') return fc.array(near(items ?? {}, components), { maxLength: 4 });
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.integer({ min: 0, max: 200 });
  if (type === 'number') return fc.integer({ min: 1, max: 99_999 }).map((count) => count / 100);
  return type === 'string' ? textLike(schema) : junk;
}

function objectLike(schema: Schema, components: Components): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
  if (properties.map(([name]) => name).join() === 'type,number') return document;
  const required = new Set(schema['required'] as readonly string[] | undefined);
  const field = ([name, property]: [string, Schema]): [string, fc.Arbitrary<unknown>] => {
    const left = fc.constant(undefined);
    const weight = required.has(name) ? 1 : 10;
    return [name, fc.oneof({ weight: 20, arbitrary: near(property, components) }, { weight, arbitrary: left })];
  };
  const known = fc.record(Object.fromEntries(properties.map(field)));
  const unknown = fc.oneof(
    { weight: 15, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.dictionary(nastyText, junk, { maxKeys: 2 }) },
  );
  return fc.tuple(known, unknown).map(([fields, more]) => ({ ...fields, ...more }));
}

function textLike(schema: Schema): fc.Arbitrary<unknown> {
  const { pattern, format, maxLength } = schema as { pattern?: string; format?: string; maxLength?: number };
  const good =
    format === 'uuid'
      ? fc.uuid()
      : format === 'date'
        ? fc.constantFrom('2026-03-10', '2026-03-11', '2030-12-31', '2026-02-30', '9999-12-31')
        : format === 'uri'
          ? fc.constantFrom('https://partner.example/hook', 'http://127.0.0.1/x', 'not a url')
          : pattern !== undefined
            ? fc.stringMatching(new RegExp(pattern, 'u'))
            : fc.string({ minLength: 1, maxLength: Math.min(maxLength ?? 40, 40) });
  return fc.oneof({ weight: 20, arbitrary: good }, { weight: 1, arbitrary: nastyText });
}
