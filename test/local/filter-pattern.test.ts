import { describe, expect, test } from 'vitest';
import { compileFilters, compilePattern } from '#infra/local/event-sources/filter-pattern.ts';
import { fc } from '../support/properties.ts';

const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const event = fc.dictionary(
  fc.constantFrom('a', 'b', 'c'),
  fc.oneof(scalar, fc.dictionary(fc.constantFrom('d', 'e'), scalar)),
);

/** The pattern that asks for exactly what an event holds. */
function patternOf(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      typeof item === 'object' && item !== null ? patternOf(item as Record<string, unknown>) : [item],
    ]),
  );
}

describe('filter patterns of event sources', () => {
  test('take records of one kind whose attribute has one of the named values, and nothing else', () => {
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
      fc.property(event, event, (wanted, more) => {
        expect(compilePattern(patternOf(wanted))({ ...more, ...wanted })).toBe(true);
      }),
    );
  });

  test('a list of values fits exactly when one of them does', () => {
    fc.assert(
      fc.property(fc.array(scalar, { minLength: 1 }), scalar, (choices, value) => {
        expect(compilePattern({ a: choices })({ a: value })).toBe(choices.includes(value));
      }),
    );
  });

  test('anything-but is the contrary of the list, for a field that is there', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), fc.string(), (refused, value) => {
        expect(compilePattern({ a: [{ 'anything-but': refused }] })({ a: value })).toBe(!refused.includes(value));
      }),
    );
    expect(compilePattern({ a: [{ 'anything-but': ['x'] }] })({})).toBe(false);
  });

  test('numeric bounds hold as arithmetic has them, and for numbers alone', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), fc.integer(), (low, high, value) => {
        const fits = compilePattern({ a: [{ numeric: ['>', low, '<=', high] }] });
        expect(fits({ a: value })).toBe(value > low && value <= high);
        expect(fits({ a: `${value}` })).toBe(false);
      }),
    );
  });

  test('prefixes and suffixes hold as for texts', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (part, text) => {
        expect(compilePattern({ a: [{ prefix: part }] })({ a: text })).toBe(text.startsWith(part));
        expect(compilePattern({ a: [{ suffix: part }] })({ a: text })).toBe(text.endsWith(part));
      }),
    );
  });

  test.each([
    [{ a: [{ exists: true }] }, { a: 1 }, true],
    [{ a: [{ exists: true }] }, { b: 1 }, false],
    [{ a: [{ exists: false }] }, { b: 1 }, true],
    [{ a: { b: [{ exists: false }] } }, {}, true],
    [{ a: { b: [{ exists: false }] } }, { a: { b: null } }, false],
    [{ a: [{ 'equals-ignore-case': 'Sim' }] }, { a: 'sIM' }, true],
    [{ a: [{ wildcard: 'C#*#DUE' }] }, { a: 'C#1#DUE' }, true],
    [{ a: [{ wildcard: 'C#*#DUE' }] }, { a: 'C#1#DUE2' }, false],
    [{ a: [{ 'anything-but': { prefix: 'x' } }] }, { a: 'xy' }, false],
    [{ a: [{ 'anything-but': { prefix: 'x' } }] }, { a: 'yx' }, true],
    [{ a: ['x', { prefix: 'y' }] }, { a: 'yes' }, true],
    [{ a: ['x'] }, { a: ['w', 'x'] }, true],
    [{ a: ['x'] }, { a: [] }, false],
    [{ a: { b: ['x'] } }, { a: [{ b: 'w' }, { b: 'x' }] }, true],
    [{ $or: [{ a: ['x'] }, { b: ['y'] }] }, { b: 'y' }, true],
    [{ $or: [{ a: ['x'] }, { b: ['y'] }], c: ['z'] }, { b: 'y' }, false],
    [{ a: ['1'] }, { a: 1 }, false],
  ])('%j on %j: %s', (pattern, value, fits) => {
    expect(compilePattern(pattern)(value)).toBe(fits);
  });

  test('of several filters one is enough, and without a filter everything passes', () => {
    const accepts = compileFilters(['{"a":["x"]}', '{"b":["y"]}']);
    expect([accepts({ a: 'x' }), accepts({ b: 'y' }), accepts({ a: 'y' })]).toEqual([true, true, false]);
    expect(compileFilters([])({})).toBe(true);
  });

  test.each([[{ a: [{ cidr: '10.0.0.0/8' }] }], [{ a: 'x' }], [{ a: [{ numeric: ['!', 1] }] }], [{ a: [{}] }]])(
    'what is not understood is an error at the start: %j',
    (pattern) => {
      expect(() => compilePattern(pattern)).toThrow('does not understand');
    },
  );
});
