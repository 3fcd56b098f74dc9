import { expect, test } from 'vitest';
import { issues, RequestError } from '#shared/core/errors.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { helpLink } from '#shared/platform/http/help-link.ts';
import { HttpError, responseToError, unknownOutcome } from '#shared/platform/http/responses.ts';

const request = { method: 'POST', idempotencyKey: 'none', hasKey: false } as const;
const page = (code: string) => `</docs/errors/${code}>; rel="help"`;

test.each(issues)('an error leads to the page of its issue %s', (issue) => {
  const error = new RequestError('state', 'Refused.', [{ field: 'id', issue, description: 'Is wrong.' }]);
  expect(responseToError(error, request).headers['link']).toBe(page(issue.toLowerCase()));
});

test.each([
  ['401', new RequestError('unauthorized', 'No.')],
  ['403', new RequestError('forbidden', 'No.')],
  ['404', new RequestError('missing', 'No.')],
  ['429', new RequestError('throttled', 'No.')],
  ['413', new HttpError(413, 'Too large.')],
  ['415', new HttpError(415, 'Not JSON.')],
  ['500', new Error('Broken.')],
  ['503', new StoreUnavailable('x')],
  ['504', Object.assign(new Error('Late.'), { name: 'TimeoutError' })],
])('an error without details leads to the page of its status %s', (status, error) => {
  for (const tool of [false, true]) {
    const { statusCode, headers } = responseToError(error, { ...request, tool });
    expect([String(statusCode), headers['link']]).toEqual([status, page(status)]);
  }
});

test('a simulated failure has the link of a real one', () => {
  expect(unknownOutcome(504, request).headers['link']).toBe(page('504'));
});

test('an error with several issues leads to the page of each, once', () => {
  const details = (['REQUIRED', 'TOO_LONG', 'REQUIRED'] as const).map((issue) => ({ issue }));
  expect(helpLink('https://docs.example/errors.md#', 400, details)).toBe(
    '<https://docs.example/errors.md#required>; rel="help", <https://docs.example/errors.md#too_long>; rel="help"',
  );
});
