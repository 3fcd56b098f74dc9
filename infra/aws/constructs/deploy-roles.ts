import { Aws, CfnOutput, DefaultStackSynthesizer, Stack } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement, Role, WebIdentityPrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { EnvironmentSettings, PipelineSettings } from '#infra/settings.ts';
import { boundaryName, deployParts, statementOf } from './deploy-permissions.ts';

const issuer = 'token.actions.githubusercontent.com';

/** Services that the roles of the app use. Without IAM, no role can create another role or change the boundary. */
const boundedServices = [
  ...['apigateway', 'backup', 'backup-storage', 'cloudwatch', 'codedeploy', 'dynamodb', 'events', 'kms', 'lambda'],
  ...['logs', 's3', 'secretsmanager', 'ses', 'sns', 'sqs', 'tag', 'xray'],
];

/**
 * The role by which GitHub Actions releases an environment, and the policies that limit CloudFormation there.
 * `cdk bootstrap` gives CloudFormation these policies instead of those of an administrator. A person deploys this
 * construct once, because the release must not change its own rights.
 */
export class DeployRoles extends Construct {
  constructor(scope: Construct, id: string, settings: EnvironmentSettings, pipeline: PipelineSettings) {
    super(scope, id);
    const { name } = settings;
    new ManagedPolicy(this, 'Boundary', {
      // No description: its change would replace the policy, and the new policy could not have the same name.
      managedPolicyName: boundaryName(settings),
      statements: [
        new PolicyStatement({
          // Operators see when a stack was deployed, and nothing more of CloudFormation.
          actions: [...boundedServices.map((service) => `${service}:*`), 'cloudformation:DescribeStacks'],
          resources: ['*'],
        }),
      ],
    });
    const policies = Object.entries(deployParts(settings)).map(([part, statements]) => {
      const policy = new ManagedPolicy(this, `Deploy${part}`, {
        managedPolicyName: `banking-order-${name}-deploy-${part.toLowerCase()}`,
        statements: statements.map(statementOf),
      });
      return policy.managedPolicyArn;
    });
    const role = new Role(this, 'Releaser', {
      roleName: `banking-order-${name}-releaser`,
      description: 'Releases by GitHub Actions',
      assumedBy: githubEnvironment(pipeline, name),
    });
    role.addToPolicy(
      new PolicyStatement({
        sid: 'BecomeTheRolesOfTheBootstrap',
        actions: ['sts:AssumeRole'],
        resources: ['deploy-role', 'file-publishing-role'].map(bootstrapRole),
      }),
    );
    const stack = Stack.of(this);
    new CfnOutput(stack, 'ReleaserRoleArn', { value: role.roleArn });
    // As `cdk bootstrap --cloudformation-execution-policies` takes them.
    new CfnOutput(stack, 'ExecutionPolicies', { value: policies.join(',') });
  }
}

/** Returns the ARN of a role that `cdk bootstrap` created in this account and region. */
function bootstrapRole(role: string): string {
  const qualifier = DefaultStackSynthesizer.DEFAULT_QUALIFIER;
  return `arn:${Aws.PARTITION}:iam::${Aws.ACCOUNT_ID}:role/cdk-${qualifier}-${role}-${Aws.ACCOUNT_ID}-${Aws.REGION}`;
}

/** Returns the principal of jobs in the GitHub environment of this name, which start only after its approval. */
function githubEnvironment({ repository }: PipelineSettings, name: string): WebIdentityPrincipal {
  return new WebIdentityPrincipal(`arn:${Aws.PARTITION}:iam::${Aws.ACCOUNT_ID}:oidc-provider/${issuer}`, {
    StringEquals: {
      [`${issuer}:aud`]: 'sts.amazonaws.com',
      [`${issuer}:sub`]: `repo:${repository}:environment:${name}`,
    },
  });
}
