import { Aws, Duration, TimeZone } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Schedule, ScheduleExpression, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Times } from '#functions/workers.ts';
import { functionArn, liveAlias, queueArn } from '#infra/aws/names.ts';
import { queueName, resourceName } from '#infra/resource-name.ts';
import { pascalCase } from '#infra/aws/names.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import type { WorkerName } from '#shared/platform/jobs/worker-names.ts';
import { addQueue } from './delivery-pipeline.ts';
import { isCanaried } from './live-version.ts';

export type Job = {
  readonly name: WorkerName;
  readonly function: IFunction;
  readonly description: string;
  readonly schedule: 'every minute' | Times;
};

/**
 * Jobs that run every minute, or at given hours of Brasilia. A failed run is not repeated: the next one claims the work
 * that is left, item by item. A queue with an alarm keeps the runs that could not start.
 */
export class ScheduledWork extends Construct {
  readonly failures: Queue;

  constructor(scope: Construct, id: string, settings: EnvironmentSettings, jobs: readonly Job[]) {
    super(scope, id);
    const name = queueName(settings, 'scheduleFailures');
    this.failures = addQueue(this, 'Failures', { name, retention: Duration.days(14) });
    const role = schedulerRole(this, settings, jobs);
    const timeZone = TimeZone.AMERICA_SAO_PAULO;
    for (const job of jobs) {
      new Schedule(this, pascalCase(job.name), {
        description: job.description,
        schedule:
          job.schedule === 'every minute'
            ? ScheduleExpression.expression('rate(1 minute)', timeZone)
            : ScheduleExpression.cron({ minute: '*', ...job.schedule, timeZone }),
        timeWindow: TimeWindow.off(),
        target: {
          bind: () => ({
            arn: job.function.functionArn,
            role,
            retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
            deadLetterConfig: { arn: this.failures.queueArn },
          }),
        },
      });
    }
  }
}

/**
 * Adds the role of the schedules. EventBridge Scheduler assumes it when it creates a schedule, and IAM needs some
 * seconds until a new role can be assumed. The role knows functions only by name, so it exists before the functions.
 */
function schedulerRole(scope: Construct, settings: EnvironmentSettings, jobs: readonly Job[]): Role {
  const invoke = new PolicyStatement({
    actions: ['lambda:InvokeFunction'],
    resources: jobs.map(({ name }) => {
      const called = resourceName(settings, name);
      return functionArn(scope, isCanaried(settings, name) ? `${called}:${liveAlias}` : called);
    }),
  });
  const keepFailures = new PolicyStatement({
    actions: ['sqs:SendMessage'],
    resources: [queueArn(scope, queueName(settings, 'scheduleFailures'))],
  });
  return new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
    inlinePolicies: { Scheduler: new PolicyDocument({ statements: [invoke, keepFailures] }) },
  });
}
