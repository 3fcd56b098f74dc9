import { LambdaIntegration } from 'aws-cdk-lib/aws-apigateway';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

/**
 * The role by which API Gateway calls these functions, and no others. A permission for each would be one more resource
 * a method, of the 500 that CloudFormation takes in a stack, and part of the function: where that is another stack's,
 * its rollback to a release without the permission would take it away, and the next release would not bring it back.
 */
export function addCallerRole(scope: Construct, arns: readonly string[]): Role {
  const invoke = new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [...new Set(arns)] });
  return new Role(scope, 'CallerRole', {
    assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
    inlinePolicies: { Functions: new PolicyDocument({ statements: [invoke] }) },
  });
}

/** Calls a function by the role, without a permission of its own. `id`: of the construct that stands for it. */
export function calledFunction(
  scope: Construct,
  id: string,
  { arn: functionArn, role }: { readonly arn: string; readonly role: IRole },
): LambdaIntegration {
  const permission = { functionArn, sameEnvironment: false, skipPermissions: true };
  const lambda = LambdaFunction.fromFunctionAttributes(scope, id, permission);
  return new LambdaIntegration(lambda, { allowTestInvoke: false, credentialsRole: role });
}
