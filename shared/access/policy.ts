import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import type { ApiClient } from './api-clients.ts';

/**
 * Every method of the stage (`arn:…:<api>/<stage>/*`), because API Gateway keeps the answer for a token and asks it
 * about other routes too.
 */
function wholeStage(methodArn: string): string {
  const [api = '', stage = ''] = methodArn.split('/');
  return `${api}/${stage}/*`;
}

function policy(principalId: string, effect: 'Allow' | 'Deny', methodArn: string): APIGatewayAuthorizerResult {
  const statement = { Action: 'execute-api:Invoke', Effect: effect, Resource: wholeStage(methodArn) };
  return { principalId, policyDocument: { Version: '2012-10-17', Statement: [statement] } };
}

/** API Gateway answers 403. */
export function denyPolicy(methodArn: string): APIGatewayAuthorizerResult {
  return policy('denied', 'Deny', methodArn);
}

/**
 * `expiresAt` (epoch seconds) goes along because the answer may be kept longer than the token lives. Context values are
 * text. Requests are counted by the company's key of the usage plan, whose value is the company's id unless the client
 * names another; where there is no plan, API Gateway does not look at it.
 */
export function allowPolicy(client: ApiClient, expiresAt: number, methodArn: string): APIGatewayAuthorizerResult {
  const { clientId, companyId, usageIdentifierKey = companyId } = client;
  return {
    ...policy(clientId, 'Allow', methodArn),
    context: { companyId, clientId, expiresAt: String(expiresAt) },
    usageIdentifierKey,
  };
}
