import { describe, expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import { errorStatusList } from '#tools/docs/error-meanings.ts';
import { authorize } from '#shared/access/authorize.ts';
import { noAccess, tokenErrors } from '#shared/platform/http/refused-tokens.ts';
import { pascalCase } from '#infra/aws/names.ts';
import { environments } from '#infra/environments.ts';
import type { Properties, Resource, Template } from './synthesized.ts';
import { all, calledId, only, synthesize } from './synthesized.ts';
import { each } from '#test/support/each.ts';

const stack = synthesize();
const stackNames = ['Local-Service', 'Dev-Service', 'Hml-Service', 'Prod-Service'] as const;
const hml = stack('Hml-Service');
const prod = stack('Prod-Service');

/** `/order/v1/webhook` of an AWS::ApiGateway::Resource, by its parents. */
function pathOf(template: Template, id: string): string {
  const resource = all(template, 'AWS::ApiGateway::Resource').find((candidate) => candidate.id === id);
  if (resource === undefined) return '';
  const parent = (resource.Properties['ParentId'] as { Ref?: string }).Ref ?? '';
  return `${pathOf(template, parent)}/${resource.Properties['PathPart'] as string}`;
}

const methodsOf = (template: Template) =>
  all(template, 'AWS::ApiGateway::Method').map(({ Properties }) => ({
    route: `${Properties['HttpMethod'] as string} ${pathOf(template, (Properties['ResourceId'] as { Ref: string }).Ref)}`,
    properties: Properties,
  }));

describe.each(stackNames)('the API of %s', (name) => {
  const template = stack(name);
  const simulates = name !== 'Prod-Service';
  const deployed = routes.filter(({ simulation }) => simulates || simulation !== true);

  test('has one method a route, and no other', () => {
    const expected = deployed.map(({ contract }) => `${contract.method} ${contract.path}`);
    expect(
      methodsOf(template)
        .map(({ route }) => route)
        .toSorted(),
    ).toEqual(expected.toSorted());
  });

  test('calls the function of the route, behind the authorizer', () => {
    const authorizer = only(template, 'AWS::ApiGateway::Authorizer');
    for (const { contract } of each(deployed)) {
      const method = methodsOf(template).find(({ route }) => route === `${contract.method} ${contract.path}`)!;
      expect(method.properties).toMatchObject({
        AuthorizationType: 'CUSTOM',
        AuthorizerId: { Ref: authorizer.id },
        OperationName: contract.operationId,
        Integration: { Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST' },
      });
      const target = calledId(template, pascalCase(contract.operationId));
      expect(JSON.stringify(method.properties['Integration'].Uri)).toContain(`"${target}"`);
    }
  });

  test('calls the functions of its methods, and no others, by one role that API Gateway alone may assume', () => {
    const integrations = methodsOf(template).map(({ properties }) => properties['Integration'] as Properties);
    const callers = new Set(integrations.map(({ Credentials }) => JSON.stringify(Credentials)));
    const roles = all(template, 'AWS::IAM::Role').filter(({ id }) =>
      callers.has(JSON.stringify({ 'Fn::GetAtt': [id, 'Arn'] })),
    );
    expect([callers.size, roles.length]).toEqual([1, 1]);
    const { AssumeRolePolicyDocument: trust, Policies, ManagedPolicyArns = [] } = roles[0]!.Properties;
    expect(trust.Statement).toMatchObject([{ Principal: { Service: 'apigateway.amazonaws.com' } }]);
    expect(ManagedPolicyArns).toEqual([]);
    const statements = (Policies as Properties[]).flatMap((policy) => policy['PolicyDocument'].Statement as Properties);
    expect(statements).toMatchObject([{ Action: 'lambda:InvokeFunction', Effect: 'Allow' }]);
    const granted = (statements[0]!.Resource as unknown[]).map((arn) => JSON.stringify(arn));
    const called = deployed.map(({ contract }) => calledId(template, pascalCase(contract.operationId)));
    expect(granted).toHaveLength(called.length);
    for (const id of called) expect(granted.filter((arn) => arn.includes(`"${id}"`))).toHaveLength(1);
  });

  test('may call the authorizer by a permission of its own', () => {
    const { Properties } = only(template, 'AWS::Lambda::Permission');
    expect(Properties).toMatchObject({ Action: 'lambda:InvokeFunction', Principal: 'apigateway.amazonaws.com' });
    expect(JSON.stringify(Properties['SourceArn'])).toContain(only(template, 'AWS::ApiGateway::RestApi').id);
  });

  test('asks the authorizer about whatever is sent as a token, and keeps an answer for a minute at most', () => {
    const { Type, IdentitySource, IdentityValidationExpression, AuthorizerResultTtlInSeconds } = only(
      template,
      'AWS::ApiGateway::Authorizer',
    ).Properties;
    expect({ Type, IdentitySource }).toEqual({ Type: 'TOKEN', IdentitySource: 'method.request.header.Authorization' });
    // API Gateway would say of what does not match that there is no token.
    expect(IdentityValidationExpression).toBeUndefined();
    expect(AuthorizerResultTtlInSeconds).toBeLessThanOrEqual(60);
  });

  test('is throttled and traced, and its logs hold neither bodies nor personal data', () => {
    const { Properties } = only(template, 'AWS::ApiGateway::Stage');
    expect(Properties).toMatchObject({ TracingEnabled: true });
    expect(Properties['MethodSettings']).toEqual([
      {
        HttpMethod: '*',
        ResourcePath: '/*',
        DataTraceEnabled: false,
        LoggingLevel: 'ERROR',
        MetricsEnabled: false,
        ThrottlingRateLimit: expect.any(Number) as number,
        ThrottlingBurstLimit: expect.any(Number) as number,
      },
    ]);
    const format = JSON.parse(Properties['AccessLogSetting'].Format as string) as Record<string, string>;
    expect(Object.values(format)).toEqual(
      expect.arrayContaining([
        '$context.requestId',
        '$context.resourcePath',
        '$context.status',
        '$context.authorizer.refusal',
      ]),
    );
    for (const value of each(Object.values(format)))
      expect(value).not.toMatch(/identity|\$context\.path$|header|querystring|body/i);
  });

  test('keeps its logical id: another one would change the address that partners call', () => {
    expect(only(template, 'AWS::ApiGateway::RestApi').id).toBe('PartnerApi45571CED');
    expect(only(template, 'AWS::ApiGateway::RestApi').Properties['EndpointConfiguration']).toEqual({
      Types: ['REGIONAL'],
    });
  });
});

describe('simulation tools', () => {
  const isTool = (path: string) => path.startsWith('/order-tools/');

  test('are marked as such in the list of routes', () => {
    for (const { contract, simulation } of each(routes))
      expect(simulation === true, contract.path).toBe(isTool(contract.path));
  });

  test('do not exist in production', () => {
    expect(methodsOf(prod).filter(({ route }) => route.includes('order-tools'))).toEqual([]);
    for (const { contract } of each(routes.filter(({ simulation }) => simulation))) {
      expect(prod.text).not.toContain(`"${contract.operationId}:`);
      expect(prod.text).not.toContain(`"${pascalCase(contract.operationId)}Function`);
    }
  });

  test('exist everywhere else', () => {
    const tools = routes.filter(({ simulation }) => simulation).length;
    expect(methodsOf(hml).filter(({ route }) => route.includes('order-tools'))).toHaveLength(tools);
  });
});

describe('a response of the gateway itself', () => {
  const responses = all(hml, 'AWS::ApiGateway::GatewayResponse').map(({ Properties }) => Properties);
  const responseOf = (type: string) => responses.find(({ ResponseType }) => ResponseType === type)!;
  const bodyOf = (type: string) =>
    JSON.parse(responseOf(type)['ResponseTemplates']['application/json'] as string) as Record<string, unknown>;

  test.each([
    ['UNAUTHORIZED', 401, 'UNAUTHORIZED'],
    ['EXPIRED_TOKEN', 401, 'UNAUTHORIZED'],
    ['INVALID_SIGNATURE', 401, 'UNAUTHORIZED'],
    ['ACCESS_DENIED', 401, 'UNAUTHORIZED'],
    ['INVALID_API_KEY', 403, 'FORBIDDEN_ERROR'],
    ['WAF_FILTERED', 403, 'FORBIDDEN_ERROR'],
    ['MISSING_AUTHENTICATION_TOKEN', 404, 'NOT_FOUND'],
    ['RESOURCE_NOT_FOUND', 404, 'NOT_FOUND'],
    ['THROTTLED', 429, 'TOO_MANY_REQUESTS'],
    ['QUOTA_EXCEEDED', 429, 'TOO_MANY_REQUESTS'],
    ['BAD_REQUEST_BODY', 400, 'INVALID_REQUEST'],
    ['BAD_REQUEST_PARAMETERS', 400, 'INVALID_REQUEST'],
    ['REQUEST_TOO_LARGE', 413, 'INVALID_REQUEST'],
    ['UNSUPPORTED_MEDIA_TYPE', 415, 'INVALID_REQUEST'],
    ['AUTHORIZER_FAILURE', 503, 'INTERNAL_ERROR'],
    ['AUTHORIZER_CONFIGURATION_ERROR', 503, 'INTERNAL_ERROR'],
    ['API_CONFIGURATION_ERROR', 500, 'INTERNAL_ERROR'],
    ['INTEGRATION_FAILURE', 503, 'INTERNAL_ERROR'],
    ['INTEGRATION_TIMEOUT', 504, 'INTERNAL_ERROR'],
    ['DEFAULT_4XX', undefined, 'INVALID_REQUEST'],
    ['DEFAULT_5XX', 500, 'INTERNAL_ERROR'],
  ] as const)('%s has status %s and error %s in the error body of the service', (type, status, error) => {
    expect(responseOf(type)['StatusCode']).toBe(status === undefined ? undefined : String(status));
    expect(bodyOf(type)).toEqual({ error, message: expect.any(String) as string, details: [] });
  });

  test.each([
    ['UNAUTHORIZED', tokenErrors.MISSING],
    ['ACCESS_DENIED', '$context.authorizer.message'],
    ['EXPIRED_TOKEN', tokenErrors.EXPIRED],
    ['INVALID_SIGNATURE', tokenErrors.FOREIGN],
    ['INVALID_API_KEY', noAccess],
  ] as const)('%s has the message of its cause', (type, message) => {
    expect(bodyOf(type)['message']).toBe(message);
  });

  test('has the message of the authorizer in its body when a token is malformed', async () => {
    const event = { methodArn: 'arn:aws:execute-api:r:1:a/s/GET/x', authorizationToken: 'Bearer a.b' };
    const unused = () => Promise.reject(new Error('not asked'));
    const service = { audiences: [], scope: 's' };
    const { response: response } = await authorize(event, { verify: unused, service, findClient: unused });
    const template = responseOf('ACCESS_DENIED')['ResponseTemplates']['application/json'] as string;
    const body = template.replaceAll(/\$context\.authorizer\.(\w+)/gu, (_, name: string) =>
      String(response.context?.[name]),
    );
    expect(JSON.parse(body)).toEqual({ error: 'UNAUTHORIZED', message: tokenErrors.MALFORMED, details: [] });
  });

  test('every failure has a status that the document shows', () => {
    const failures = responses.filter(({ ResponseTemplates }) =>
      JSON.stringify(ResponseTemplates).includes('INTERNAL_ERROR'),
    );
    expect(failures.length).toBeGreaterThan(5);
    for (const { ResponseType, StatusCode } of each(failures))
      expect(errorStatusList, ResponseType as string).toContain(Number(StatusCode));
  });

  test('has the request id and Cache-Control no-store, for every type', () => {
    for (const { ResponseParameters } of each(responses)) {
      expect(ResponseParameters).toMatchObject({
        'gatewayresponse.header.x-request-id': 'context.requestId',
        'gatewayresponse.header.x-caller-request-id': 'method.request.header.x-request-id',
        'gatewayresponse.header.cache-control': "'no-store'",
      });
    }
  });

  test.each(['THROTTLED', 'QUOTA_EXCEEDED', 'AUTHORIZER_FAILURE', 'INTEGRATION_FAILURE', 'INTEGRATION_TIMEOUT'])(
    '%s has a Retry-After header of one second',
    (type) => {
      expect(responseOf(type)['ResponseParameters']).toMatchObject({ 'gatewayresponse.header.retry-after': "'1'" });
    },
  );

  test('has a Link header to the page of its status, or of a wrong request where API Gateway chooses the status', () => {
    for (const { StatusCode = '400', ResponseParameters } of each(responses))
      expect(ResponseParameters['gatewayresponse.header.link']).toBe(
        `'<https://errorpages.unset.invalid/${String(StatusCode)}>; rel="help"'`,
      );
  });

  test('has a WWW-Authenticate header (RFC 6750, 3) when a token is missing or refused, and otherwise none', () => {
    const asking = responses.flatMap(({ ResponseType, ResponseParameters }) => {
      const challenge: unknown = ResponseParameters['gatewayresponse.header.www-authenticate'];
      return challenge === undefined ? [] : [[ResponseType, challenge]];
    });
    const bearer = 'Bearer realm="banking-order"';
    expect(Object.fromEntries(asking)).toEqual({
      UNAUTHORIZED: `'${bearer}'`,
      ACCESS_DENIED: `'${bearer}, error="invalid_token"'`,
      EXPIRED_TOKEN: `'${bearer}, error="invalid_token"'`,
      INVALID_SIGNATURE: `'${bearer}, error="invalid_token"'`,
      INVALID_API_KEY: `'${bearer}, error="insufficient_scope"'`,
    });
  });

  test.each(['INTEGRATION_FAILURE', 'INTEGRATION_TIMEOUT', 'API_CONFIGURATION_ERROR', 'DEFAULT_5XX'])(
    '%s has a message that the outcome may be unknown and that the request is safe to repeat',
    (type) => {
      expect(bodyOf(type)['message']).toMatch(
        /outcome may be unknown: the same request with the same idempotency key is safe to repeat/u,
      );
    },
  );

  test('has a body of less than 400 characters, for every type', () => {
    for (const { ResponseTemplates } of each(responses))
      expect(ResponseTemplates['application/json'].length).toBeLessThan(400);
  });

  test('has no backslash and no gateway variable in its body, except the cause of a denial', () => {
    for (const { ResponseType, ResponseTemplates } of each(responses)) {
      const [before, ...after] = (ResponseTemplates['application/json'] as string).split(
        '"$context.authorizer.message"',
      );
      expect(after, ResponseType as string).toHaveLength(ResponseType === 'ACCESS_DENIED' ? 1 : 0);
      for (const text of [before, ...after]) expect(text).not.toMatch(/\$|\\/);
    }
  });

  test.each(stackNames)('%s has the same gateway responses, but for where its pages of errors are', (name) => {
    const errorPages = name === 'Local-Service' ? environments.local.api.errorPages : 'no other';
    const own = all(stack(name), 'AWS::ApiGateway::GatewayResponse').map(({ Properties }) => {
      const text = JSON.stringify(Properties).replaceAll(errorPages, environments.hml.api.errorPages);
      const { RestApiId: _api, ...rest } = JSON.parse(text) as Properties;
      return rest;
    });
    expect(own).toEqual(responses.map(({ RestApiId: _api, ...rest }) => rest));
  });
});

describe('one company', () => {
  const planOf = (name: (typeof stackNames)[number]): Resource[] => [...all(stack(name), 'AWS::ApiGateway::UsagePlan')];

  test.each(['Dev-Service', 'Hml-Service', 'Prod-Service'] as const)(
    'cannot use up %s: it has a throttle of its own',
    (name) => {
      const [plan] = planOf(name);
      const stage = only(stack(name), 'AWS::ApiGateway::Stage').Properties['MethodSettings'][0];
      expect(plan?.Properties['Throttle'].RateLimit).toBeLessThan(stage.ThrottlingRateLimit as number);
      expect(plan?.Properties['Throttle'].BurstLimit).toBeLessThan(stage.ThrottlingBurstLimit as number);
      expect(only(stack(name), 'AWS::ApiGateway::RestApi').Properties['ApiKeySourceType']).toBe('AUTHORIZER');
      for (const { properties } of each(methodsOf(stack(name)))) expect(properties['ApiKeyRequired']).toBe(true);
    },
  );

  test('has no throttle of its own in the local environment, where onboarding creates no API keys', () => {
    expect(planOf('Local-Service')).toEqual([]);
    for (const { properties } of each(methodsOf(stack('Local-Service'))))
      expect(properties['ApiKeyRequired']).toBe(false);
  });
});
