import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';

/** Allows the key `good`, for the route that it was asked about. */
export function handler(event: APIGatewayRequestAuthorizerEvent): unknown {
  const good = event.headers?.['x-key'] === 'good';
  return {
    principalId: 'key',
    policyDocument: {
      Statement: [{ Effect: good ? 'Allow' : 'Deny', Action: 'execute-api:Invoke', Resource: event.methodArn }],
    },
    context: { resource: event.resource, parameter: event.pathParameters?.['id'] ?? '' },
  };
}
