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
import type { EnvironmentSettings } from '#infra/settings.ts';
import type { EnvName } from '#shared/platform/env.ts';

type ServiceFunctionProps = {
  readonly settings: EnvironmentSettings;
  readonly description: string;
  readonly code: Code;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  readonly variables: Readonly<Partial<Record<EnvName, string>>>;
  /** The whole policy beside logs and traces; nothing that is wired later adds to it. */
  readonly statements: readonly PolicyStatement[];
  /** Called by EventBridge Scheduler: a failed run is not repeated, the next one is. */
  readonly scheduled: boolean;
};

/**
 * A Lambda function like all of this service: Node 24 from an ESM bundle, a log group whose entries expire, traces, and
 * a role of its own whose policy is written here in full.
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
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: settings.functions.architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
      handler: 'index.handler',
      code: props.code,
      memorySize: props.memoryMb,
      timeout: Duration.seconds(props.timeoutSeconds),
      environment: { ...props.variables, NODE_OPTIONS: '--enable-source-maps' },
      role: role.withoutPolicyUpdates(),
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      ...(settings.logs.platform === 'failures' && { systemLogLevelV2: SystemLogLevel.WARN }),
      tracing: Tracing.ACTIVE,
      ...(props.scheduled && { retryAttempts: 0, maxEventAge: Duration.minutes(1) }),
    });
  }
}

/** What every function needs to run: its own log group, and X-Ray, whose actions know no resources. */
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
 * Adds a log group whose entries expire. It outlives its stack where data is protected; a first deployment that fails
 * takes it along, so that its name is free for the next one.
 *
 * @param name Only where a service asks for a certain one.
 */
export function addLogGroup(scope: Construct, id: string, settings: EnvironmentSettings, name?: string): LogGroup {
  return new LogGroup(scope, id, {
    ...(name !== undefined && { logGroupName: name }),
    retention: RetentionDays[settings.logs.retention],
    removalPolicy: settings.data.protected ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
}
