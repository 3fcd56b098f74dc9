import { describe, expect, test } from 'vitest';
import type { RouteModel } from '#cdk-local/api/api-model.ts';
import { readApi } from '#cdk-local/api/api-model.ts';
import { readGatewayResponses, renderGatewayResponse } from '#cdk-local/api/gateway-responses.ts';
import { readProxyResponse } from '#cdk-local/api/proxy-integration.ts';
import { createRouter } from '#cdk-local/api/router.ts';
import { createThrottle } from '#cdk-local/api/gateway.ts';
import type { FunctionDefinition } from '#cdk-local/functions/function-definitions.ts';
import { readerOf } from './templates.ts';

const target = {} as FunctionDefinition;
const route = (method: string, resourcePath: string): RouteModel => {
  return { method, resourcePath, resourceId: resourcePath, target, timeoutMs: 1, authorizer: undefined };
};

describe('routes', () => {
  const find = createRouter([
    route('GET', '/'),
    route('GET', '/orders'),
    route('POST', '/orders/{id}/refunds'),
    route('GET', '/orders/{id}'),
    route('DELETE', '/orders/{id}'),
    route('GET', '/orders/latest'),
  ]);
  const found = (method: string, path: string): unknown => {
    const match = find(method, path);
    return match && [match.route.resourcePath, match.parameters];
  };

  test('fixed segments come before parameters', () => {
    expect(found('GET', '/orders/latest')).toEqual(['/orders/latest', {}]);
    expect(found('GET', '/orders/7')).toEqual(['/orders/{id}', { id: '7' }]);
    expect(found('GET', '/')).toEqual(['/', {}]);
  });

  test('a segment that is fixed for another route may still be a parameter of this one', () => {
    expect(found('POST', '/orders/latest/refunds')).toEqual(['/orders/{id}/refunds', { id: 'latest' }]);
  });

  test('a method that a fixed path lacks is not that of a parameter in its place', () => {
    expect(found('DELETE', '/orders/7')).toEqual(['/orders/{id}', { id: '7' }]);
    expect(found('DELETE', '/orders/latest')).toBeUndefined();
  });

  test('match no other method, no empty segment and no longer path', () => {
    expect(['/orders', '/orders/', '//orders', '/orders/7/8'].map((path) => found('PUT', path))).toEqual(
      Array.from({ length: 4 }),
    );
    expect([found('GET', '/orders/'), found('GET', '//')]).toEqual([undefined, undefined]);
  });
});

const body = (text: string) => ({ ResponseTemplates: { 'application/json': text } });
const defaults = {
  Four: ['AWS::ApiGateway::GatewayResponse', { ResponseType: 'DEFAULT_4XX', ...body('{"m":4}') }],
  Five: ['AWS::ApiGateway::GatewayResponse', { ResponseType: 'DEFAULT_5XX', ...body('{"m":5}') }],
} as const;

describe('gateway responses', () => {
  const read = (more: Parameters<typeof readerOf>[0]) => readGatewayResponses(readerOf({ ...defaults, ...more }));
  const responses = read({
    Unknown: [
      'AWS::ApiGateway::GatewayResponse',
      { ResponseType: 'MISSING_AUTHENTICATION_TOKEN', StatusCode: '404', ...body('{}') },
    ],
    Throttled: [
      'AWS::ApiGateway::GatewayResponse',
      {
        ResponseType: 'THROTTLED',
        StatusCode: '429',
        ResponseParameters: {
          'gatewayresponse.header.retry-after': "'1'",
          'gatewayresponse.header.x-request-id': 'context.requestId',
          'gatewayresponse.header.x-own-id': 'method.request.header.X-Request-Id',
        },
        ...body('{"type":"throttled"}'),
      },
    ],
  });
  const request = { id: 'r-1', headers: {} };

  test('insert context values of the authorizer verbatim, and an empty text when a value is absent', () => {
    const named = body('{"m":"$context.authorizer.message","n":"$context.authorizer.number"}');
    const denied = read({ Denied: ['AWS::ApiGateway::GatewayResponse', { ResponseType: 'ACCESS_DENIED', ...named }] });
    const authorizerContext = { message: 'a $& "b"', principalId: 'denied' };
    const response = renderGatewayResponse(denied, 'ACCESS_DENIED', { ...request, authorizer: authorizerContext });
    expect(response.body.toString()).toBe('{"m":"a $& "b"","n":""}');
    expect(renderGatewayResponse(denied, 'ACCESS_DENIED', request).body.toString()).toBe('{"m":"","n":""}');
  });

  test('have status, headers and body of the template, with the values of the request', () => {
    const response = renderGatewayResponse(responses, 'THROTTLED', request);
    expect(response.status).toBe(429);
    expect(response.headers).toMatchObject({ 'retry-after': '1', 'x-request-id': 'r-1' });
    expect(response.body.toString()).toBe('{"type":"throttled"}');
  });

  test('return a header of the request, and leave it out when the request has none', () => {
    const sent = renderGatewayResponse(responses, 'THROTTLED', { id: 'r-1', headers: { 'x-request-ID': ['mine'] } });
    expect(sent.headers).toHaveProperty('x-own-id', 'mine');
    expect(renderGatewayResponse(responses, 'THROTTLED', request).headers).not.toHaveProperty('x-own-id');
  });

  test('have the status of the template when it replaces the usual one of their type', () => {
    expect(renderGatewayResponse(responses, 'MISSING_AUTHENTICATION_TOKEN', request).status).toBe(404);
  });

  test('have the default body of their class, and their usual status, when the template has none for their type', () => {
    const response = renderGatewayResponse(responses, 'UNAUTHORIZED', request);
    expect([response.status, response.body.toString()]).toEqual([401, '{"m":4}']);
  });

  test.each([
    ['variables in a body', body('$context.error.messageString'), 'variables in a body'],
    ['a variable beside one of the authorizer', body('$context.authorizer.a $input.body'), 'variables in a body'],
    ['no body', {}, 'ResponseTemplates'],
    [
      'another value of the context',
      { ...body('{}'), ResponseParameters: { 'gatewayresponse.header.x': 'context.path' } },
      'gatewayresponse.header.x',
    ],
  ])('%s stops the start', (_what, properties, message) => {
    const odd = { Odd: ['AWS::ApiGateway::GatewayResponse', { ResponseType: 'THROTTLED', ...properties }] } as const;
    expect(() => read(odd)).toThrow(message);
  });

  test('an API without the defaults of both classes stops the start', () => {
    expect(() => read({ Four: ['AWS::SQS::Queue'] })).toThrow('DEFAULT_4XX');
    expect(() => read({ Five: ['AWS::SQS::Queue'] })).toThrow('DEFAULT_5XX');
  });
});

describe('responses of functions', () => {
  const response = { statusCode: 200, headers: {}, body: '' };

  test.each([
    ['no object', null],
    ['no status', { ...response, statusCode: undefined }],
    ['a status that is none', { ...response, statusCode: 42 }],
    ['a body that is no text', { ...response, body: {} }],
    ['a header that breaks the line', { ...response, headers: { a: 'b\r\nc: d' } }],
    ['a header name that is none', { ...response, headers: { 'a b': 'c' } }],
    ['a header that is an object', { ...response, headers: { a: {} } }],
    ['a body in base64', { ...response, isBase64Encoded: true }],
    ['headers with several values', { ...response, multiValueHeaders: { a: ['b', 'c'] } }],
  ])('%s makes a response invalid', (_what, payload) => {
    expect(readProxyResponse(payload)).toBeUndefined();
  });

  test('status, headers and the bytes of the body are those of the function', () => {
    const headers = { 'content-type': 'text/plain' };
    expect(readProxyResponse({ statusCode: 201, headers, body: 'é' })).toEqual({
      status: 201,
      headers,
      body: Buffer.from('é'),
    });
  });

  test('have Connection and WWW-Authenticate renamed to x-amzn-Remapped headers', () => {
    const renamed = readProxyResponse({ ...response, headers: { Connection: 'close', 'www-authenticate': 'Bearer' } });
    expect(renamed?.headers).toEqual({
      'x-amzn-Remapped-Connection': 'close',
      'x-amzn-Remapped-www-authenticate': 'Bearer',
    });
  });
});

describe('throttling', () => {
  test('admits a burst, then as many calls as the rate allows', () => {
    let now = 0;
    const pass = createThrottle({ rate: 2, burst: 3 }, () => now);
    const burst = (): number => Array.from({ length: 10 }, pass).filter(Boolean).length;
    expect(burst()).toBe(3);
    now = 1000;
    expect(burst()).toBe(2);
  });

  test('admits every call when there are no limits', () => {
    const pass = createThrottle(undefined);
    expect(Array.from({ length: 1000 }, pass).every(Boolean)).toBe(true);
  });
});

describe('the API of a template', () => {
  const arn = 'arn:aws:lambda:sa-east-1:000000000000:function:echo';
  const api = {
    ...defaults,
    Api: ['AWS::ApiGateway::RestApi'],
    Stage: ['AWS::ApiGateway::Stage', { StageName: 'local' }],
  } as const;
  const method = { ResourceId: 'root', AuthorizationType: 'NONE', Integration: { Type: 'AWS_PROXY', Uri: arn } };
  const read = (resources: Parameters<typeof readerOf>[0]) => readApi(readerOf({ ...api, ...resources }), () => target);

  test('is read when the local environment can serve it', () => {
    expect(read({ Get: ['AWS::ApiGateway::Method', { ...method, HttpMethod: 'GET' }] }).routes).toHaveLength(1);
  });

  test.each([
    ['a second API', { More: ['AWS::ApiGateway::RestApi'] }, 'RestApi'],
    ['every method at once', { Any: ['AWS::ApiGateway::Method', { ...method, HttpMethod: 'ANY' }] }, 'Service.Any'],
    ['the rest of a path', { Rest: ['AWS::ApiGateway::Resource', { ParentId: 'r', PathPart: '{path+}' }] }, 'PathPart'],
    [
      'an authorizer of requests',
      {
        ByRequest: [
          'AWS::ApiGateway::Authorizer',
          { Type: 'REQUEST', AuthorizerUri: arn, IdentitySource: 'method.request.header.x-key' },
        ],
      },
      'Service.ByRequest',
    ],
    [
      'limits of one method',
      {
        Stage: [
          'AWS::ApiGateway::Stage',
          { StageName: 'local', MethodSettings: [{ HttpMethod: 'POST', ResourcePath: '/~1orders' }] },
        ],
      },
      'method settings of one method',
    ],
    ['binary bodies', { Api: ['AWS::ApiGateway::RestApi', { BinaryMediaTypes: ['*/*'] }] }, 'binary media types'],
  ] as const)('%s stops the start with an error that names it', (_what, resources, message) => {
    expect(() => read(resources)).toThrow(message);
  });
});
