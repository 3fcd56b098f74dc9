import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { EnvironmentSettings } from '../settings.ts';

/**
 * A log group that ends, and outlives its stack where data is protected; a first deployment that fails takes it along, so
 * that the next one does not meet it.
 *
 * @param name Only where a service asks for a certain one.
 */
export function endingLogGroup(scope: Construct, id: string, settings: EnvironmentSettings, name?: string): LogGroup {
  return new LogGroup(scope, id, {
    ...(name !== undefined && { logGroupName: name }),
    retention: settings.logs.retention,
    removalPolicy: settings.data.protected ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
}
