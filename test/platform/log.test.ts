import { expect, test } from 'vitest';
import { errorFields } from '#shared/platform/log.ts';

const secret = 'maria@example.com';

class Refused extends Error {
  override readonly name = 'Refused';
}

test.each([
  ['an error', new Refused(secret), 'Refused'],
  [
    'an error of another library',
    Object.assign(new Error(secret), { name: 'ThrottlingException' }),
    'ThrottlingException',
  ],
  ['an error with a cause of its own', new Refused(secret, { cause: new Error(secret) }), 'Refused'],
  ['a text', secret, undefined],
  ['a record', { message: secret }, undefined],
  ['nothing', undefined, undefined],
])('the log of an error names its cause, if that is an error, and nothing else of it: %s', (_what, cause, name) => {
  const fields = errorFields(new Error('Cannot fetch.', { cause }));
  expect(fields).toMatchObject({ errorName: 'Error', errorMessage: 'Cannot fetch.', cause: name });
  expect(JSON.stringify(fields)).not.toContain(secret);
});

test.each([[secret], [{ message: secret }], [7], [undefined]])(
  'the log of what is no error is its type: %j',
  (thrown) => {
    expect(errorFields(thrown)).toEqual({ errorName: typeof thrown });
  },
);
