import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { EnvironmentSettings } from '#infra/settings.ts';
import { edgeAnswers } from './gateway-responses.ts';
import { addLogGroup } from './service-function.ts';

/** Rules of the managed set that would refuse what the contract allows, and why: they count instead of blocking. */
const countedRules = {
  SizeRestrictions_BODY: 'blocks bodies above 8 KiB; the contract takes 64',
  NoUserAgent_HEADER: 'plain HTTP clients of server software send no user agent',
  GenericRFI_BODY: 'blocks bodies with a URL of an IPv4 host, which a webhook endpoint may be; the contract checks it',
} as const;

/** Name of the firewall in metrics. */
export const firewallMetric = 'Firewall';

/** Key of the answer to what the rate rule blocks. */
const tooMany = 'TooManyRequests';

/**
 * A firewall before the API: so many requests of one address in five minutes, then the common rules of AWS against
 * known attacks. It logs what it blocked or counted, never a token or a query (a listing's query holds documents and
 * names).
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, props: { settings: EnvironmentSettings; stageArn: string; rate: number }) {
    super(scope, id);
    const { settings, stageArn, rate } = props;
    const acl = new CfnWebACL(this, 'WebAcl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(firewallMetric),
      customResponseBodies: { [tooMany]: { contentType: 'APPLICATION_JSON', content: tooManyRequests() } },
      associationConfig: { requestBody: { API_GATEWAY: { defaultSizeInspectionLimit: 'KB_64' } } },
      rules: [rateRule(rate), commonRules()],
    });
    new CfnWebACLAssociation(this, 'Association', { resourceArn: stageArn, webAclArn: acl.attrArn });
    // The service accepts log groups of this prefix alone.
    const logs = addLogGroup(this, 'Logs', settings, `aws-waf-logs-banking-order-${settings.name}`);
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: acl.attrArn,
      logDestinationConfigs: [arnOfGroup(logs)],
      redactedFields: [{ singleHeader: { Name: 'authorization' } }, { queryString: {} }],
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [
          {
            Behavior: 'KEEP',
            Requirement: 'MEETS_ANY',
            Conditions: ['BLOCK', 'COUNT', 'EXCLUDED_AS_COUNT'].map((Action) => ({ ActionCondition: { Action } })),
          },
        ],
      },
    });
  }
}

/** The firewall takes the ARN of the group alone; CDK's ends in `:*`, all its streams. */
function arnOfGroup(group: LogGroup): string {
  const { logGroupName: resourceName } = group;
  const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
  return Stack.of(group).formatArn({ service: 'logs', resource: 'log-group', resourceName, arnFormat });
}

function rateRule(rate: number): CfnWebACL.RuleProperty {
  return {
    name: 'RateByAddress',
    priority: 0,
    statement: { rateBasedStatement: { aggregateKeyType: 'IP', evaluationWindowSec: 300, limit: rate } },
    action: {
      block: {
        customResponse: {
          responseCode: 429,
          customResponseBodyKey: tooMany,
          responseHeaders: [{ name: 'retry-after', value: '60' }],
        },
      },
    },
    visibilityConfig: visibility('RateByAddress'),
  };
}

function commonRules(): CfnWebACL.RuleProperty {
  const name = 'AWSManagedRulesCommonRuleSet';
  const counted = Object.keys(countedRules).map((rule) => ({ name: rule, actionToUse: { count: {} } }));
  return {
    name,
    priority: 1,
    overrideAction: { none: {} },
    statement: { managedRuleGroupStatement: { vendorName: 'AWS', name, ruleActionOverrides: counted } },
    visibilityConfig: visibility('CommonRules'),
  };
}

function tooManyRequests(): string {
  const { error, message } = edgeAnswers.THROTTLED;
  return JSON.stringify({ error, message, details: [] });
}

function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: false };
}
