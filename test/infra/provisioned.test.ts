import { describe, expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import { all, functionNamed, functionsOf, synthesize } from './synthesized.ts';

const { canary: _canary, ...withoutCanary } = environments.prod.functions;
const withInstances = (provisioned: Readonly<Record<string, number>>) => ({
  ...environments.prod,
  functions: { ...withoutCanary, provisioned },
});

test('the authorizer has 512 MB of memory', () => {
  expect(functionNamed(synthesize()('Prod-Service'), 'Authorizer').properties['MemorySize']).toBe(512);
});

test('instances are ready in production alone, of what a partner waits for first: the authorizer and a payout', () => {
  const readyIn = (name: string) =>
    all(synthesize()(name), 'AWS::Lambda::Alias').flatMap(({ id, Properties }) => {
      const { ProvisionedConcurrencyConfig: ready } = Properties;
      return ready === undefined ? [] : [[id.replace(/FunctionLive.*$/u, ''), ready as unknown] as const];
    });
  const one = { ProvisionedConcurrentExecutions: 1 };
  expect(readyIn('Prod-Service').toSorted()).toEqual([
    ['Authorizer', one],
    ['CreatePayout', one],
  ]);
  for (const name of ['Local-Service', 'Dev-Service', 'Hml-Service']) expect(readyIn(name), name).toEqual([]);
});

test('the local and dev environments have no published versions and no aliases of functions', () => {
  // Emulators know neither versions that are published nor CodeDeploy.
  for (const name of ['Local-Service', 'Dev-Service']) {
    expect(all(synthesize()(name), 'AWS::Lambda::Alias')).toEqual([]);
    expect(all(synthesize()(name), 'AWS::Lambda::Version')).toEqual([]);
  }
});

describe('instances that are ready', () => {
  const prod = withInstances({ authorizer: 1, createPayout: 3 });
  const service = synthesize({ environments: ['prod'], settings: { prod } })('Prod-Service');
  const aliasOf = (name: string) =>
    all(service, 'AWS::Lambda::Alias').find(({ id }) => id.startsWith(`${name}FunctionLive`))!;

  test('are of the functions that were named', () => {
    expect(all(service, 'AWS::Lambda::Alias')).toHaveLength(2);
    for (const [name, instances] of [
      ['Authorizer', 1],
      ['CreatePayout', 3],
    ] as const)
      expect(aliasOf(name).Properties).toMatchObject({
        ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: instances },
      });
  });

  test('are called by the API, which has the right to call them', () => {
    const uris = [
      ...all(service, 'AWS::ApiGateway::Method').map(({ Properties }) => Properties['Integration'].Uri as unknown),
      ...all(service, 'AWS::ApiGateway::Authorizer').map(({ Properties }) => Properties['AuthorizerUri'] as unknown),
    ].map((uri) => JSON.stringify(uri));
    const rights = [
      ...all(service, 'AWS::Lambda::Permission').map(({ Properties }) => Properties),
      ...all(service, 'AWS::IAM::Role').flatMap(({ Properties }) => (Properties['Policies'] ?? []) as object[]),
    ].map((right) => JSON.stringify(right));
    for (const name of ['Authorizer', 'CreatePayout']) {
      const { id } = aliasOf(name);
      expect(uris.filter((uri) => uri.includes(`"${id}"`))).toHaveLength(1);
      expect(uris.filter((uri) => new RegExp(`"${name}Function[0-9A-F]{8}"`, 'u').test(uri))).toEqual([]);
      expect(rights.some((right) => right.includes(`"${id}"`))).toBe(true);
    }
  });

  test('are refused for a function that no partner waits for', () => {
    const wrong = withInstances({ 'sweep-deliveries': 1 });
    expect(() => synthesize({ environments: ['prod'], settings: { prod: wrong } })).toThrow(
      'partners do not call: sweep-deliveries',
    );
  });
});

describe('reserved executions', () => {
  const reservedIn = (name: string) =>
    functionsOf(synthesize()(name)).flatMap(({ name: id, properties }) => {
      const reserved: unknown = properties['ReservedConcurrentExecutions'];
      return reserved === undefined ? [] : [[id, reserved] as const];
    });

  test('are of what partners wait for, in production alone, and leave the account 450 of 1 000', () => {
    expect(reservedIn('Prod-Service').toSorted()).toEqual([
      ['Authorizer', 100],
      ['CreatePayout', 300],
      ['DeliverNotification', environments.prod.deliveries.maxConcurrency],
      ['DrainBacklogs', environments.prod.deliveries.maxDrains],
    ]);
    for (const name of ['Local-Service', 'Dev-Service', 'Hml-Service']) expect(reservedIn(name), name).toEqual([]);
  });

  test('are refused for a function that does not exist', () => {
    const prod = { ...environments.prod, functions: { ...withoutCanary, reserved: { 'send-letters': 1 } } };
    expect(() => synthesize({ environments: ['prod'], settings: { prod } })).toThrow('unknown functions: send-letters');
  });
});
