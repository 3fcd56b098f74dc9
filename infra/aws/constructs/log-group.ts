import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { EnvironmentSettings } from '#infra/settings.ts';

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
