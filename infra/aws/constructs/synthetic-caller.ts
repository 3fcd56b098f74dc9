import { Aws, CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import {
  Architecture,
  Function as LambdaFunction,
  FunctionUrlAuthType,
  LoggingFormat,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { Schedule, ScheduleExpression, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { functionArn } from '#infra/aws/names.ts';
import { resourceName } from '#infra/resource-name.ts';
import type { CallerSettings, EnvironmentSettings } from '#infra/settings.ts';
import { addLogGroup } from './service-function.ts';

/** Name of the function that calls, in metrics too. */
export function callerName(settings: EnvironmentSettings): string {
  return resourceName(settings, 'synthetic-caller');
}

export type CallerProps = {
  readonly settings: EnvironmentSettings;
  readonly caller: CallerSettings;
  readonly code: Code;
};

/** A function that calls the service from outside every five minutes, and one that receives its notification. */
export class SyntheticCaller extends Construct {
  constructor(scope: Construct, id: string, props: CallerProps) {
    super(scope, id);
    const { settings } = props;
    const name = callerName(settings);
    const caller = this.addFunction('Call', name, 60, props);
    const receiver = this.addFunction('Receive', `${name}-receiver`, 10, props);
    // A call without the signature of the service gets 401.
    const { url } = receiver.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
    new CfnOutput(Stack.of(this), 'ReceiverUrl', { value: url });
    const role = new Role(this, 'ScheduleRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
      inlinePolicies: { Scheduler: allow(['lambda:InvokeFunction'], functionArn(this, name)) },
    });
    new Schedule(this, 'Schedule', {
      description: 'Calls the service from outside',
      schedule: ScheduleExpression.rate(Duration.minutes(5)),
      timeWindow: TimeWindow.off(),
      target: {
        bind: () => ({
          arn: caller.functionArn,
          role,
          retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
        }),
      },
    });
  }

  private addFunction(id: string, functionName: string, seconds: number, props: CallerProps) {
    const { settings, caller, code } = props;
    const logGroup = addLogGroup(this, `${id}Logs`, settings);
    const role = new Role(this, `${id}Role`, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        Logs: allow(['logs:CreateLogStream', 'logs:PutLogEvents'], logGroup.logGroupArn),
        Secret: allow(['secretsmanager:GetSecretValue'], caller.secretArn),
      },
    });
    return new LambdaFunction(this, id, {
      functionName,
      description: 'Synthetic caller: acts as a partner',
      runtime: Runtime.NODEJS_24_X,
      architecture: settings.functions.architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
      handler: 'index.handler',
      code,
      memorySize: 256,
      timeout: Duration.seconds(seconds),
      environment: { CALLER_SECRET_ARN: caller.secretArn, NODE_OPTIONS: '--enable-source-maps' },
      role: role.withoutPolicyUpdates(),
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      // The next scheduled run is the retry.
      retryAttempts: 0,
    });
  }
}

function allow(actions: string[], resource: string): PolicyDocument {
  return new PolicyDocument({ statements: [new PolicyStatement({ actions, resources: [resource] })] });
}
