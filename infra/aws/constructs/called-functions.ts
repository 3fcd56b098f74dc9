import { LambdaIntegration } from 'aws-cdk-lib/aws-apigateway';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

/**
 * Adds the role by which API Gateway calls these functions, and no others. Permissions of the functions would need one
 * more resource for each method, and CloudFormation takes 500 in a stack. A permission is also part of its function: if
 * the function is in another stack, a rollback of that stack to a release without the permission would remove it, and
 * the next release would not restore it.
 */
export function addCallerRole(scope: Construct, arns: readonly string[]): Role {
  const invoke = new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [...new Set(arns)] });
  return new Role(scope, 'CallerRole', {
    assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
    inlinePolicies: { Functions: new PolicyDocument({ statements: [invoke] }) },
  });
}

/** Returns the integration that calls a function by the role. @param id of the construct that refers to the function */
export function calledFunction(
  scope: Construct,
  id: string,
  { arn: functionArn, role }: { readonly arn: string; readonly role: IRole },
): LambdaIntegration {
  const permission = { functionArn, sameEnvironment: false, skipPermissions: true };
  const lambda = LambdaFunction.fromFunctionAttributes(scope, id, permission);
  return new LambdaIntegration(lambda, { allowTestInvoke: false, credentialsRole: role });
}
