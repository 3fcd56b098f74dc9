import { ArnFormat, Fn, Stack } from 'aws-cdk-lib';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { EnvironmentSettings } from '#infra/settings.ts';
import { helpLink } from '#shared/platform/http/help-link.ts';
import { edgeResponses } from './gateway-responses.ts';
import { addLogGroup } from './service-function.ts';

/** Managed rules that would block requests of the contract: they count instead. */
const countedRules = [
  // Blocks bodies above 8 KiB; the contract takes 64.
  'SizeRestrictions_BODY',
  // HTTP clients of server software may send no user agent.
  'NoUserAgent_HEADER',
  // Blocks bodies with a URL of an IPv4 host, such as a webhook endpoint; the contract checks it.
  'GenericRFI_BODY',
];

/** Groups of AWS's managed rules, in the order in which WAF evaluates them. */
const ruleGroups: readonly { readonly name: string; readonly metric: string; readonly counted?: readonly string[] }[] =
  [
    { name: 'AWSManagedRulesAmazonIpReputationList', metric: 'IpReputation' },
    { name: 'AWSManagedRulesKnownBadInputsRuleSet', metric: 'KnownBadInputs' },
    { name: 'AWSManagedRulesCommonRuleSet', metric: 'CommonRules', counted: countedRules },
  ];

/** Name of an environment's firewall in metrics. */
export function firewallMetric({ name }: Pick<EnvironmentSettings, 'name'>): string {
  return `Firewall-${name}`;
}

/** Key of the response to a request that the rate rule blocks. */
const tooMany = 'TooManyRequests';

/**
 * A firewall before the API: a rate limit by address, then AWS's rules against addresses and requests of known attacks.
 * Its log has the blocked and counted requests, without tokens and queries: a listing's query may hold documents and
 * names.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, props: { settings: EnvironmentSettings; stageArn: string; rate: number }) {
    super(scope, id);
    const { settings, stageArn, rate } = props;
    const { error, message } = edgeResponses.THROTTLED;
    const acl = new CfnWebACL(this, 'WebAcl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(firewallMetric(settings)),
      customResponseBodies: {
        [tooMany]: { contentType: 'APPLICATION_JSON', content: JSON.stringify({ error, message, details: [] }) },
      },
      associationConfig: { requestBody: { API_GATEWAY: { defaultSizeInspectionLimit: 'KB_64' } } },
      rules: [
        rateRule(rate, settings.api.errorPages),
        ...ruleGroups.map(({ name, metric, counted = [] }, at) => managedRules(name, metric, counted, at + 1)),
      ],
    });
    new CfnWebACLAssociation(this, 'Association', { resourceArn: stageArn, webAclArn: acl.attrArn });
    // WAF requires this prefix. The group outlives its stack: with the stack's id, a later stack has another name.
    const stackUuid = Fn.select(2, Fn.split('/', Stack.of(this).stackId));
    const logs = addLogGroup(this, 'Logs', settings, `aws-waf-logs-banking-order-${settings.name}-${stackUuid}`);
    const kept = ['BLOCK', 'COUNT', 'EXCLUDED_AS_COUNT'].map((Action) => ({ ActionCondition: { Action } }));
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: acl.attrArn,
      logDestinationConfigs: [arnOfGroup(logs)],
      redactedFields: [{ singleHeader: { Name: 'authorization' } }, { queryString: {} }],
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [{ Behavior: 'KEEP', Requirement: 'MEETS_ANY', Conditions: kept }],
      },
    });
  }
}

/** WAF takes the ARN of the group; CDK's ends in `:*`, for all its streams. */
function arnOfGroup(group: LogGroup): string {
  const { logGroupName: resourceName } = group;
  const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
  return Stack.of(group).formatArn({ service: 'logs', resource: 'log-group', resourceName, arnFormat });
}

function rateRule(rate: number, errorPages: string): CfnWebACL.RuleProperty {
  const responseHeaders = [
    { name: 'retry-after', value: '60' },
    { name: 'link', value: helpLink(errorPages, 429, []) },
  ];
  return {
    name: 'RateByAddress',
    priority: 0,
    statement: { rateBasedStatement: { aggregateKeyType: 'IP', evaluationWindowSec: 300, limit: rate } },
    action: { block: { customResponse: { responseCode: 429, customResponseBodyKey: tooMany, responseHeaders } } },
    visibilityConfig: visibility('RateByAddress'),
  };
}

function managedRules(
  name: string,
  metric: string,
  counted: readonly string[],
  priority: number,
): CfnWebACL.RuleProperty {
  const ruleActionOverrides = counted.map((rule) => ({ name: rule, actionToUse: { count: {} } }));
  return {
    name,
    priority,
    overrideAction: { none: {} },
    visibilityConfig: visibility(metric),
    statement: { managedRuleGroupStatement: { vendorName: 'AWS', name, ruleActionOverrides } },
  };
}

function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: false };
}
