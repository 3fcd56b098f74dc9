import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import {
  Architecture,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { resourceName } from '#infra/resource-name.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import type { EnvName } from '#shared/platform/env.ts';

type ServiceFunctionProps = {
  readonly settings: EnvironmentSettings;
  /** Its name in its environment. */
  readonly name: string;
  readonly description: string;
  readonly code: Code;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  /** Executions that only it may use, and its maximum. */
  readonly reserved: number | undefined;
  readonly variables: Readonly<Partial<Record<EnvName, string>>>;
  /** The whole policy beside logs and traces; event sources add nothing to it. */
  readonly statements: readonly PolicyStatement[];
  /** The partners' API calls the function, and decides for each request whether it is traced. */
  readonly calledByApi: boolean;
  /** EventBridge Scheduler calls it. A failed run is not repeated: the next run is the retry. */
  readonly scheduled: boolean;
};

/** A failed run is not repeated: the next one is the retry. */
export const scheduledCalls = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };

/**
 * A Lambda function: Node 24, an ESM bundle, a log group that expires, traces of what the API samples, and a role of
 * its own.
 */
export class ServiceFunction extends Construct {
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const { settings } = props;
    const logGroup = addLogGroup(this, 'Logs', settings);
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        Function: new PolicyDocument({ statements: [...runStatements(logGroup), ...props.statements] }),
      },
    });
    this.lambda = new LambdaFunction(this, 'Function', {
      functionName: resourceName(settings, props.name),
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: settings.functions.architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
      handler: 'index.handler',
      code: props.code,
      memorySize: props.memoryMb,
      timeout: Duration.seconds(props.timeoutSeconds),
      ...(props.reserved !== undefined && { reservedConcurrentExecutions: props.reserved }),
      environment: { ...props.variables, NODE_OPTIONS: '--enable-source-maps' },
      role: role.withoutPolicyUpdates(),
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      ...(settings.logs.platform === 'failures' && { systemLogLevelV2: SystemLogLevel.WARN }),
      // Lambda itself would trace one unsampled invocation a second: nearly every one of queues, streams and schedules.
      tracing: props.calledByApi ? Tracing.ACTIVE : Tracing.PASS_THROUGH,
      ...(props.scheduled && scheduledCalls),
    });
  }
}

/** Its own log group, and X-Ray, whose actions have no resources. */
function runStatements(logGroup: LogGroup): PolicyStatement[] {
  return [
    new PolicyStatement({
      sid: 'Logs',
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    }),
    new PolicyStatement({
      sid: 'Traces',
      actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
      resources: ['*'],
    }),
  ];
}

/**
 * Adds a log group whose entries expire. Where data is protected the group outlives its stack. If its first deployment
 * fails, CloudFormation deletes the group: the next deployment needs its name.
 * @param name Only for a service that requires one.
 */
export function addLogGroup(scope: Construct, id: string, settings: EnvironmentSettings, name?: string): LogGroup {
  return new LogGroup(scope, id, {
    ...(name !== undefined && { logGroupName: name }),
    retention: RetentionDays[settings.logs.retention],
    removalPolicy: settings.data.protected ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
}
