import { describe, expect, test } from 'vitest';
import { compileFilters, compilePattern } from '#cdk-local/event-sources/filter-pattern.ts';
import { fc } from '#test/support/properties.ts';

const event = fc.dictionary(
  fc.constantFrom('a', 'b', 'c'),
  fc.oneof(fc.string(), fc.dictionary(fc.constantFrom('d', 'e'), fc.string())),
);

/** The pattern that asks for exactly what an event holds. */
function patternOf(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      typeof item === 'string' ? [item] : patternOf(item as Record<string, unknown>),
    ]),
  );
}

describe('filter patterns of event sources', () => {
  test('accept records of one kind whose attribute has one of the named values, and no other record', () => {
    const accepts = compileFilters([
      JSON.stringify({
        eventName: ['INSERT'],
        dynamodb: { NewImage: { entity: { S: ['DELIVERY', 'DELIVERY_SENDING'] } } },
      }),
    ]);
    const record = (eventName: string, entity: unknown): unknown => ({ eventName, dynamodb: { NewImage: { entity } } });
    expect(accepts(record('INSERT', { S: 'DELIVERY' }))).toBe(true);
    expect(accepts(record('INSERT', { S: 'DELIVERY_SENDING' }))).toBe(true);
    expect(accepts(record('MODIFY', { S: 'DELIVERY' }))).toBe(false);
    expect(accepts(record('INSERT', { S: 'DELIVERY_BODY' }))).toBe(false);
    expect(accepts(record('INSERT', { N: '1' }))).toBe(false);
    expect(accepts({ eventName: 'INSERT', dynamodb: { Keys: {} } })).toBe(false);
  });

  test('an event fits the pattern made of its own values, whatever else it holds', () => {
    fc.assert(
      fc.property(event, event, (own, more) => {
        expect(compilePattern(patternOf(own))({ ...more, ...own })).toBe(true);
      }),
    );
  });

  test('a list of values fits exactly when one of them does', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), fc.string(), (choices, value) => {
        expect(compilePattern({ a: choices })({ a: value })).toBe(choices.includes(value));
      }),
    );
  });

  test('accept with a prefix exactly the texts that start with it', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (part, text) => {
        expect(compilePattern({ a: [{ prefix: part }] })({ a: text })).toBe(text.startsWith(part));
      }),
    );
  });

  test.each([
    [{ a: ['x', { prefix: 'y' }] }, { a: 'yes' }, true],
    [{ a: [{ prefix: '1' }] }, { a: 1 }, false],
    [{ a: ['1'] }, { a: 1 }, false],
    [{ a: { b: ['x'] } }, {}, false],
  ])('%j on %j: %s', (pattern, value, fits) => {
    expect(compilePattern(pattern)(value)).toBe(fits);
  });

  test('accept an event when one of several filters accepts it, and every event when there is no filter', () => {
    const accepts = compileFilters(['{"a":["x"]}', '{"b":["y"]}']);
    expect([accepts({ a: 'x' }), accepts({ b: 'y' }), accepts({ a: 'y' })]).toEqual([true, true, false]);
    expect(compileFilters([])({})).toBe(true);
  });

  test.each([
    [{ a: [{ cidr: '10.0.0.0/8' }] }],
    [{ a: 'x' }],
    [{ a: [{ numeric: ['>', 1] }] }],
    [{ a: [{}] }],
    [{ a: [1] }],
    [{ a: [{ prefix: { 'equals-ignore-case': 'x' } }] }],
    [{ $or: [{ a: ['x'] }, { b: ['y'] }] }],
  ])('are refused at the start when they use an unsupported form: %j', (pattern) => {
    expect(() => compilePattern(pattern)).toThrow('does not support');
  });
});
