import { ArnFormat, Aws, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { authoritiesBucket } from '../authorities.ts';
import type { EnvironmentSettings } from '../settings.ts';

/**
 * Returns the name of a function or a queue. Alarms and roles know the name before anything is deployed. A reference
 * would fix the order of the deployment, and an export would keep the function as long as an alarm watches it.
 */
export function resourceName({ name }: Pick<EnvironmentSettings, 'name'>, suffix: string): string {
  return `banking-order-${name}-${suffix}`;
}

/** The bucket of the banks' authorities, of the account and region that a stack is deployed to. */
export function authoritiesBucketName({ name }: Pick<EnvironmentSettings, 'name'>): string {
  return authoritiesBucket(name, Aws.ACCOUNT_ID, Aws.REGION);
}

/** ARN of a function by its name, in the account and region of the construct's stack. */
export function functionArn(scope: IConstruct, resourceName: string): string {
  const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
  return Stack.of(scope).formatArn({ service: 'lambda', resource: 'function', resourceName, arnFormat });
}

/** ARN of a queue by its name, in the account and region of the construct's stack. */
export function queueArn(scope: IConstruct, resource: string): string {
  return Stack.of(scope).formatArn({ service: 'sqs', resource });
}

/** Alias of the version that callers reach, where a function has versions. */
export const liveAlias = 'live';
