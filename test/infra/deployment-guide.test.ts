import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import { unsetValues } from '#infra/unset-values.ts';
import { all, synthesize } from './synthesized.ts';
import { each } from '../support/each.ts';

const text = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
/** Lines that a backslash continues are one. */
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/deployment.md',
  'docs/runbook.md',
  'docs/emulators.md',
  'docs/github-actions.yml',
].map((path) => [path, text(path).replaceAll(/\\\n\s*/gu, ' ')] as const);
const target = { region: 'sa-east-1', account: '111111111111' };
const copies = { account: '222222222222', days: 35 };
const withOthers = synthesize({
  environments: ['hml'],
  settings: {
    hml: {
      ...environments.hml,
      target,
      pipeline: { repository: 'bank/orders' },
      data: { ...environments.hml.data, copies },
    },
  },
});
const guide = text('docs/deployment.md');
const matches = (source: string, pattern: RegExp): readonly string[] =>
  [...source.matchAll(pattern)].map(([, found = '']) => found);

describe.each(documents)('%s', (_path, source) => {
  test('names scripts that package.json has', () => {
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };
    for (const name of each(matches(source, /npm run ([\w:-]+)/gu))) expect(Object.keys(scripts)).toContain(name);
  });

  test('deploys stages that exist', () => {
    const stacks = [...synthesize().names, ...withOthers.names].map((name) => name.replace('-', '/'));
    const stages = stacks.map((name) => name.replace(/\w+$/u, '*'));
    const named = matches(source, /cdk (?:deploy|diff|destroy) (?:--app cdk\.out )?'([^']+)'/gu);
    expect([...stages, ...stacks]).toEqual(expect.arrayContaining([...named]));
  });
});

describe('the deployment guide', () => {
  const settings = `${text('infra/settings.ts')}\n${text('shared/platform/settings.ts')}`;

  test('has a command for every step of onboarding', () => {
    const used = matches(guide, /npm run operator -- ([\w:]+)/gu);
    expect(used).toEqual(
      expect.arrayContaining(['company:create', 'company:plan', 'client:create', 'account:create', 'reconcile']),
    );
  });

  test('names settings that exist', () => {
    const named = matches(
      guide,
      /`((?:target|tokens|functions|data|logs|api|deliveries|orders|alarms|domain)\.\w+)`/gu,
    );
    expect(named.length).toBeGreaterThan(12);
    for (const name of named)
      for (const part of name.split('.').filter((one) => one !== 'domain'))
        expect(settings, name).toMatch(new RegExp(`\\b${part}\\??:`, 'u'));
    const values = text('infra/environments.ts');
    const firstCells = matches(guide, /^\| (`[^|]+`)[^|`]*\|/gmu).join(' ');
    const constants = matches(firstCells, /`(\w+)`/gu);
    expect(constants.length).toBeGreaterThan(3);
    for (const constant of constants) expect(values).toContain(`const ${constant}`);
  });

  test('names every setting that a deployment may lack', () => {
    const asked = unsetValues({ ...environments.prod, alarms: {} }).map(({ setting }) =>
      setting.replace('environments.prod.', '').replace(/\.prod$/u, ''),
    );
    expect(asked).toContain('alarms.email or .topicArn');
    for (const setting of asked) expect(guide).toContain(`\`${setting.split(' or ')[0]!}\``);
  });

  test('reads outputs that the stacks have', () => {
    const domain = { hostName: 'api.example.com', certificateArn: 'arn:aws:acm:sa-east-1:111111111111:certificate/1' };
    const hml = {
      ...{ ...environments.hml, target, pipeline: { repository: 'bank/orders' } },
      ...{ api: { ...environments.hml.api, domain }, caller: { secretArn: 'arn' } },
    };
    const stack = synthesize({ environments: ['hml'], settings: { hml } });
    const read = [...guide.matchAll(/output (Hml\w*-\w+) (\w+)/gu)];
    expect(read.length).toBeGreaterThan(3);
    for (const [, name = '', output = ''] of read) expect(Object.keys(stack(name).outputs)).toContain(output);
    expect(all(stack('Hml-Monitoring'), 'AWS::CloudWatch::Dashboard')[0]?.Properties['DashboardName']).toBe(
      'banking-order-hml',
    );
  });

  test('leaves the number of alarms to the template, as every document does', () => {
    const documents = globSync(['README.md', 'docs/**/*.md'], { cwd: new URL('../..', import.meta.url) });
    const counted = documents.flatMap((path) => matches(text(path), /\b(\d+|\w+ty|dozens of|hundred) alarms\b/giu));
    expect(counted).toEqual([]);
  });

  test('is found from the README', () => {
    expect(text('README.md')).toContain('(docs/deployment.md)');
  });
});
