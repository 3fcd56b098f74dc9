import type { RunnerTestCase } from 'vitest';
import { afterEach, beforeEach } from 'vitest';
import { lackOf } from './lacking.ts';

/* Holds each test to test/support/lacking.json, at the bank that the file is about. */

/** Vitest reads it after the test and its hooks. */
function expectFailure(task: RunnerTestCase, fails: boolean): void {
  Object.assign(task, { fails });
}

beforeEach(({ task }) => {
  if (lackOf(task)?.sign !== undefined) expectFailure(task, true);
});

afterEach(({ task }) => {
  const lack = lackOf(task);
  const { state, errors = [] } = task.result ?? {};
  // What may be left open, `leaveOpen` says itself.
  if (lack === undefined || state === 'skip') return;
  const { sign } = lack;
  if (sign === undefined) throw new Error('The test is listed as left open, and ran.');
  // An error that does not show the lack is an error of the test. One that succeeds fails by its listing.
  if (state === 'fail' && !errors.some(({ message }) => sign.test(message))) expectFailure(task, false);
});
