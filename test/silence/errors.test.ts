import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { responsesOfOperations } from './operation-answers.ts';
import { keepFile, keepRecordedErrors, plainest, readError, wantedErrors } from './recording.ts';
import type { OperationErrors } from '#tools/docs/recorded-errors.ts';
import { operationErrors } from '#tools/docs/recorded-errors.ts';
import type { Exchange } from '../support/exchanges.ts';
import { exchangesVariable } from '../support/exchanges.ts';
import { leaveOpen } from '../support/not-judged.ts';

const file = process.env[exchangesVariable];

test('the acceptance run meets every status and every issue that an error can have', (context) => {
  if (file === undefined) {
    leaveOpen(context, 'exchanges', 'the acceptance suite is no part of this run');
    return;
  }
  if (process.env['TEST_SLOW'] !== undefined) {
    leaveOpen(context, 'errors', 'the slow tests do not come to every error; `npm test` does');
    return;
  }
  if (process.env['ACCEPTANCE_SANDBOX'] !== undefined) {
    leaveOpen(context, 'errors', 'a deployment in an emulator does not come to every error');
    return;
  }
  const exchanges = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Exchange);
  const recorded = plainest(exchanges.flatMap(({ status, response }) => readError(status, response) ?? []));
  const ofOperations = responsesOfOperations(exchanges);
  if (process.env['UPDATE_ERRORS'] !== undefined) {
    keepRecordedErrors(recorded);
    // Statuses that only the slow tests come to stay as they are known.
    const all = Object.entries(ofOperations).map(([id, errors]) => [id, { ...operationErrors[id], ...errors }]);
    keepFile('operation-errors.json', Object.fromEntries(all));
  }
  expect(wantedErrors.filter((name) => recorded[name] === undefined)).toEqual([]);
  // What was kept just now is read by the next run.
  if (process.env['UPDATE_ERRORS'] !== undefined) return;
  // Of 400 the document shows one of very many.
  const shown = (errors: OperationErrors) =>
    Object.values(errors).map(({ 404: missing, 409: state }) => [missing, state]);
  expect(shown(ofOperations), 'The document shows other responses: see UPDATE_ERRORS in CONTRIBUTING.md.').toEqual(
    shown(operationErrors),
  );
});
