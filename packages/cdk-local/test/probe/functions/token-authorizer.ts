import type { APIGatewayTokenAuthorizerEvent } from 'aws-lambda';

let calls = 0;

/** The token says what to answer. */
export function handler(event: APIGatewayTokenAuthorizerEvent): unknown {
  calls += 1;
  const wish = event.authorizationToken.replace('Bearer ', '').split('.')[0];
  if (wish === 'unauthorized') throw new Error('Unauthorized');
  if (wish === 'broken') throw new Error('no keys');
  if (wish === 'odd') return { principalId: 1 };
  const all = event.methodArn.split('/').slice(0, 2).join('/') + '/*/*';
  const statements = {
    deny: [{ Effect: 'Deny', Action: 'execute-api:Invoke', Resource: all }],
    none: [],
    narrow: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource: event.methodArn }],
  }[wish ?? ''] ?? [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource: all }];
  return {
    principalId: 'client-1',
    policyDocument: { Version: '2012-10-17', Statement: statements },
    context: { companyId: 'company-1', calls, active: true, reason: `call ${calls}` },
  };
}
