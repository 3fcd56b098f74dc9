import { Duration } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction, IFunction, IVersion } from 'aws-cdk-lib/aws-lambda';
import { Alias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { liveAlias } from '#infra/aws/names.ts';
import type { Canaried, EnvironmentSettings } from '#infra/settings.ts';
import { scheduledCalls } from './service-function.ts';
import { businessOf, sum } from './monitoring/alarms.ts';

/** Returns whether a new version of the function takes over gradually. */
export function isCanaried({ functions }: EnvironmentSettings, name: string): name is Canaried {
  return functions.canary?.functions.some((canaried) => canaried === name) === true;
}

/** The call target of each function: itself, or an alias of one version. */
export class LiveVersions extends Construct {
  private application: LambdaApplication | undefined;
  private role: Role | undefined;
  private readonly settings: EnvironmentSettings;

  constructor(scope: Construct, id: string, settings: EnvironmentSettings) {
    super(scope, id);
    this.settings = settings;
  }

  /** @param instances Provisioned instances, which are ready before a call needs them. */
  publish(name: string, lambda: LambdaFunction, instances: number | undefined, isScheduled = false): IFunction {
    const isGradual = isCanaried(this.settings, name);
    if (instances === undefined && !isGradual) return lambda;
    // CDK declares optional members that may be undefined, which its own interfaces do not allow.
    const version = lambda.currentVersion as IVersion;
    const ready = instances !== undefined && { provisionedConcurrentExecutions: instances };
    const alias = new Alias(lambda, 'Live', {
      aliasName: liveAlias,
      version,
      ...ready,
      // The retry rules of asynchronous calls belong to the called alias, not to the function.
      ...(isScheduled && scheduledCalls),
    });
    if (isGradual) this.deployGradually(name, alias);
    return alias as IFunction;
  }

  private deployGradually(name: Canaried, alias: Alias): void {
    const { pace = 'CANARY_10PERCENT_5MINUTES' } = this.settings.functions.canary ?? {};
    this.application ??= new LambdaApplication(this, 'Application');
    this.role ??= new Role(this, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
    const alarm = new Alarm(alias, 'Failing', {
      metric: sum(`Failures of ${name}`, failuresOf(this.settings, name, alias), Duration.minutes(1)),
      threshold: 0,
      datapointsToAlarm: 1,
      // FILL takes a late point for 0 at first: the second period waits for it.
      evaluationPeriods: 2,
      alarmDescription: `CodeDeploy rolls back a new version of ${name} while this alarm rings. docs/runbook.md#canaries`,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    new LambdaDeploymentGroup(alias, 'Deployment', {
      alias,
      application: this.application,
      role: this.role,
      deploymentConfig: LambdaDeploymentConfig[pace],
      alarms: [alarm],
    });
  }
}

/** Returns the metrics of the alias's crashes, and of failures that the function catches and reports itself. */
function failuresOf(settings: EnvironmentSettings, name: Canaried, alias: Alias): readonly IMetric[] {
  const period = Duration.minutes(1);
  const business = businessOf(settings);
  const crashes = alias.metricErrors({ period });
  switch (name) {
    case 'authorizer':
      // It throws only when it cannot check a token: a bad token is no failure.
      return [crashes];
    case 'createPayout':
    case 'refundPayIn':
      return [crashes, business('Requests', { operationId: name, statusClass: '5xx' }, undefined, period)];
    default:
      return [crashes, business('JobsFailed', { worker: name }, undefined, period)];
  }
}
