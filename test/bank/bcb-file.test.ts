import { expect, test } from 'vitest';
import { readCorrectedFile } from '../support/api-pix/bcb/corrections.ts';
import { callbackViolations, violationsOf } from '../support/api-pix/bcb/judge.ts';

test("BCB's file needs these corrections, and no others are made", () => {
  const { corrections } = readCorrectedFile();
  const counts = Object.entries(corrections).map(([name, positions]) => [name, positions.length]);
  expect(Object.fromEntries(counts)).toEqual({
    slashedPatterns: 14,
    unknownRequired: 14,
    textsAsObjects: 1,
    ambiguous: 2,
    textDefaults: 1,
    locationsAsUri: 4,
  });
});

test('the judge sees a broken answer, a broken request, and an answer that the file does not have', () => {
  const cob = { method: 'PUT', path: '/v2/cob/x?y=z', status: 201, type: 'application/json', response: {} };
  expect(violationsOf(cob)).toContainEqual(expect.stringContaining("must have required property 'status'"));
  const problem = { type: 'https://x.y/z', title: 't', status: 400 };
  const refused = { ...cob, status: 400, type: 'application/problem+json', response: problem };
  expect(violationsOf({ ...refused, body: {} })).toEqual([]);
  expect(violationsOf({ ...refused, response: { ...problem, status: '400' } })).toHaveLength(1);
  expect(violationsOf({ ...cob, body: { valor: { original: '1,00' } } })).toContainEqual(
    expect.stringContaining('/valor/original'),
  );
  expect(violationsOf({ ...cob, status: 418 })).toEqual([expect.stringContaining('the file has no')]);
  expect(callbackViolations('WebhookPixBody', { pix: [{}] })).not.toEqual([]);
});
