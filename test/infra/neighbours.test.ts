import { describe, expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import type { EnvironmentName, EnvironmentSettings } from '#infra/settings.ts';
import { each } from '#test/support/each.ts';
import type { Template } from './synthesized.ts';
import { all, synthesize } from './synthesized.ts';

const account = '111111111111';
const everything: EnvironmentSettings = {
  ...environments.hml,
  target: { region: 'sa-east-1', account },
  pipeline: { repository: 'bank/orders' },
  caller: { secretArn: `arn:aws:secretsmanager:sa-east-1:${account}:secret:caller-a1b2c3` },
  alarms: { ...environments.hml.alarms, email: 'on-call@banco.example' },
  callbacks: { authorities: true },
  data: { ...environments.hml.data, copies: { account: '222222222222', days: 35 } },
};

describe('a stack beside the service', () => {
  test('holds no permission on a function of another stack, which a rollback there would remove permanently', () => {
    const stacks = synthesize({ environments: ['hml'], settings: { hml: everything } });
    const attached = stacks.names.flatMap((name) =>
      all(stacks(name), 'AWS::Lambda::Permission').map(({ id, Properties }) => ({
        where: `${name} ${id}`,
        function: JSON.stringify(Properties['FunctionName']),
        own: stacks(name).resources.map((resource) => resource.id),
      })),
    );
    expect(attached.length).toBeGreaterThan(0);
    for (const { where, function: called, own } of attached)
      expect(own.filter((id) => called.includes(`"${id}"`)).length, where).toBeGreaterThan(0);
  });
});

describe('the role by which API Gateway writes logs', () => {
  const withRole = (name: 'dev' | 'hml', ownsGatewayLogRole: boolean, target: EnvironmentSettings['target']) => ({
    ...environments[name],
    ...(target && { target }),
    api: { ...environments[name].api, ownsGatewayLogRole },
  });
  const here = { region: 'sa-east-1', account };
  const ofTwo = (
    [dev, hml]: readonly [boolean, boolean],
    place: EnvironmentSettings['target'] = here,
    names: readonly EnvironmentName[] = ['dev', 'hml'],
  ) =>
    synthesize({
      environments: names,
      settings: { dev: withRole('dev', dev, here), hml: withRole('hml', hml, place) },
    });

  test('is owned by one environment of an account and region: two are refused by name', () => {
    expect(() => ofTwo([true, true])).toThrow(
      'Only one environment of an account and region may set api.ownsGatewayLogRole: dev and hml are both in 111111111111, sa-east-1.',
    );
  });

  test('is refused as well when one of the two alone is synthesized', () => {
    const dev = { ...environments, dev: withRole('dev', true, here), hml: withRole('hml', true, here) };
    expect(() => synthesize({ environments: ['hml'], settings: dev })).toThrow('api.ownsGatewayLogRole');
  });

  test.each([
    ['another account', { ...here, account: '222222222222' }],
    ['another region', { ...here, region: 'us-east-1' }],
    ['an unset account', { region: 'sa-east-1' }],
  ])('may be owned by another environment in %s', (_what, place) => {
    expect(ofTwo([true, true], place).names).toContain('Hml-Service');
  });

  const stacks = ofTwo([true, false]);
  const referring = (stack: Template) =>
    stack.resources.filter((resource) => /CloudWatchRole|ApiAccount/u.test(JSON.stringify(resource)));

  test('outlives the environment that owns it, so that the others of the account go on logging', () => {
    const owner = stacks('Dev-Service');
    const [setting, role] = [
      all(owner, 'AWS::ApiGateway::Account'),
      all(owner, 'AWS::IAM::Role').filter(({ id }) => id.includes('CloudWatchRole')),
    ];
    expect([setting.length, role.length]).toEqual([1, 1]);
    for (const one of [...setting, ...role])
      expect(one).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });

  test('is not referenced by an environment without it, so that each can be deleted without the other', () => {
    for (const name of each(stacks.names.filter((one) => one.startsWith('Hml-')))) {
      expect(all(stacks(name), 'AWS::ApiGateway::Account')).toEqual([]);
      expect(referring(stacks(name))).toEqual([]);
      expect(stacks(name).text).not.toMatch(/Dev-/u);
    }
  });
});
