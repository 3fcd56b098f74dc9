import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import { each } from '#test/support/each.ts';
import { all, synthesize } from './synthesized.ts';

const account = '111111111111';
/** With everything that may ring. */
const prod = {
  ...environments.prod,
  target: { region: 'sa-east-1', account },
  alarms: { ...environments.prod.alarms, email: 'on-call@banco.example' },
  data: { ...environments.prod.data, copies: { account: '222222222222', days: 35 } },
  caller: { secretArn: `arn:aws:secretsmanager:sa-east-1:${account}:secret:caller-a1b2c3` },
};
const stacks = synthesize({ environments: ['prod'], settings: { prod } });
const alarms = ['Prod-Monitoring', 'Prod-Service'].flatMap((name) => all(stacks(name), 'AWS::CloudWatch::Alarm'));
const descriptions = [
  ...alarms.map(({ Properties }) => Properties['AlarmDescription'] as string),
  JSON.stringify(all(stacks('Prod-Monitoring'), 'AWS::Events::Rule')),
];
const anchors = [...new Set(descriptions.flatMap((text) => /docs\/runbook\.md#([a-z-]+)/u.exec(text)?.[1] ?? []))];
const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
const sections = new Map(
  runbook.split(/^## /mu).map((section) => {
    const [title = '', ...lines] = section.split('\n');
    return [title.trim(), lines.join('\n')];
  }),
);

test('every alarm has a section in the runbook', () => {
  expect(anchors.length).toBeGreaterThan(25);
  for (const { Properties } of alarms) expect(Properties['AlarmDescription']).toContain('docs/runbook.md#');
  expect(anchors.filter((anchor) => !sections.has(anchor))).toEqual([]);
});

test.each(anchors)('the section %s says what the alarm means, where to look, and then what to do', (anchor) => {
  const section = sections.get(anchor) ?? '';
  const order = ['**Means.** ', '**Look.**', '**Do.** '].map((part) => section.indexOf(part));
  expect(order.every((place) => place >= 0)).toBe(true);
  expect(order).toEqual(order.toSorted((one, other) => one - other));
});

test('a message that documents filter logs by is written by the code', () => {
  const folder = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
  const read = (name: string, pattern: string): string =>
    globSync(pattern, { cwd: folder(name) })
      .map((file) => readFileSync(join(folder(name), file), 'utf8'))
      .join('\n');
  const code = ['shared', 'functions', 'infra'].map((name) => read(name, '**/*.ts')).join('\n');
  const messages = [...read('docs', '**/*.md').matchAll(/message = "([^"]+)"/gu)].map(([, message = '']) => message);
  for (const message of each(messages))
    expect(
      [`'${message}'`, `"${message}"`].some((text) => code.includes(text)),
      message,
    ).toBe(true);
});
