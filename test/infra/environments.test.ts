import { describe, expect, test } from 'vitest';
import { environments, unsetValues } from '../../infra/environments.ts';
import type { EnvironmentName } from '../../infra/settings.ts';
import { functionNamed, synthesize } from './synthesized.ts';

const stack = synthesize();
const names = Object.keys(environments) as EnvironmentName[];
const stackNames = ['Local', 'Dev', 'Hml', 'Prod'].flatMap((stage) => [`${stage}-Data`, `${stage}-Service`]);

describe.each(stackNames)('%s', (name) => {
  test('stays well below the 500 resources of CloudFormation', () => {
    expect(stack(name).resources.length).toBeLessThan(400);
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

  test('have values that the functions can read from a list', () => {
    for (const value of [...settings.tokens.issuers, ...settings.tokens.audiences]) expect(value).not.toMatch(/[,\s]/);
  });
});

describe('values that only the company knows', () => {
  test('are named until they are set; the local environment needs none', () => {
    expect(unsetValues(environments.local)).toEqual([]);
    for (const name of ['dev', 'hml', 'prod'] as const) expect(unsetValues(environments[name])).toHaveLength(4);
  });

  test('are not named when they are set', () => {
    const tenant = 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555';
    const settings = {
      ...environments.hml,
      tokens: {
        ...environments.hml.tokens,
        jwksUri: `${tenant}/discovery/v2.0/keys`,
        audiences: ['api://app-order-hml'],
      },
      orders: { ...environments.hml.orders, pixHost: 'pix.example.com', ispb: '12345678' },
    };
    expect(unsetValues(settings)).toEqual([]);
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
