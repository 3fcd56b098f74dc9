import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { keepRecordedErrors, plainest, readError, wantedErrors } from './recording.ts';
import type { Exchange } from '../support/exchanges.ts';
import { exchangesVariable } from '../support/exchanges.ts';
import { leaveOpen } from '../support/not-judged.ts';

const file = process.env[exchangesVariable];

test('the acceptance run meets every status and every issue that an error can have', (context) => {
  if (file === undefined) {
    leaveOpen(context, 'exchanges', 'the acceptance suite is no part of this run');
    return;
  }
  if (process.env['ACCEPTANCE_SANDBOX'] !== undefined) {
    leaveOpen(context, 'errors', 'a deployment in an emulator does not come to every error');
    return;
  }
  const errors = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => {
      const { status, answer } = JSON.parse(line) as Exchange;
      return readError(status, answer) ?? [];
    });
  const recorded = plainest(errors);
  if (process.env['UPDATE_ERRORS'] !== undefined) keepRecordedErrors(recorded);
  expect(wantedErrors.filter((name) => recorded[name] === undefined)).toEqual([]);
});
