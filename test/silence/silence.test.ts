import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Exchange } from '../support/exchanges.ts';
import { exchangesVariable } from '../support/exchanges.ts';
import { leaveOpen } from '../support/not-judged.ts';
import { findLeakedIds, findLeakedSecrets, linesWith, privateTexts } from './findings.ts';

/** After the acceptance suite, in the same run: every request and every response. */
const file = process.env[exchangesVariable];
const folder = file === undefined ? undefined : dirname(file);
const exchanges = (file === undefined ? '' : readFileSync(file, 'utf8'))
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Exchange);
const logs = (folder === undefined ? [] : readdirSync(folder))
  .map((name) => join(folder!, name, 'functions.log'))
  .filter((log) => existsSync(log));

test('the acceptance run sends no caller an id that belongs to another caller', (context) => {
  if (file === undefined) {
    leaveOpen(context, 'exchanges', 'the acceptance suite is no part of this run');
    return;
  }
  expect(new Set(exchanges.map(({ caller }) => caller)).size).toBeGreaterThan(1);
  expect(findLeakedIds(exchanges)).toEqual([]);
});

test('the acceptance run sends no caller a secret of another caller', (context) => {
  if (file === undefined) {
    leaveOpen(context, 'exchanges', 'the acceptance suite is no part of this run');
    return;
  }
  expect(findLeakedSecrets(exchanges)).toEqual([]);
});

test('the acceptance run writes no personal data and no secret to any log', (context) => {
  if (logs.length === 0) {
    leaveOpen(context, 'logs', 'the run has no local environment, whose logs are files');
    return;
  }
  const texts = privateTexts(exchanges);
  expect(texts.size).toBeGreaterThan(10);
  for (const log of logs) expect(linesWith(texts, readFileSync(log, 'utf8')), log).toEqual([]);
});
