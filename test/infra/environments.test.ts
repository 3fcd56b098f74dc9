import { Stage } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import type { Route } from '#functions/routes.ts';
import { routes } from '#functions/routes.ts';
import type { BuildOptions } from '#infra/app.ts';
import { buildApp } from '#infra/app.ts';
import { environments } from '#infra/environments.ts';
import type { EnvironmentName } from '#infra/settings.ts';
import { functionNamed, functionsOf, settingsOf, synthesize } from './synthesized.ts';
import { each } from '../support/each.ts';

const stack = synthesize();
const names = Object.keys(environments) as EnvironmentName[];

/** Endpoints that the service may yet get before its stacks are cut again. */
const moreRoutes = Array.from({ length: 20 }, (_, at): Route => {
  const [{ contract, ...route }] = routes as readonly [Route];
  const path = `/order/v1/more-${at}` as const;
  return { ...route, contract: { ...contract, operationId: `more${at}`, path } };
});
const larger = synthesize({ environments: ['hml'], routes: [...routes, ...moreRoutes] });

describe.each(stack.names)('%s', (name) => {
  test('stays well below the 500 resources and the 200 outputs of CloudFormation', () => {
    expect(stack(name).resources.length).toBeLessThan(400);
    expect(Object.keys(stack(name).outputs).length).toBeLessThan(100);
  });

  test('holds no secret and nothing of the machine that made it', () => {
    const { text } = stack(name);
    expect(text).not.toMatch(/whsec_|AKIA[0-9A-Z]{16}|-----BEGIN|eyJ[A-Za-z0-9_-]{10,}\./);
    expect(text).not.toContain(process.cwd());
  });
});

describe.each(stack.names)('what outlives %s', (name) => {
  test('has a name that the next deployment does not need: AWS makes it, or a stack has it for itself', () => {
    const kept = stack(name).resources.filter(({ DeletionPolicy = 'Delete' }) => DeletionPolicy !== 'Delete');
    for (const { id, Type, Properties } of kept) {
      const own = Properties['LogGroupName'] ?? Properties['TableName'] ?? Properties['RoleName'];
      if (own === undefined) continue;
      expect(JSON.stringify(own), id).toMatch(/AWS::StackId|"Ref":"PartnerApi/u);
      expect(Type).toBe('AWS::Logs::LogGroup');
    }
    const types = new Set(kept.map(({ Type }) => Type));
    // docs/deployment.md names them.
    const known = ['AWS::ApiGateway::Account', 'AWS::DynamoDB::GlobalTable', 'AWS::IAM::Role', 'AWS::KMS::Key'];
    expect([...known, 'AWS::Logs::LogGroup']).toEqual(expect.arrayContaining([...types]));
  });
});

test.each(larger.names)('%s has room for twenty more endpoints', (name) => {
  // The most that a template may have.
  expect(larger(name).resources.length).toBeLessThanOrEqual(500);
  const more = larger(name).resources.length - stack(name).resources.length;
  // Function, role, log group, resource and method; of alarms one for ten.
  expect(more).toBe(name === 'Hml-Service' ? 20 * 5 : name === 'Hml-Monitoring' ? 2 : 0);
});

test('what operators name in commands is an output', () => {
  expect(Object.keys(stack('Prod-Service').outputs)).toEqual(
    expect.arrayContaining(['CompanyPlanId', 'SweepDeliveriesName']),
  );
  expect(Object.keys(stack('Prod-Data').outputs)).toEqual(
    expect.arrayContaining(['DeadLetterQueueArn', 'DeadLetterQueueUrl', 'TableName']),
  );
});

describe.each(names)('the settings of %s', (name) => {
  const settings = environments[name];

  test('are its own', () => {
    expect(settings.name).toBe(name);
    expect(settings.simulationTools).toBe(name !== 'prod');
    expect(settings.deliveries.allowLocalTargets).toBe(name === 'local');
    expect(settings.data.protected).toBe(name === 'hml' || name === 'prod');
    expect(settings.target?.region).toBe(name === 'local' ? undefined : 'sa-east-1');
  });

  test('agree with the decisions on orders', () => {
    expect(settings.orders).toMatchObject({
      firstChargeExpiresSeconds: 86_400,
      pixTransactionLimitCentavos: 1_500_000,
    });
    expect(settings.orders.ispb).toMatch(/^[0-9A-Z]{8}$/);
    expect(settings.orders.pixCity.length).toBeLessThanOrEqual(15);
  });

  test('agree with the decisions on PIX keys', () => {
    // On a laptop nothing is sent, and the same accounts are tried all day.
    const day = name === 'local' ? { codesPerDay: 1000, codesPerAddressAndDay: 20 } : {};
    expect(settings.keys.rules).toEqual({
      codeValidSeconds: 1800,
      triesPerCode: 5,
      resendsPerValidation: 3,
      codesPerDay: 10,
      codesPerAddressAndDay: 10,
      phonesAbroad: false,
      keysPerAccount: { INDIVIDUAL: 5, ORGANIZATION: 20 },
      ...day,
    });
    expect(settings.keys.senders === undefined).toBe(name === 'local');
  });

  test('let codes go to anyone in production alone, elsewhere to nobody who is not listed', () => {
    const { senders } = settings.keys;
    if (senders !== undefined) expect(senders.recipients === 'ANYONE').toBe(name === 'prod');
  });
});

test('the app has no stage Local unless the context asks for it', () => {
  const stagesOf = (options: BuildOptions) =>
    buildApp(options)
      .node.children.filter(Stage.isStage)
      .map(({ node }) => node.id);
  expect(stagesOf({})).toEqual(['Dev', 'Hml', 'Prod']);
  expect(stagesOf({ context: { local: 'true' } })).toEqual(['Local', 'Dev', 'Hml', 'Prod']);
});

describe('the context of a deployment', () => {
  const context = { tokenIssuer: 'http://127.0.0.1:9000', tokenJwksUri: 'http://127.0.0.1:9000/keys' };
  const switched = synthesize({ environments: ['local', 'prod'], context });
  const tokensOf = (name: string) => settingsOf(functionNamed(switched(name), 'Authorizer')).tokens;

  test('may name another issuer for the local environment', () => {
    expect(tokensOf('Local-Service')).toMatchObject({
      issuers: [context.tokenIssuer],
      jwksUri: context.tokenJwksUri,
    });
  });

  test('cannot change whom production trusts', () => {
    expect(tokensOf('Prod-Service')).toEqual(environments.prod.tokens);
  });
});

const stackNames = ['Local-Service', 'Dev-Service', 'Hml-Service', 'Prod-Service'];

describe('variables', () => {
  test('hold no secret: values are settings, or references of the template', () => {
    for (const name of stackNames) {
      for (const { environment } of each(functionsOf(stack(name)))) {
        for (const [variable, value] of each(Object.entries(environment))) {
          expect(variable).not.toMatch(/SECRET|PASSWORD|PRIVATE|CREDENTIAL/);
          if (typeof value !== 'string') expect(Object.keys(value as object)[0]).toMatch(/^(Ref|Fn::ImportValue)$/);
        }
      }
    }
  });

  test('fit into the 4 KB that Lambda gives to the variables of a function', () => {
    for (const name of stackNames)
      for (const { name: id, environment } of each(functionsOf(stack(name))))
        expect(Buffer.byteLength(JSON.stringify(environment)), id).toBeLessThan(4096);
  });

  test('the notifier waits 1, 5, 15 and 30 minutes between attempts; locally seconds', () => {
    const delays = (name: string) =>
      settingsOf(functionNamed(stack(name), 'DeliverNotification')).deliveries.retryDelaysSeconds;
    const minutes = [60, 300, 900, 1800];
    expect(stackNames.map(delays)).toEqual([[1, 2, 4, 8], minutes, minutes, minutes]);
  });

  test('plain http and loopback targets are for the local environment', () => {
    const flags = stackNames.map(
      (name) => settingsOf(functionNamed(stack(name), 'DeliverNotification')).deliveries.allowLocalTargets,
    );
    expect(flags).toEqual([true, false, false, false]);
  });

  test('tokens are accepted for the environment of the same name', () => {
    const scope = (name: string) => settingsOf(functionNamed(stack(name), 'Authorizer')).tokens.scope;
    expect(stackNames.map(scope)).toEqual([
      'api://app-order-hml',
      'api://app-order-dev',
      'api://app-order-hml',
      'api://app-order-prod',
    ]);
  });
});
