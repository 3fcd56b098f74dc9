import { describe, expect, it } from 'vitest';
import { RequestError } from '#shared/core/errors.ts';
import type { CursorScope } from '#shared/platform/table/cursor.ts';
import { cursorOf, newCursorKey, positionOf } from '#shared/platform/table/cursor.ts';
import { fc } from '../support/properties.ts';

const key = newCursorKey();
const scope: CursorScope = { companyId: 'c-1', kind: 'DELIVERY', filters: { status: 'FAILED', event: undefined } };
const position = { sort: '2026-03-02T12:00:00.000Z#d-1', id: 'd-1' };
const cursor = cursorOf(key, scope, position);

describe('a cursor', () => {
  it('leads back to its position, and is text that a query can hold', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (sort, id) => {
        const text = cursorOf(key, scope, { sort, id });
        expect(text).toMatch(/^[A-Za-z0-9_-]+$/u);
        expect(positionOf(key, scope, text)).toEqual({ sort, id });
      }),
    );
  });

  it('does not care in which order filters are named, nor about those that are not set', () => {
    const filters = { event: undefined, kind: undefined, status: 'FAILED' };
    expect(positionOf(key, { ...scope, filters }, cursor)).toEqual(position);
  });

  it.each([
    ['another key', newCursorKey(), scope],
    ['another company', key, { ...scope, companyId: 'c-2' }],
    ['another listing', key, { ...scope, kind: 'ACCOUNT' }],
    ['another filter', key, { ...scope, filters: { status: 'HELD' } }],
    ['one more filter', key, { ...scope, filters: { ...scope.filters, event: 'E' } }],
    ['no filter', key, { ...scope, filters: {} }],
    ['a filter of another name', key, { ...scope, filters: { event: 'FAILED' } }],
  ] as const)('is refused with %s', (_what, otherKey, otherScope) => {
    expect(() => positionOf(otherKey, otherScope, cursor)).toThrow(RequestError);
  });

  it('is refused when it was changed in any way', () => {
    fc.assert(
      fc.property(
        fc.nat(cursor.length - 1),
        fc.constantFrom('A', 'Z', 'a', 'z', '0', '9', '-', '_', '=', '+', '/', ' ', '%'),
        (place, character) => {
          fc.pre(cursor[place] !== character);
          const changed = cursor.slice(0, place) + character + cursor.slice(place + 1);
          expect(() => positionOf(key, scope, changed)).toThrow(RequestError);
        },
      ),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => positionOf(key, scope, text)).toThrow(RequestError);
        expect(() => positionOf(key, scope, cursor + text + 'x')).toThrow(RequestError);
      }),
    );
  });
});
