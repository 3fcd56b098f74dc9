import { describe, expect, test } from 'vitest';
import * as keysModule from '#shared/platform/table/keys.ts';
import { fc } from '../support/properties.ts';
import { isLike } from './iam-patterns.ts';
import type { Properties, Statement } from './synthesized.ts';
import { synthesize } from './synthesized.ts';
import { each } from '#test/support/each.ts';

const stack = synthesize();

/** Every statement of every policy in a template: roles, keys, queues, topics. */
function statementsIn(value: unknown): readonly Statement[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.values(value).flatMap(statementsIn);
  return 'Effect' in value && 'Action' in value ? [value as Statement, ...below] : below;
}

type Compared = { readonly where: string; readonly statement: Statement; readonly key: string; readonly like: string };

/** Every text that a condition compares a request with, by the key of the condition. */
const compared: readonly Compared[] = stack.names.flatMap((where) =>
  stack(where).resources.flatMap(({ Properties }) =>
    statementsIn(Properties).flatMap((statement) =>
      Object.values((statement.Condition ?? {}) as Properties).flatMap((keys) =>
        Object.entries(keys as Record<string, unknown>).flatMap(([key, values]) =>
          [values].flat().flatMap((like) => (typeof like === 'string' ? [{ where, statement, key, like }] : [])),
        ),
      ),
    ),
  ),
);
const onPartitions = compared.filter(({ key }) => key === 'dynamodb:LeadingKeys');

type Builder = (...given: readonly string[]) => unknown;
const isBuilder = (value: unknown): value is Builder => typeof value === 'function';

/** Every builder of keys of keys.ts, also a new one: the templates of items, and the functions of its indexes. */
const builders: readonly (readonly [string, Builder])[] = [
  ...Object.entries(keysModule.keys),
  ...Object.entries(keysModule),
].flatMap(([name, value]) => (isBuilder(value) ? [[name, value] as const] : []));

/** The partition keys among what a builder makes, of the table (`PK`) and of indexes (`GSI1PK`). */
function partitionsOf(built: unknown): readonly string[] {
  if (typeof built === 'string') return [built];
  const named = Object.entries(built as object).filter(([name]) => name.endsWith('PK'));
  return named.map(([, partition]) => partition as string);
}

/** Texts that partners may choose, mostly those that look like parts of keys and of patterns. */
const pieces = [
  '#',
  'SECRET',
  '#SECRET',
  '#CODE_SECRET',
  'HASH_SECRET',
  'C#',
  'WEBHOOK',
  '*',
  '?',
  '-',
  '\n',
  '$',
  '${*}',
  ' ',
  '\u{1F511}',
];
const hostile = fc.oneof(
  fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.uuid(), fc.string()), { maxLength: 6 })
    .map((parts) => parts.join('')),
  fc
    .tuple(fc.string({ unit: 'binary' }), fc.constantFrom('#SECRET', '#CODE_SECRET', ''))
    .map(([text, end]) => `${text}${end}`),
);

const company = '6f1c1b1e-4a57-4d0c-9a55-0d8a4f1f7a10';

/**
 * The first argument is the company where the partition begins with it: a UUID, as the operator's command makes sure.
 * The rest is text.
 */
function argumentsOf(build: Builder): fc.Arbitrary<readonly string[]> {
  const example = partitionsOf(build(...Array<string>(build.length).fill(company)));
  const ofCompany = example.every((partition) => partition.startsWith(keysModule.companyPrefix(company)));
  return fc.tuple(...Array.from({ length: build.length }, (_, at) => (at === 0 && ofCompany ? fc.uuid() : hostile)));
}

/** Builders of the partitions that are closed to most functions. */
const closed = ['webhookSecret', 'codeSecret', 'hashSecret', 'issuerKeys'];

describe('IAM patterns', () => {
  test.each([
    ['C#1#SECRET', 'C#*#SECRET', true],
    ['C#1#UNIQ#PAYOUT#order-7#SECRET', 'C#*#SECRET', true],
    ['C#1#SECRET', 'C#?#SECRET', true],
    ['C#12#SECRET', 'C#?#SECRET', false],
    ['C##SECRET', 'C#?#SECRET', false],
    ['C#\n#SECRET', 'C#?#SECRET', true],
    ['c#1#SECRET', 'C#?#SECRET', false],
    ['C#1#SECRET#', 'C#?#SECRET', false],
    ['a*', 'a${*}', true],
    ['ab', 'a${*}', false],
    ['a.b', 'a.b', true],
    ['axb', 'a.b', false],
  ])('%j is like %j: %s', (value, pattern, like) => {
    expect(isLike(value, pattern)).toBe(like);
  });
});

describe('conditions of policies', () => {
  test('have wildcards only where they compare partition keys, which are judged below', () => {
    for (const { where, statement, key, like } of each(compared)) {
      if (key !== 'dynamodb:LeadingKeys') expect(like, `${where} ${statement.Sid ?? ''} ${key}`).not.toMatch(/[*?]/u);
    }
    expect(onPartitions.length).toBeGreaterThan(stack.names.length);
  });

  test('see every builder of keys', () => {
    expect(builders.map(([name]) => name)).toEqual(
      expect.arrayContaining([...Object.keys(keysModule.keys), 'waitAttributes']),
    );
    for (const [name, build] of each(builders)) {
      const partitions = partitionsOf(build(...Array<string>(build.length).fill(company)));
      expect(partitions.length, name).toBeGreaterThan(0);
      for (const partition of each(partitions)) expect(partition, name).toBeTypeOf('string');
    }
  });
});

describe.each(builders)('a partition key of %s', (name, build) => {
  const patterns = [...new Set(onPartitions.map(({ statement, like }) => `${statement.Effect} ${like}`))].map((one) => {
    const [effect = '', ...like] = one.split(' ');
    return { effect, like: like.join(' ') };
  });

  test('is denied only if its partition is a closed one, whatever text partners put into it', () => {
    const denied = patterns.filter(({ effect }) => effect === 'Deny');
    expect(denied.length).toBeGreaterThan(0);
    fc.assert(
      fc.property(argumentsOf(build), (given) => {
        for (const partition of each(partitionsOf(build(...given)))) {
          const hit = denied.some(({ like }) => isLike(partition, like));
          expect(hit, partition).toBe(closed.includes(name));
        }
      }),
    );
  });

  test('is allowed or not by what it is, whatever text partners put into it', () => {
    const [plain = ''] = partitionsOf(build(...Array<string>(build.length).fill(company)));
    fc.assert(
      fc.property(argumentsOf(build), (given) => {
        for (const partition of each(partitionsOf(build(...given)))) {
          for (const { like } of each(patterns)) expect(isLike(partition, like), partition).toBe(isLike(plain, like));
        }
      }),
    );
  });
});
