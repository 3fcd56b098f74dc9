import { describe, expect, test } from 'vitest';
import { environments, unsetValues } from '#infra/environments.ts';
import { buildApp } from '#infra/app.ts';
import type { EnvironmentName, EnvironmentSettings } from '#infra/settings.ts';
import { functionNamed, synthesize } from './synthesized.ts';

const stack = synthesize();
const names = Object.keys(environments) as EnvironmentName[];

describe.each(stack.names)('%s', (name) => {
  test('stays well below the 500 resources of CloudFormation, also with the simulation tools', () => {
    expect(stack(name).resources.length).toBeLessThan(name.startsWith('Prod-') ? 400 : 450);
  });

  test('holds no secret and nothing of the machine that made it', () => {
    const { text } = stack(name);
    expect(text).not.toMatch(/whsec_|AKIA[0-9A-Z]{16}|-----BEGIN|eyJ[A-Za-z0-9_-]{10,}\./);
    expect(text).not.toContain(process.cwd());
  });
});

test('what operators name in commands is an output', () => {
  expect(Object.keys(stack('Prod-Service').outputs)).toEqual(
    expect.arrayContaining(['CompanyPlanId', 'DeadLetterQueueArn', 'DeadLetterQueueUrl', 'SweepDeliveriesName']),
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
    expect(settings.keys.rules).toEqual({
      codeValidSeconds: 1800,
      triesPerCode: 5,
      resendsPerValidation: 3,
      codesPerDay: 10,
      keysPerAccount: { INDIVIDUAL: 5, ORGANIZATION: 20 },
    });
    expect(settings.keys.senders === undefined).toBe(name === 'local');
  });

  test('have values that the functions can read from a list', () => {
    for (const value of [...settings.tokens.issuers, ...settings.tokens.audiences]) expect(value).not.toMatch(/[,\s]/);
  });
});

describe('values that only the company knows', () => {
  const said = (name: EnvironmentName) => unsetValues(environments[name]).join('; ');
  const tenant = 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555';
  const complete: EnvironmentSettings = {
    ...environments.prod,
    target: { region: 'sa-east-1', account: '123456789012' },
    tokens: {
      ...environments.prod.tokens,
      jwksUri: `${tenant}/discovery/v2.0/keys`,
      audiences: ['api://app-order-prod'],
    },
    orders: { ...environments.prod.orders, pixHost: 'pix.example.com', ispb: '12345678' },
    keys: {
      ...environments.prod.keys,
      senders: { emailIdentity: 'example.com', emailFrom: 'pix@example.com' },
    },
    alarms: { email: 'on-call@example.com' },
    api: {
      ...environments.prod.api,
      domain: { hostName: 'api.example.com', certificateArn: 'arn:aws:acm:sa-east-1:123456789012:certificate/1' },
    },
  };

  test('are named until they are set, with the setting; the local environment needs none', () => {
    expect(unsetValues(environments.local)).toEqual([]);
    for (const name of ['dev', 'hml', 'prod'] as const) {
      for (const setting of ['entraTenantId', 'applicationIds', 'pixHosts', 'serviceIspb', 'codeSenders'])
        expect(said(name)).toContain(`(${setting})`);
    }
  });

  test.each(['hml', 'prod'] as const)('of %s are an account, a host name, and who is told of alarms, too', (name) => {
    for (const setting of ['alarms.email', 'alarms.topicArn', 'target.account', 'api.domain'])
      expect(said(name)).toContain(setting);
    expect(said('dev')).not.toMatch(/alarms|account|domain/u);
  });

  test('are not named when they are set', () => {
    expect(unsetValues(complete)).toEqual([]);
    expect(unsetValues({ ...complete, alarms: { topicArn: 'arn:aws:sns:sa-east-1:123456789012:on-call' } })).toEqual(
      [],
    );
  });

  test('are warned of where the CDK CLI prints it: with a stack that is deployed, not with its stage', () => {
    const warningsOf = (settings: EnvironmentSettings) => {
      const app = buildApp({ environments: [settings.name], settings: { [settings.name]: settings } });
      const all = app.node
        .findAll()
        .flatMap(({ node }) => node.metadata.map((entry) => ({ ...entry, path: node.path })));
      return all.filter(({ data }) => String(data).includes('infra/environments.ts'));
    };
    for (const [name, path] of [
      ['hml', 'Hml/Service'],
      ['prod', 'Prod/Service'],
    ] as const) {
      const warnings = warningsOf(environments[name]);
      expect(warnings).toMatchObject([{ type: 'aws:cdk:warning', path }]);
      expect(String(warnings[0]?.data)).toMatch(/alarms\.email.*target\.account.*api\.domain/u);
    }
    expect(warningsOf(complete)).toEqual([]);
    expect(warningsOf(environments.local)).toEqual([]);
  });
});

describe('the context of a deployment', () => {
  const context = { tokenIssuer: 'http://127.0.0.1:9000', tokenJwksUri: 'http://127.0.0.1:9000/keys' };
  const switched = synthesize({ environments: ['local', 'prod'], context });
  const tokensOf = (name: string) => {
    const { TOKEN_ISSUERS, TOKEN_JWKS_URI } = functionNamed(switched(name), 'Authorizer').environment;
    return { TOKEN_ISSUERS, TOKEN_JWKS_URI };
  };

  test('may name another issuer for the local environment', () => {
    expect(tokensOf('Local-Service')).toEqual({
      TOKEN_ISSUERS: context.tokenIssuer,
      TOKEN_JWKS_URI: context.tokenJwksUri,
    });
  });

  test('cannot change whom production trusts', () => {
    expect(tokensOf('Prod-Service')).toEqual({
      TOKEN_ISSUERS: environments.prod.tokens.issuers.join(','),
      TOKEN_JWKS_URI: environments.prod.tokens.jwksUri,
    });
  });
});
