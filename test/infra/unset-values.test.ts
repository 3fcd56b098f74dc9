import { readFileSync } from 'node:fs';
import type { Stack } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import type { BuildOptions } from '#infra/app.ts';
import { buildApp } from '#infra/app.ts';
import { environments } from '#infra/environments.ts';
import type { EnvironmentName, EnvironmentSettings } from '#infra/settings.ts';
import { unset, unsetValues } from '#infra/unset-values.ts';
import { synthesize } from './synthesized.ts';

const names = Object.keys(environments) as EnvironmentName[];
const deployed = ['dev', 'hml', 'prod'] as const;
const listUnset = (settings: EnvironmentSettings) => unsetValues(settings).map(({ setting }) => setting);

const tenant = 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555';
const complete: EnvironmentSettings = {
  ...environments.prod,
  target: { region: 'sa-east-1', account: '123456789012' },
  tokens: {
    issuers: [`${tenant}/v2.0`],
    jwksUri: `${tenant}/discovery/v2.0/keys`,
    audiences: ['api://app-order-prod'],
    scope: 'api://app-order-prod',
  },
  orders: { ...environments.prod.orders, pixHost: 'pix.banco.example', ispb: '12345678' },
  keys: {
    ...environments.prod.keys,
    senders: { emailFrom: 'pix@banco.example', recipients: 'ANYONE' },
  },
  alarms: { email: 'on-call@banco.example' },
  api: {
    ...environments.prod.api,
    errorPages: 'https://docs.banco.example/errors.md#',
    domain: { hostName: 'api.banco.example', certificateArn: 'arn:aws:acm:sa-east-1:123456789012:certificate/1' },
  },
};

describe('an unset value', () => {
  test('is each placeholder of infra/environments.ts, reported for the environments that hold it', () => {
    const source = readFileSync(new URL('../../infra/environments.ts', import.meta.url), 'utf8');
    const marked = [...source.matchAll(/\bunset\w*\('([^']+)'/gu)].map(([, setting]) => setting!);
    expect(new Set(marked).size).toBe(marked.length);
    const named = new Set(deployed.flatMap((name) => listUnset(environments[name])));
    expect([...named].filter((setting) => !setting.startsWith('environments.')).toSorted()).toEqual(marked.toSorted());
    for (const name of deployed) {
      for (const setting of listUnset(environments[name]))
        expect(setting, name).not.toMatch(
          new RegExp(`\\.(?:${names.filter((one) => one !== name).join('|')})\\b`, 'u'),
        );
    }
  });

  test('is also found by its form, such as an example host, when it is not marked', () => {
    const leaves = (value: unknown): string[] =>
      typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [String(value)];
    for (const name of deployed) {
      const before = listUnset(environments[name]);
      for (const leaf of leaves(environments[name])) {
        const leadsNowhere = /\.invalid\b|\.example\b|example\.|\.test\b|0{8}-0{4}|^(\d)\1{7,}$/u.test(leaf);
        const settings = { ...complete, name, orders: { ...complete.orders, pixCity: leaf } };
        expect(listUnset(settings).length > 0, `${leaf} of ${name}`).toBe(leadsNowhere);
      }
      expect(listUnset(environments[name])).toEqual(before);
    }
  });

  test('is found wherever a new placeholder is put', () => {
    const senders = { ...complete.keys.senders!, smsFrom: unset('smsNumbers.prod', 'the number of messages') };
    const settings = { ...complete, keys: { ...complete.keys, senders } };
    expect(unsetValues(settings)).toEqual([{ setting: 'smsNumbers.prod', description: 'the number of messages' }]);
  });

  test.each(['hml', 'prod'] as const)(
    'a missing account, host name or receiver of alarms of %s is an unset value',
    (name) => {
      const { domain: _domain, ...api } = complete.api;
      const bare = { ...complete, name, alarms: {}, target: { region: 'sa-east-1' }, api };
      expect(listUnset(bare)).toEqual(
        ['alarms.email or .topicArn', 'target.account', 'api.domain'].map((path) => `environments.${name}.${path}`),
      );
      expect(listUnset({ ...bare, name: 'dev' })).toEqual([]);
      expect(listUnset({ ...complete, alarms: { topicArn: 'arn:aws:sns:sa-east-1:123456789012:on-call' } })).toEqual(
        [],
      );
    },
  );

  test('is not found when all values are set, nor in the local environment', () => {
    expect(listUnset(complete)).toEqual([]);
    expect(listUnset(environments.local)).toEqual([]);
  });
});

/** Settings that lack something, also when all values of infra/environments.ts are set. */
const lacking = (name: EnvironmentName): EnvironmentSettings => ({
  ...environments[name],
  alarms: {},
  orders: { ...environments[name].orders, pixHost: unset('hosts.test', 'a host') },
});

type Said = { readonly type: string; readonly path: string; readonly text: string };

/** What the CDK CLI prints of the stacks about values. */
function annotations(options: BuildOptions): readonly Said[] {
  const annotationsOf = (stack: Stack): readonly Said[] =>
    stack.node.metadata.map(({ type, data }) => ({ type, path: stack.node.path, text: String(data) }));
  const found = buildApp(options)
    .node.findAll()
    .filter((one): one is Stack => 'stackName' in one && 'templateFile' in one);
  return found.flatMap(annotationsOf).filter(({ text }) => text.includes('UnsetValues'));
}

describe('the app', () => {
  const environment = (name: EnvironmentName, deploys: boolean) =>
    annotations({ environments: [name], settings: { [name]: lacking(name) }, deploys });

  test.each(['hml', 'prod'] as const)(
    'refuses to deploy each stack of %s, and prints the unset values once',
    (name) => {
      const stage = name === 'hml' ? 'Hml' : 'Prod';
      const errors = environment(name, true);
      expect(errors.map(({ type, path }) => [type, path])).toEqual(
        ['Data', 'Service', 'Monitoring', 'Operators'].map((stack) => ['aws:cdk:error', `${stage}/${stack}`]),
      );
      for (const { setting, description: what } of unsetValues(lacking(name)))
        expect(errors.map(({ text }) => text.includes(`\n  ${setting}: ${what}\n`))).toEqual([
          false,
          true,
          false,
          false,
        ]);
    },
  );

  test('only warns when it does not deploy, or deploys dev', () => {
    for (const [name, deploys] of [
      ['prod', false],
      ['hml', false],
      ['dev', true],
    ] as const)
      expect(environment(name, deploys)).toMatchObject([{ type: 'aws:cdk:warning' }]);
  });

  test('adds no warning and no error when all values are set', () => {
    expect(annotations({ environments: ['prod', 'local'], settings: { prod: complete }, deploys: true })).toEqual([]);
  });

  test('refuses production with the simulated bank in its bundles, and allows it where partners try the service', () => {
    const options = { deploys: true, simulatedBank: true } as const;
    const prod = annotations({ ...options, environments: ['prod'], settings: { prod: complete } });
    const [list] = prod.filter(({ path }) => path === 'Prod/Service');
    expect(list).toMatchObject({ type: 'aws:cdk:error' });
    expect(list?.text).toMatch(/\n {2}functions\/banks\.ts: a bank: .*simulated/u);
    const hml = { ...complete, name: 'hml', simulationTools: true } as const;
    expect(annotations({ ...options, environments: ['hml'], settings: { hml } })).toEqual([]);
  });

  test('has a rule by which CloudFormation refuses a template with unset values', () => {
    const rulesOf = (options: Pick<BuildOptions, 'environments' | 'settings'>, name: string) =>
      (JSON.parse(synthesize(options)(name).text) as { Rules: Record<string, { Assertions: unknown[] }> }).Rules;
    const settings = { hml: lacking('hml'), prod: lacking('prod'), dev: lacking('dev') };
    for (const stack of ['Hml-Data', 'Hml-Service', 'Prod-Data', 'Prod-Service', 'Prod-Monitoring'])
      expect(rulesOf({ settings }, stack)['UnsetValues']?.Assertions).toMatchObject([
        { Assert: { 'Fn::Contains': [['every value is set'], { Ref: 'BootstrapVersion' }] } },
      ]);
    expect(JSON.stringify(rulesOf({ settings }, 'Prod-Service'))).toContain('alarms.email');
    for (const stack of ['Dev-Data', 'Dev-Service', 'Local-Service'])
      expect(rulesOf({ settings }, stack)['UnsetValues']).toBeUndefined();
    const filled = { environments: ['prod'], settings: { prod: complete } } as const;
    expect(rulesOf(filled, 'Prod-Service')['UnsetValues']).toBeUndefined();
  });
});
