import { ArnFormat, Aws, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { authoritiesBucket } from '../authorities.ts';
import type { EnvironmentSettings } from '../settings.ts';

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

/** `relay-deliveries` and `createPayout` become `RelayDeliveries` and `CreatePayout`: part of logical ids. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
