import { expect, it } from 'vitest';
import { pick } from '#shared/core/pick.ts';

it('a copy has the named members that are there, in the order of the names', () => {
  const from = { first: 1, second: undefined, third: null, fourth: '' };
  const copy = pick(from, 'fourth', 'third', 'second');
  expect(copy).toEqual({ fourth: '', third: null });
  expect(Object.keys(copy)).toEqual(['fourth', 'third']);
});
