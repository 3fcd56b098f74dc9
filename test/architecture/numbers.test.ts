import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import type { Times } from '#functions/workers.ts';
import { workers } from '#functions/workers.ts';
import { webhookTypes } from '#shared/platform/outbox/delivery.ts';
import { circuitStates } from '#shared/webhooks/health/circuit.ts';
import { allRetryDelays } from '#shared/webhooks/deliveries/states.ts';
import { root, sources } from './sources.ts';

/** Constants that the figures below name and the code does not have, or has twice. */
const notFound: string[] = [];

const minutes = (seconds: readonly number[]): readonly number[] => seconds.map((delay) => delay / 60);
const days = (seconds: number): number => seconds / 86_400;

const { prod, local } = environments;
const { retryDelaysSeconds, circuit } = prod.deliveries;
const attempts = 'maxCountedFailures';
const secondsOfConflicts = constant('shared/platform/table/retry.ts policies.conflict.lastsMs') / 1000;
const hoursOfResends = (workers['resend-settlement-errors'].schedule as Times).hour?.split('-').map(Number) ?? [];

type Value = number | string;
/** A term, and the values that stand in one sentence (or row of a table) with it. */
type Figures = readonly (readonly [term: string, ...values: Value[]])[];

/** Figures of the documents that code decides. How a sentence says them is free. */
const figures: Readonly<Record<string, Figures>> = {
  'docs/quickstart.md': [
    ['KiB', constant('maxBodyBytes') / 1024],
    ['remembered', days(constant('keyLifeSeconds'))],
  ],
  'docs/payments.md': [
    ['limit of one transaction', (prod.orders.pixTransactionLimitCentavos / 100).toFixed(2)],
    ['refund', constant('maxRefunds')],
  ],
  'docs/subscriptions.md': [
    ['days at the earliest', prod.orders.schedule.minDaysAhead],
    ['`INITIAL`', prod.orders.schedule.releaseDaysBefore ?? 0],
    ['21:00', constant('maxRetries')],
  ],
  'docs/webhooks.md': [
    ['2xx', constant('deadlineDefaultMs') / 1000],
    ['attempts', constant(attempts), ...minutes(allRetryDelays(retryDelaysSeconds))],
    ['old secret', constant('overlapSeconds.usual') / 3600],
    ['becomes active', days(constant('releasedSeconds'))],
    ['calls in a row', circuit.failures, circuit.deliveries, circuit.windowSeconds / 60, circuit.timeouts],
    ['then every', ...minutes(circuit.probeDelaysSeconds)],
    ['endpoint becomes', days(circuit.disableAfterSeconds)],
    ['takes longer', constant('slowAfterMs') / 1000],
    ['calls to an endpoint', prod.deliveries.callsAtOnce.perEndpoint],
    ['lists the deliveries of the last', constant('deliveryKeptDays')],
    ['PUT /order/v1/webhook', ...webhookTypes],
    ['its `state`', ...circuitStates],
  ],
  'docs/operator.md': [
    ['A balance has', constant('maxShards')],
    ['payouts a minute', constant('maxPayoutsAMinute')],
  ],
  'docs/sandbox.md': [['jobs', constant('jobsAtMost')]],
  'docs/openapi.json': [
    ['calls a minute of a company: 429', constant('callsAMinute.TEST')],
    ['calls a minute of a company, with those', constant('callsAMinute.RESEND')],
    ['on different days', constant('maxNewAttempts'), constant('newAttemptDays')],
    ['A subscription can have', constant('maxCancellations')],
  ],
  'README.md': [
    ['2xx within', constant('deadlineDefaultMs') / 1000],
    ['tried again', constant(attempts) - 1],
    ['`RETRY_DELAYS_SECONDS`', local.deliveries.retryDelaysSeconds.join(',')],
    ['command per environment', ...Object.keys(environments).filter((name) => name !== 'local')],
  ],
  'docs/alarms.md': [
    ['created within', constant('limitsMs.payout') / 1000],
    ['first attempts that begin', constant('limitsMs.firstAttempt') / 1000],
    ['callbacks of banks applied', constant('limitsMs.bankEvent') / 1000],
    ['sqs stops', constant('inFlightLimit')],
  ],
  'docs/runbook.md': [
    ['attempts', constant(attempts)],
    ['delivery itself is kept', constant('deliveryKeptDays')],
    ['endpoint is disabled', days(circuit.disableAfterSeconds)],
    ['next probe', minutes(circuit.probeDelaysSeconds).at(-1) ?? NaN],
    ['hidden messages', constant('inFlightLimit')],
    ['held in the last', days(constant('releasedSeconds'))],
    ['get 429 after', secondsOfConflicts],
    ['its schedule', ...hoursOfResends],
  ],
  'docs/decisions/001-one-table-one-transaction.md': [['payments a batch', constant('maxChildren')]],
  'docs/decisions/003-order-ids-lead-to-their-order.md': [['place', constant('maxChildren')]],
  'docs/decisions/005-idempotency.md': [['days', days(constant('keyLifeSeconds'))]],
  'docs/decisions/006-one-reader-of-numbers.md': [['levels', constant('maxDepth')]],
  'docs/decisions/009-payouts-and-the-bank.md': [["request's start", constant('bankTimeMs') / 1000]],
  'docs/decisions/010-one-hot-account.md': [
    ['waits', secondsOfConflicts, constant('shared/platform/table/retry.ts policies.conflict.longestMs')],
    ['its process', constant('knownWaitsMs') / 1000, constant('longWaitMs'), constant('knownForMs') / 1000],
  ],
  'docs/decisions/011-webhook-delivery.md': [
    ['`HELD`', days(constant('releasedSeconds'))],
    ['`resend` and `test`', constant('callsAMinute.TEST')],
    ['body is read', constant('maxResponseBytes') / 1024],
    ['characters', constant('maxUrlLength')],
    ['lease', workers['deliver-notification'].timeoutSeconds, constant('leaseSeconds')],
  ],
  'docs/decisions/013-work-that-becomes-due.md': [
    ['shards', constant('dueShards')],
    ['at a time', constant('jobsAtOnce'), constant('maxJobWorkers')],
    ['just become due', constant('freshSeconds') / 60],
    ['everything that is due', constant('allEveryMinutes')],
    ['received again', constant('hiddenFor.LATER'), constant('mostReceives')],
    ['no further step', constant('beginsAboveMs') / 1000, constant('endsAtMs') / 1000],
  ],
  'docs/decisions/015-backlogs-and-circuits.md': [
    ['in a row', circuit.failures, circuit.deliveries, circuit.windowSeconds / 60, circuit.timeouts],
    ['`BUSY`', constant('slowAfterMs') / 1000],
    ['concurrent calls', prod.deliveries.callsAtOnce.perEndpoint, prod.deliveries.callsAtOnce.perCompany],
    ['lease', constant('drainLeaseSeconds')],
    ['looks again', constant('emptyLookSeconds'), constant('emptySettlesSeconds')],
    ['mildest', constant('maxCircuits')],
    ['circuits are busy', constant('busyCircuitsLimit')],
    ['longest waits', constant('lastAttemptWaits')],
    ['given up', days(circuit.disableAfterSeconds)],
  ],
  'docs/decisions/017-issuer-keys.md': [
    ['hours', constant('live') / 3_600_000],
    ['minutes', constant('fresh') / 60_000],
  ],
  'docs/decisions/020-simulated-clock.md': [
    ['jobs', constant('jobsAtMost'), constant('begunWithinMs') / 1000, constant('countedAtMost')],
  ],
  'docs/decisions/025-batches-of-deliveries.md': [
    ['has a burst', constant('burst.deliveries'), constant('burst.seconds')],
    ['places at the notifiers', prod.deliveries.companyShare],
    ['free all', constant('placesSeconds')],
    ['received again', constant('placeWaitSeconds'), 2 * constant('placeWaitSeconds')],
  ],
  'docs/deployment.md': [['deliveries.maxConcurrency', prod.deliveries.maxConcurrency]],
};

describe.each(Object.entries(figures))('%s', (path, expected) => {
  const statements = statementsOf(readFileSync(join(root, path), 'utf8'));

  test.each(expected.map(([term, ...values]) => ({ term, values })))(
    'has the figures of the code beside "$term"',
    ({ term, values }) => {
      const about = statements.filter((statement) => statement.toLowerCase().includes(term.toLowerCase()));
      expect(about, 'No sentence has this term. Say it so, or name here the term that the sentence has.').not.toEqual(
        [],
      );
      expect(
        about.map((statement) => values.filter((value) => !has(statement, value))),
        `The code says ${values.join(', ')}; these do not: ${about.join(' / ')}`,
      ).toContainEqual([]);
    },
  );
});

test('the constants behind the documents are in the code, each once', () => {
  expect(notFound, 'It was renamed: name it so above.').toEqual([]);
});

test('a figure is found in digits and in words, beside its term, and nowhere else', () => {
  const [first = '', second = ''] = statementsOf('The limit is R$ 15,000.00: at most\nfive parts. Ten days.');
  expect([has(first, 5), has(first, '15000.00'), has(first, 15), has(first, 10), has(second, 10)]).toEqual([
    ...[true, true, false, false, true],
  ]);
  expect(statementsOf('| a | 1 |\n| b | 2 |')).toEqual(['| a | 1 |', '| b | 2 |']);
});

/** Sentences and rows of tables of a document, each on one line. */
function statementsOf(document: string): readonly string[] {
  return document
    .split(/\n(?=\s*(?:\||[-*] |\d+\. |#|\n))/u)
    .flatMap((block) => block.replaceAll(/\s+/gu, ' ').split(/(?<=[.!?]) (?=[A-Z`*])/u))
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

/** Whether a statement has the value, in digits (12 000 and 15,000.00 alike) or in a word. */
function has(statement: string, value: Value): boolean {
  const numerals = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
  const text = statement.toLowerCase().replaceAll(/(?<=\d)[ ,](?=\d{3}(?!\d))/gu, '');
  return [String(value).toLowerCase(), typeof value === 'number' ? numerals[value] : undefined].some(
    (form) =>
      form !== undefined && new RegExp(`(?<![\\w.])${form.replaceAll('.', '\\.')}(?![\\w]|\\.\\d)`, 'u').test(text),
  );
}

/**
 * Value of a constant, by its name alone where that is unique among shared, functions and infra; `limits.cap`
 * is a member, and a folder before the name narrows the search. Read from the source, so that nothing is exported for a
 * document's sake.
 */
function constant(path: string): number {
  const [, folder = '', name = '', rest = ''] = /^(?:(\S+) )?(\w+)(?:\.(.*))?$/u.exec(path) ?? [];
  const members = rest === '' ? [] : rest.split('.');
  const found = sources
    .filter((source) => source.path.startsWith(folder) && !source.path.startsWith('test/'))
    .flatMap(({ tree }) => tree.statements.filter(ts.isVariableStatement))
    .flatMap(({ declarationList }) => declarationList.declarations)
    .filter((declaration) => declaration.name.getText() === name);
  const [declaration] = found;
  if (declaration?.initializer === undefined || found.length > 1) {
    notFound.push(`${found.length} constants are called ${name}`);
    return NaN;
  }
  return valueOf(members.reduce(memberOf, declaration.initializer));
}

function memberOf(node: ts.Expression, member: string): ts.Expression {
  if (ts.isAsExpression(node)) return memberOf(node.expression, member);
  const found = ts.isObjectLiteralExpression(node)
    ? node.properties.filter(ts.isPropertyAssignment).find(({ name }) => name.getText() === member)
    : undefined;
  if (found === undefined) throw new Error(`There is no ${member} in ${node.getText()}.`);
  return found.initializer;
}

function valueOf(node: ts.Expression): number {
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return valueOf(node.expression);
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isIdentifier(node)) return constant(node.text);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.AsteriskToken)
    return valueOf(node.left) * valueOf(node.right);
  throw new Error(`Not a number that this test can read: ${node.getText()}`);
}
