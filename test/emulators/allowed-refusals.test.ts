import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { issues } from '#shared/core/errors.ts';
import { each } from '../support/each.ts';

type Entry = { readonly field: string; readonly issue: string; readonly because: string };
const file = new URL('../../tools/fuzz/refused-although-allowed.json', import.meta.url);
const entries = JSON.parse(readFileSync(file, 'utf8')) as readonly Entry[];

test('the list of refused values that the document allows has at most 15 lines, each with its reason', () => {
  expect(entries.length).toBeLessThanOrEqual(15);
  for (const { because } of entries) expect(because).toMatch(/^[A-Z].{20,}\.$/u);
});

test('each line names issues of the closed list, and fields by a pattern that fits no common field', () => {
  for (const { field, issue } of each(entries)) {
    expect(issues).toEqual(expect.arrayContaining(issue.split('|')));
    const whole = new RegExp(`^(?:${field})$`, 'u');
    for (const other of ['accountId', 'status', 'reason', 'limit', 'sort', 'body'])
      expect(whole.test(other)).toBe(false);
  }
});

test('no line has an issue of length, UNKNOWN_FIELD or MALFORMED_JSON', () => {
  const bounds = entries.filter(({ issue }) => /TOO_|UNKNOWN_FIELD|MALFORMED_JSON/u.test(issue));
  expect(bounds).toEqual([]);
});
