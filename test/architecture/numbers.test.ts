import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import type { Times } from '#functions/workers.ts';
import { workers } from '#functions/workers.ts';
import { webhookTypes } from '#shared/platform/outbox/delivery.ts';
import { allRetryDelays } from '#shared/webhooks/deliveries/states.ts';
import { root, sources } from './sources.ts';

/** Numbers in words, as the documents write them. */
const words = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const word = (count: number): string => words[count] ?? String(count);
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const list = (values: readonly (number | string)[]): string =>
  `${values.slice(0, -1).join(', ')} and ${String(values.at(-1))}`;
const inMinutes = (seconds: readonly number[]): readonly number[] => seconds.map((one) => one / 60);
const days = (seconds: number): number => seconds / 86_400;

const { prod, local } = environments;
const spaced = (count: number): string => String(count).replace(/(?=(?:\d{3})+$)(?!^)/gu, ' ');
const stagesOnAws = Object.keys(environments)
  .filter((name) => name !== 'local')
  .map((name) => capital(name))
  .join(', ');
const { retryDelaysSeconds, circuit } = prod.deliveries;
const probeMinutes = inMinutes(circuit.probeDelaysSeconds);

/** Constants that the sentences below name and the code does not have, or has twice. */
const notFound: string[] = [];

/**
 * What documents say in numbers that code decides: each sentence is made from the code, and must stand in the document.
 */
const sentences: Readonly<Record<string, readonly string[]>> = {
  'docs/quickstart.md': [
    `at most ${constant('maxBodyBytes') / 1024} KiB`,
    `Keys are remembered ${days(constant('keyLifeSeconds'))} days`,
  ],
  'docs/payments.md': [
    `(R$ ${(prod.orders.pixTransactionLimitCentavos / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })} unless agreed otherwise)`,
    `you may request another refund (${constant('maxRefunds')} in all)`,
  ],
  'docs/subscriptions.md': [
    `settles in ${word(prod.orders.schedule.minDaysAhead)} days at the earliest, and is \`INITIAL\` until ${word(prod.orders.schedule.releaseDaysBefore ?? 0)} days before`,
    `on the same day before 21:00, at most ${word(constant('maxRetries'))} times`,
  ],
  'docs/webhooks.md': [
    `Answer 2xx within ${constant('deadlineDefaultMs') / 1000} seconds`,
    `${capital(word(constant('maxCountedFailures')))} attempts: at once, then after ${list(inMinutes(allRetryDelays(retryDelaysSeconds)))} minutes`,
    `A rotation keeps the old secret for ${constant('overlapSeconds.usual') / 3600} hours unless set otherwise`,
    `becomes active within ${days(constant('releasedSeconds'))} days`,
    `(${circuit.failures} failed calls in a row over at least ${circuit.deliveries} notifications within ${circuit.windowSeconds / 60} minutes, or ${circuit.timeouts} timeouts in a row)`,
    `after ${probeMinutes.slice(0, -1).join(', ')} and then every ${String(probeMinutes.at(-1))} minutes`,
    `After ${days(circuit.disableAfterSeconds)} days the endpoint becomes`,
    `takes longer than ${word(constant('slowAfterMs') / 1000)} second`,
    `At most ${String(prod.deliveries.callsAtOnce.perEndpoint)} calls to an endpoint are open at once`,
    `every attempt of the last ${constant('deliveryKeptDays')} days`,
    `Register one URL per type with \`PUT /order/v1/webhook\`: ${webhookTypes.map((type) => `\`${type}\``).join(', ')}`,
  ],
  'docs/sandbox.md': [`One call runs at most ${constant('jobsAtMost')} jobs`],
  'docs/openapi.json': [
    `At most ${constant('callsAMinute.TEST')} calls a minute of a company: 429 beyond that`,
    `At most ${constant('callsAMinute.RESEND')} calls a minute of a company, with those`,
    `at most ${word(constant('maxNewAttempts'))}, on different days, within ${word(constant('newAttemptDays'))} days`,
    `A subscription can have ${constant('maxCancellations')} requests`,
  ],
  'README.md': [
    `2xx within ${constant('deadlineDefaultMs') / 1000} seconds`,
    `is tried again ${word(constant('maxCountedFailures') - 1)} times`,
    `\`${local.deliveries.retryDelaysSeconds.join(',')}\``,
    `One command per environment: ${stagesOnAws}`.replace('One', 'one'),
  ],
  'docs/runbook.md': [
    `all ${word(constant('maxCountedFailures'))} attempts`,
    `(the delivery itself is kept for ${constant('deliveryKeptDays')})`,
    `After ${word(days(circuit.disableAfterSeconds))} days the endpoint is disabled`,
    `the next probe finds out within ${String(probeMinutes.at(-1))} minutes`,
    `at ${Math.floor(constant('inFlightLimit') / 1000)} 000 hidden messages`,
    `what was held in the last ${days(constant('releasedSeconds'))} days is sent`,
    `Each is tried again for ${word(constant('shared/platform/table/retry.ts policies.conflict.waitsMs') / 1000)} seconds of waits`,
    `its schedule (hours ${(workers['resend-settlement-errors'].schedule as Times).hour?.replace('-', ' to ') ?? ''})`,
  ],
  'docs/decisions/001-one-table-one-transaction.md': [`hence ${constant('maxChildren')} payments a batch`],
  'docs/decisions/003-order-ids-lead-to-their-order.md': [`its place (1 to ${constant('maxChildren')})`],
  'docs/decisions/005-idempotency.md': [`others for ${days(constant('keyLifeSeconds'))} days`],
  'docs/decisions/006-one-reader-of-numbers.md': [`nesting at ${constant('maxDepth')} levels`],
  'docs/decisions/009-payouts-and-the-bank.md': [
    `within ${constant('bankTimeMs') / 1000} seconds of the request's start`,
  ],
  'docs/decisions/010-one-hot-account.md': [
    `tried again for ${word(constant('shared/platform/table/retry.ts policies.conflict.waitsMs') / 1000)} seconds of waits, none above ${constant('shared/platform/table/retry.ts policies.conflict.longestMs')} ms`,
  ],
  'docs/decisions/011-webhook-delivery.md': [
    `for more than ${days(constant('releasedSeconds'))} days stays \`HELD\``,
    `take ${constant('callsAMinute.TEST')} calls a calendar minute`,
    `up to ${constant('maxResponseBytes') / 1024} KiB`,
    `at most ${constant('maxUrlLength')} characters`,
    `time limit (${workers['deliver-notification'].timeoutSeconds} s) must stay below the claim's lease (${constant('leaseSeconds')} s)`,
  ],
  'docs/decisions/013-work-that-becomes-due.md': [
    `in ${constant('dueShards')} shards`,
    `${constant('limits.width')} places, at most ${constant('limits.perGroup')} for one company, at most ${spaced(constant('limits.cap'))} jobs of one company in a run (${constant('maxOverdue')} of the delivery sweep`,
    `when ${constant('beginsAboveMs') / 1000} seconds of its time are left, and ends when ${constant('endsAtMs') / 1000} are left`,
  ],
  'docs/decisions/015-backlogs-and-circuits.md': [
    `${circuit.failures} over ${circuit.deliveries} deliveries within ${circuit.windowSeconds / 60} minutes, or ${circuit.timeouts} timeouts`,
    `A call of more than ${word(constant('slowAfterMs') / 1000)} second`,
    `at most ${prod.deliveries.callsAtOnce.perEndpoint} calls at once, and its company ${prod.deliveries.callsAtOnce.perCompany}`,
    `a lease of ${constant('drainLeaseSeconds')} seconds`,
    `looks again after ${constant('emptyLookSeconds')} and after ${constant('emptySettlesSeconds')} seconds`,
    `${constant('maxCircuits')} at most, of which`,
    `Where ${constant('crowdedAt')} are busy at once`,
    `(${constant('lastAttemptWaits')} of the longest waits)`,
    `after ${days(circuit.disableAfterSeconds)} days`,
  ],
  'docs/decisions/017-issuer-keys.md': [
    `until they are ${constant('live') / 3_600_000} hours old`,
    `takes the issuer's keys for ${word(constant('fresh') / 60_000)} minutes`,
  ],
  'docs/decisions/020-simulated-clock.md': [
    `at most ${constant('jobsAtMost')} jobs within ${word(constant('begunWithinMs') / 1000)} seconds`,
    `(counted up to ${constant('countedAtMost')})`,
  ],
  'docs/deployment.md': [`\`deliveries.maxConcurrency\` takes ${prod.deliveries.maxConcurrency} for notifications`],
};

test.each(Object.entries(sentences))('%s repeats numbers as the code has them', (path, expected) => {
  const text = readFileSync(join(root, path), 'utf8').replaceAll(/\s+/gu, ' ');
  expect(
    expected.filter((sentence) => !text.includes(sentence)),
    'The code says so; the document does not, or not in these words.',
  ).toEqual([]);
});

test('the constants behind the documents are in the code, each once', () => {
  expect(notFound, 'It was renamed: name it so above.').toEqual([]);
});

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
