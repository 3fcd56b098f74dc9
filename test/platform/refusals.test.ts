import { describe, expect, test } from 'vitest';
import { refused } from '#test/support/refusals.ts';

const error = {
  error: 'INVALID_REQUEST',
  message: 'Too late.',
  details: [{ field: 'dueDate', issue: 'OUTSIDE_WINDOW', description: 'Too late.' }],
};
const text = JSON.stringify(error);
const response = { status: 409, text };

describe('the check of a refusal', () => {
  test.each([
    ['an operation', response],
    ['a partner', { status: 409, received: { text } }],
    ['the gateway', { statusCode: 409, body: text }],
  ])('accepts the response of %s, and returns its error', (_whose, given) => {
    expect(refused(given, 409, ['dueDate:OUTSIDE_WINDOW'])).toMatchObject(error);
    expect(refused(given, 409)).toMatchObject(error);
  });

  test('fails for another status, and shows the body that came', () => {
    const created = { status: 201, text: '{"id":"made-after-all"}' };
    expect(() => refused(created, 409, [], 'the second')).toThrow(
      'the second: the response was 201 {"id":"made-after-all"}',
    );
    expect(() => refused(response, 400)).toThrow(text);
  });

  test.each([['no issue', []] as const, ['another issue', ['dueDate:OUT_OF_RANGE']] as const])(
    'fails with the body when the test expects %s',
    (_what, faults) => {
      expect(() => refused(response, 409, faults)).toThrow(text);
    },
  );

  test('fails for a body that is no error, or an error that does not go with the status', () => {
    expect(() => refused({ status: 409, text: '{}' }, 409)).toThrow('not an error body');
    expect(() => refused({ status: 404, text }, 404)).toThrow('does not match the error');
  });
});
