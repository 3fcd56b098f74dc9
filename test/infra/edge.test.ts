import { describe, expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import type { Properties } from './synthesized.ts';
import { all, named, only, synthesize } from './synthesized.ts';

const withDomain = {
  ...environments.prod,
  api: {
    ...environments.prod.api,
    domain: {
      hostName: 'api.example.com',
      certificateArn: 'arn:aws:acm:sa-east-1:111111111111:certificate/12345678-1234-1234-1234-123456789012',
      clientAuthorities: 's3://authorities-of-the-company/clients/bundle.pem',
    },
  },
};
const stack = synthesize();
const withOwnDomain = synthesize({ environments: ['prod'], settings: { prod: withDomain } })('Prod-Service');
const hml = stack('Hml-Service');

describe.each(['Dev-Service', 'Hml-Service', 'Prod-Service'])('the firewall of %s', (name) => {
  const acl = only(stack(name), 'AWS::WAFv2::WebACL').Properties;

  test('stands before the stage of the API', () => {
    expect(acl['Scope']).toBe('REGIONAL');
    const { ResourceArn, WebACLArn } = only(stack(name), 'AWS::WAFv2::WebACLAssociation').Properties;
    expect(JSON.stringify(ResourceArn)).toContain(only(stack(name), 'AWS::ApiGateway::Stage').id);
    expect(JSON.stringify(WebACLArn)).toContain(only(stack(name), 'AWS::WAFv2::WebACL').id);
  });

  test('answers 429 in the error body to an address that asks too often', () => {
    const [rate] = acl['Rules'];
    expect(rate).toMatchObject({
      Statement: {
        RateBasedStatement: { AggregateKeyType: 'IP', EvaluationWindowSec: 300, Limit: expect.any(Number) as number },
      },
      Action: {
        Block: {
          CustomResponse: {
            ResponseCode: 429,
            ResponseHeaders: [
              { Name: 'retry-after', Value: '60' },
              { Name: 'link', Value: '<https://errorpages.unset.invalid/429>; rel="help"' },
            ],
          },
        },
      },
    });
    const key = rate.Action.Block.CustomResponse.CustomResponseBodyKey as string;
    const { Content, ContentType } = acl['CustomResponseBodies'][key];
    expect(ContentType).toBe('APPLICATION_JSON');
    expect(JSON.parse(Content as string)).toEqual({
      error: 'TOO_MANY_REQUESTS',
      message: expect.any(String) as string,
      details: [],
    });
  });

  test('applies the common rules of AWS, but for those that refuse what the contract allows', () => {
    const { Statement, OverrideAction } = (acl['Rules'] as Properties[]).at(-1)!;
    expect(OverrideAction).toEqual({ None: {} });
    expect(Statement.ManagedRuleGroupStatement).toEqual({
      VendorName: 'AWS',
      Name: 'AWSManagedRulesCommonRuleSet',
      RuleActionOverrides: ['SizeRestrictions_BODY', 'NoUserAgent_HEADER', 'GenericRFI_BODY'].map((Name) => ({
        Name,
        ActionToUse: { Count: {} },
      })),
    });
    expect(acl['AssociationConfig']).toEqual({ RequestBody: { API_GATEWAY: { DefaultSizeInspectionLimit: 'KB_64' } } });
  });

  test('applies the rules of AWS against known addresses and inputs before the common ones', () => {
    const groups = (acl['Rules'] as unknown[]).slice(1) as {
      Priority: number;
      Statement: { ManagedRuleGroupStatement: object };
    }[];
    expect(groups.map(({ Priority, Statement }) => [Priority, Statement.ManagedRuleGroupStatement])).toMatchObject([
      [1, { VendorName: 'AWS', Name: 'AWSManagedRulesAmazonIpReputationList', RuleActionOverrides: [] }],
      [2, { VendorName: 'AWS', Name: 'AWSManagedRulesKnownBadInputsRuleSet', RuleActionOverrides: [] }],
      [3, { VendorName: 'AWS', Name: 'AWSManagedRulesCommonRuleSet' }],
    ]);
  });

  test('logs what it stopped, without tokens and queries', () => {
    const logging = only(stack(name), 'AWS::WAFv2::LoggingConfiguration').Properties;
    expect(logging['RedactedFields']).toEqual([{ SingleHeader: { Name: 'authorization' } }, { QueryString: {} }]);
    expect(logging['LoggingFilter']).toMatchObject({ DefaultBehavior: 'DROP' });
    expect(JSON.stringify(logging['LogDestinationConfigs'])).not.toContain(':*');
    const group = named(stack(name), 'AWS::Logs::LogGroup', 'FirewallLogs').Properties;
    expect(JSON.stringify(group['LogGroupName'])).toMatch(/"aws-waf-logs-banking-order-.*AWS::StackId/u);
    expect(group['RetentionInDays']).toBeGreaterThan(0);
    for (const rule of [acl, ...acl['Rules']]) expect(rule.VisibilityConfig.SampledRequestsEnabled).toBe(false);
  });
});

test('the local environment has no firewall', () => {
  expect(all(stack('Local-Service'), 'AWS::WAFv2::WebACL')).toEqual([]);
});

describe('an own domain', () => {
  test('is served by TLS with client certificates, and closes the address of API Gateway', () => {
    expect(only(withOwnDomain, 'AWS::ApiGateway::DomainName').Properties).toMatchObject({
      DomainName: 'api.example.com',
      SecurityPolicy: 'TLS_1_2',
      EndpointConfiguration: { Types: ['REGIONAL'] },
      MutualTlsAuthentication: { TruststoreUri: 's3://authorities-of-the-company/clients/bundle.pem' },
    });
    expect(only(withOwnDomain, 'AWS::ApiGateway::RestApi').Properties['DisableExecuteApiEndpoint']).toBe(true);
    const { RestApiId, Stage } = only(withOwnDomain, 'AWS::ApiGateway::BasePathMapping').Properties;
    expect(RestApiId).toEqual({ Ref: only(withOwnDomain, 'AWS::ApiGateway::RestApi').id });
    expect(Stage).toEqual({ Ref: only(withOwnDomain, 'AWS::ApiGateway::Stage').id });
  });

  test('does not replace the API', () => {
    expect(only(withOwnDomain, 'AWS::ApiGateway::RestApi').id).toBe(only(hml, 'AWS::ApiGateway::RestApi').id);
  });

  test('is optional: without one the address of API Gateway answers', () => {
    expect(all(hml, 'AWS::ApiGateway::DomainName')).toEqual([]);
    expect(only(hml, 'AWS::ApiGateway::RestApi').Properties['DisableExecuteApiEndpoint']).toBe(false);
  });

  test('refuses a trust store that is no file in S3', () => {
    const api = { ...withDomain.api, domain: { ...withDomain.api.domain, clientAuthorities: 'bundle.pem' } };
    expect(() => synthesize({ environments: ['prod'], settings: { prod: { ...withDomain, api } } })).toThrow(
      'Invalid S3 address',
    );
  });
});
