import { fc } from './properties.ts';

export type Schema = Readonly<Record<string, unknown>>;
export type Components = Readonly<Record<string, Schema>>;

type Known = {
  readonly $ref?: string;
  readonly oneOf?: readonly Schema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly type?: string;
  readonly items?: Schema;
};

type TextSchema = {
  readonly pattern?: string;
  readonly format?: string;
  readonly maxLength?: number;
  readonly examples?: readonly unknown[];
};

/** Fast-check's own unit `binary` makes an index of all characters first, which takes a second. */
const anyCharacter = fc.nat({ max: 0x10ffff }).map((point) => String.fromCodePoint(point));
/** Texts that break programs: controls, lone surrogates, the longest possible ones, other JSON in them. */
const nastyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 80 }),
  fc.constantFrom('', '\u0000', '\uD800', 'a\uDC00b', '\u202E', 'x'.repeat(5000), '__proto__', '<script>', 'C#x#SUB#y'),
);
const junk = fc.oneof(fc.jsonValue({ maxDepth: 3 }), nastyText, fc.constantFrom(1.5, -0, 1e300, 2 ** 60));

/** CPFs and CNPJs with right check digits. */
const document = fc.constantFrom({ type: 'CPF', number: '52998224725' }, { type: 'CNPJ', number: '11222333000181' });

/** Values near a JSON Schema: some just as it wants them, most with a few fields wrong, left out or added. */
export function near(schema: Schema, components: Components): fc.Arbitrary<unknown> {
  return fc.oneof(like(schema, { components, wild: false }), like(schema, { components, wild: true }), junk);
}

/** Values as a JSON Schema wants them: what it leaves out stands half of the times. */
export function wanted(schema: Schema, components: Components): fc.Arbitrary<unknown> {
  return like(schema, { components, wild: false });
}

type Source = { readonly components: Components; readonly wild: boolean };

function mostly(schema: Schema, source: Source): fc.Arbitrary<unknown> {
  const good = like(schema, source);
  return source.wild ? fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: junk }) : good;
}

function like(schema: Schema, source: Source): fc.Arbitrary<unknown> {
  const { $ref, oneOf, const: only, enum: values, type, items } = schema as Known;
  if ($ref !== undefined) return like(source.components[$ref.split('/').at(-1) ?? ''] ?? {}, source);
  // Beside a type they say which fields go together.
  const choices = type === undefined ? oneOf : undefined;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => like(choice, source)));
  if (only !== undefined) return fc.constant(only);
  if (values !== undefined) return fc.constantFrom(...values);
  if (type === 'object') return objectLike(schema, source);
  if (type === 'array') return fc.array(mostly(items ?? {}, source), { maxLength: 4 });
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.integer({ min: 0, max: 200 });
  if (type === 'number') return fc.integer({ min: 1, max: 99_999 }).map((count) => count / 100);
  return type === 'string' ? textLike(schema, source) : junk;
}

function objectLike(schema: Schema, source: Source): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
  if (properties.map(([name]) => name).join() === 'type,number') return document;
  const required = new Set(schema['required'] as readonly string[] | undefined);
  const field = ([name, property]: [string, Schema]): [string, fc.Arbitrary<unknown>] => {
    const weight = required.has(name) ? (source.wild ? 1 : 0) : 20;
    const left = { weight, arbitrary: fc.constant(undefined) };
    return [name, fc.oneof({ weight: 20, arbitrary: mostly(property, source) }, left)];
  };
  if (schema['maxProperties'] === 1 && !source.wild)
    return fc.oneof(...properties.map(([name, property]) => fc.record({ [name]: like(property, source) })));
  const known = fc.record(Object.fromEntries(properties.map(field)));
  const added = fc.dictionary(nastyText, junk, { maxKeys: 2 });
  const more = fc.oneof({ weight: 15, arbitrary: fc.constant({}) }, { weight: source.wild ? 1 : 0, arbitrary: added });
  return fc.tuple(known, more).map(([fields, others]) => ({ ...fields, ...others }));
}

function textLike(schema: Schema, { wild }: Source): fc.Arbitrary<unknown> {
  const { pattern, format, maxLength, examples } = schema as TextSchema;
  const shown = examples === undefined ? [] : [{ weight: 2, arbitrary: fc.constantFrom(...examples) }];
  const formed =
    format === 'uuid'
      ? fc.uuid()
      : format === 'date'
        ? fc.constantFrom('2026-03-10', '2026-03-11', '2030-12-31', ...(wild ? ['2026-02-30', '9999-12-31'] : []))
        : format === 'date-time'
          ? fc.constantFrom('2026-01-15T12:00:00Z', '2026-03-10T09:00:00.5-03:00')
          : format === 'uri'
            ? fc.constantFrom('https://partner.example/hook', 'http://127.0.0.1/x', 'not a url')
            : pattern !== undefined
              ? fc.stringMatching(new RegExp(pattern, 'u'))
              : fc.string({ minLength: 1, maxLength: Math.min(maxLength ?? 40, 40) });
  // Examples and others of the form: where the schema cannot say it, as for keys, only the examples are right.
  const good = fc.oneof(...shown, { weight: 1, arbitrary: formed });
  return fc.oneof({ weight: 20, arbitrary: good }, { weight: wild ? 1 : 0, arbitrary: nastyText });
}
