import { Aws, Duration, TimeZone } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Schedule, ScheduleExpression, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Times } from '#functions/workers.ts';
import { addQueue } from './delivery-pipeline.ts';
import { queueStatement } from './function-access.ts';

export type Job = {
  readonly name: string;
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

  constructor(scope: Construct, id: string, jobs: readonly Job[]) {
    super(scope, id);
    this.failures = addQueue(this, 'Failures', { retention: Duration.days(14) });
    const role = schedulerRole(this, jobs, this.failures);
    const timeZone = TimeZone.AMERICA_SAO_PAULO;
    for (const job of jobs) {
      new Schedule(this, job.name, {
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

function schedulerRole(scope: Construct, jobs: readonly Job[], failures: Queue): Role {
  const invoke = new PolicyStatement({
    actions: ['lambda:InvokeFunction'],
    resources: jobs.map((job) => job.function.functionArn),
  });
  return new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
    inlinePolicies: { Scheduler: new PolicyDocument({ statements: [invoke, queueStatement(failures, 'sends')] }) },
  });
}
