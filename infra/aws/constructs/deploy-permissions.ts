import { Aws } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { pascalCase } from '#infra/aws/names.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';

/** Actions that CloudFormation may take on some types of resources, and their ARNs. */
type Part = {
  readonly sid: string;
  readonly types: readonly string[];
  readonly actions: readonly string[];
  /** ARNs without `arn:<partition>:`; `*` for a resource without an ARN, or without one before it is created. */
  readonly on: readonly string[];
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

const actionsOf = (service: string, names: string): readonly string[] =>
  names.split(' ').map((name) => `${service}:${name}`);

/** Services that take a role of the app. */
const roleTakers = ['lambda', 'scheduler', 'apigateway', 'codedeploy', 'backup'].map((name) => `${name}.amazonaws.com`);

/** Services that create their own role when an account first has a key, counts, scaling, a domain or backups. */
const ownRoles = [
  'mrk.kms',
  'contributorinsights.dynamodb',
  'dynamodb.application-autoscaling',
  'ops.apigateway',
  'backup',
].map((name) => `${name}.amazonaws.com`);

/** Name of the policy that bounds every role of an environment. */
export const boundaryName = ({ name }: { readonly name: string }): string => `banking-order-${name}-boundary`;

/** How the resources of an environment are named. */
type Names = {
  readonly name: string;
  /** Prefix of the stacks, and of the resources that CloudFormation names after them. */
  readonly stage: string;
  /** Pattern of the names that the app itself gives. */
  readonly own: string;
  readonly here: (service: string, resource: string) => string;
  readonly iam: (resource: string) => string;
};

function namesOf({ name }: EnvironmentSettings): Names {
  return {
    name,
    stage: pascalCase(name),
    own: `banking-order-${name}-*`,
    here: (service, resource) => `${service}:${Aws.REGION}:${Aws.ACCOUNT_ID}:${resource}`,
    iam: (resource) => `iam::${Aws.ACCOUNT_ID}:${resource}`,
  };
}

/** The table, its keys and copies. */
function dataParts({ name, stage, here }: Names): readonly Part[] {
  const tagged = (key: 'ResourceTag' | 'RequestTag') => ({ StringEquals: { [`aws:${key}/environment`]: name } });
  return [
    {
      sid: 'Tables',
      types: ['AWS::DynamoDB::GlobalTable'],
      on: [here('dynamodb', `table/${stage}-*`)],
      actions: actionsOf(
        'dynamodb',
        'CreateTable CreateTableReplica DeleteTable Describe* UpdateTable UpdateTimeToLive UpdateContinuousBackups ' +
          'UpdateContributorInsights UpdateTableReplicaAutoScaling ListTagsOfResource TagResource UntagResource ' +
          'GetResourcePolicy PutResourcePolicy DeleteResourcePolicy',
      ),
    },
    {
      sid: 'Scaling',
      types: [],
      on: ['*'],
      actions: actionsOf(
        'application-autoscaling',
        'RegisterScalableTarget DeregisterScalableTarget PutScalingPolicy DeleteScalingPolicy Describe*',
      ),
    },
    {
      sid: 'NewKeys',
      types: ['AWS::KMS::Key'],
      on: ['*'],
      conditions: tagged('RequestTag'),
      actions: actionsOf('kms', 'CreateKey TagResource'),
    },
    {
      sid: 'Keys',
      types: [],
      on: [here('kms', 'key/*')],
      conditions: tagged('ResourceTag'),
      actions: actionsOf(
        'kms',
        'DescribeKey EnableKeyRotation DisableKeyRotation GetKeyPolicy PutKeyPolicy GetKeyRotationStatus ' +
          'ListResourceTags UntagResource ScheduleKeyDeletion UpdateKeyDescription CreateGrant',
      ),
    },
    {
      sid: 'Roots',
      types: [],
      // CloudFormation names the bucket: the next deployment of an environment that ended finds its name free.
      on: [`s3:::${stage.toLowerCase()}-data-*`],
      actions: actionsOf('s3', 'CreateBucket GetBucket* PutBucket* *EncryptionConfiguration ListBucket'),
    },
    {
      sid: 'Backups',
      types: ['AWS::Backup::BackupVault', 'AWS::Backup::BackupPlan', 'AWS::Backup::BackupSelection'],
      on: ['*'],
      actions: [
        ...actionsOf(
          'backup',
          'CreateBackupVault DeleteBackupVault DescribeBackupVault PutBackupVaultAccessPolicy GetBackupVaultAccessPolicy ' +
            'DeleteBackupVaultAccessPolicy CreateBackupPlan UpdateBackupPlan DeleteBackupPlan GetBackupPlan ' +
            'CreateBackupSelection DeleteBackupSelection GetBackupSelection ListTags TagResource UntagResource',
        ),
        'backup-storage:MountCapsule',
      ],
    },
  ];
}

/** Roles of the environment, each within the boundary. */
function rolesParts({ name, stage, iam }: Names): readonly Part[] {
  const bounded = `arn:${Aws.PARTITION}:${iam(`policy/${boundaryName({ name })}`)}`;
  return [
    {
      sid: 'NewRoles',
      types: ['AWS::IAM::Role'],
      on: [iam(`role/${stage}-*`)],
      // A role without the boundary could get any permission.
      actions: actionsOf(
        'iam',
        'CreateRole AttachRolePolicy DetachRolePolicy PutRolePolicy PutRolePermissionsBoundary',
      ),
      conditions: { StringEquals: { 'iam:PermissionsBoundary': bounded } },
    },
    {
      sid: 'Roles',
      types: [],
      on: [iam(`role/${stage}-*`)],
      actions: actionsOf(
        'iam',
        'GetRole DeleteRole UpdateRole UpdateRoleDescription UpdateAssumeRolePolicy GetRolePolicy DeleteRolePolicy ' +
          'ListRolePolicies ListAttachedRolePolicies TagRole UntagRole ListRoleTags',
      ),
    },
    {
      sid: 'PassRoles',
      types: [],
      on: [iam(`role/${stage}-*`)],
      actions: ['iam:PassRole'],
      conditions: { StringEquals: { 'iam:PassedToService': roleTakers } },
    },
    {
      sid: 'ServiceRoles',
      types: [],
      on: [iam('role/aws-service-role/*')],
      actions: ['iam:CreateServiceLinkedRole'],
      conditions: { StringEquals: { 'iam:AWSServiceName': ownRoles } },
    },
  ];
}

/** Functions, and what calls them. */
function functionsParts({ stage, own, here }: Names): readonly Part[] {
  return [
    {
      sid: 'Functions',
      types: ['Function', 'Version', 'Alias', 'Permission', 'EventInvokeConfig', 'Url'].map(
        (resourceType) => `AWS::Lambda::${resourceType}`,
      ),
      on: [here('lambda', `function:${own}`)],
      actions: actionsOf(
        'lambda',
        'CreateFunction DeleteFunction GetFunction* UpdateFunction* PutFunction* DeleteFunction* ListVersionsByFunction ' +
          'PublishVersion CreateAlias UpdateAlias DeleteAlias GetAlias GetPolicy AddPermission RemovePermission ' +
          'GetProvisionedConcurrencyConfig PutProvisionedConcurrencyConfig DeleteProvisionedConcurrencyConfig ' +
          'CreateFunctionUrlConfig GetRuntimeManagementConfig ListTags TagResource UntagResource',
      ),
    },
    {
      sid: 'EventSources',
      types: ['AWS::Lambda::EventSourceMapping'],
      on: ['*'],
      actions: actionsOf(
        'lambda',
        'CreateEventSourceMapping UpdateEventSourceMapping DeleteEventSourceMapping GetEventSourceMapping',
      ),
    },
    {
      sid: 'Code',
      types: [],
      on: [`s3:::cdk-*-assets-${Aws.ACCOUNT_ID}-${Aws.REGION}/*`],
      actions: ['s3:GetObject'],
    },
    {
      sid: 'BootstrapVersion',
      types: [],
      on: [here('ssm', 'parameter/cdk-bootstrap/*')],
      actions: ['ssm:GetParameters'],
    },
    {
      sid: 'Queues',
      types: ['AWS::SQS::Queue', 'AWS::SQS::QueuePolicy'],
      on: [here('sqs', own)],
      actions: actionsOf(
        'sqs',
        'CreateQueue DeleteQueue GetQueueAttributes SetQueueAttributes GetQueueUrl ListQueueTags TagQueue UntagQueue',
      ),
    },
    {
      sid: 'Schedules',
      types: ['AWS::Scheduler::Schedule'],
      on: [here('scheduler', `schedule/default/${stage}-*`)],
      actions: actionsOf('scheduler', 'CreateSchedule UpdateSchedule DeleteSchedule GetSchedule'),
    },
    {
      sid: 'Releases',
      types: ['AWS::CodeDeploy::Application', 'AWS::CodeDeploy::DeploymentGroup'],
      on: ['*'],
      actions: actionsOf(
        'codedeploy',
        'CreateApplication UpdateApplication DeleteApplication GetApplication CreateDeploymentGroup UpdateDeploymentGroup ' +
          'DeleteDeploymentGroup GetDeploymentGroup CreateDeployment GetDeployment GetDeploymentConfig ' +
          'RegisterApplicationRevision StopDeployment ListTagsForResource TagResource UntagResource',
      ),
    },
  ];
}

/** The API, firewall, logs, traces, and the banks' authorities, which the creator of the API's domain must read. */
function edgeParts({ here, own }: Names): readonly Part[] {
  return [
    {
      sid: 'Authorities',
      types: ['AWS::S3::Bucket', 'AWS::S3::BucketPolicy'],
      on: [`s3:::${own}`],
      actions: actionsOf(
        's3',
        'CreateBucket GetBucket* PutBucket* DeleteBucketPolicy *EncryptionConfiguration ListBucket GetObject*',
      ),
    },
    {
      sid: 'Api',
      types: [
        ...['RestApi', 'Account', 'Deployment', 'Stage', 'Resource', 'Method', 'GatewayResponse', 'UsagePlan'],
        ...['Authorizer', 'DomainName', 'BasePathMapping'],
      ].map((resourceType) => `AWS::ApiGateway::${resourceType}`),
      on: [`apigateway:${Aws.REGION}::/*`],
      actions: actionsOf(
        'apigateway',
        'GET POST PUT PATCH DELETE SetWebACL AddCertificateToDomain RemoveCertificateFromDomain',
      ),
    },
    {
      sid: 'Firewall',
      types: ['AWS::WAFv2::WebACL', 'AWS::WAFv2::WebACLAssociation', 'AWS::WAFv2::LoggingConfiguration'],
      on: ['*'],
      actions: actionsOf(
        'wafv2',
        'CreateWebACL UpdateWebACL DeleteWebACL GetWebACL AssociateWebACL DisassociateWebACL GetWebACLForResource ' +
          'PutLoggingConfiguration GetLoggingConfiguration DeleteLoggingConfiguration ListTagsForResource TagResource ' +
          'UntagResource',
      ),
    },
    {
      sid: 'LogGroups',
      types: ['AWS::Logs::LogGroup'],
      on: [here('logs', 'log-group:*')],
      actions: actionsOf(
        'logs',
        'CreateLogGroup DeleteLogGroup PutRetentionPolicy DeleteRetentionPolicy ListTagsForResource TagResource ' +
          'UntagResource',
      ),
    },
    {
      // API Gateway and the firewall need these when a log destination is set.
      sid: 'LogDelivery',
      types: [],
      on: ['*'],
      actions: actionsOf(
        'logs',
        'CreateLogDelivery UpdateLogDelivery DeleteLogDelivery GetLogDelivery ListLogDeliveries DescribeIndexPolicies ' +
          'DescribeLogGroups DescribeResourcePolicies PutResourcePolicy',
      ),
    },
    {
      sid: 'Traces',
      types: ['AWS::XRay::SamplingRule'],
      on: ['*'],
      actions: actionsOf(
        'xray',
        'CreateSamplingRule UpdateSamplingRule DeleteSamplingRule GetSamplingRules ListTagsForResource TagResource UntagResource',
      ),
    },
  ];
}

/** Permissions for alarms and their recipients. */
function watchingParts({ name, stage, here }: Names): readonly Part[] {
  return [
    {
      sid: 'Alarms',
      types: ['AWS::CloudWatch::Alarm'],
      on: [here('cloudwatch', `alarm:${stage}-*`)],
      actions: actionsOf('cloudwatch', 'PutMetricAlarm DeleteAlarms ListTagsForResource TagResource UntagResource'),
    },
    {
      sid: 'CompositeAlarms',
      types: ['AWS::CloudWatch::CompositeAlarm'],
      // CloudWatch takes these actions on composite alarms from a statement on `*` alone.
      on: ['*'],
      actions: actionsOf('cloudwatch', 'PutCompositeAlarm DescribeAlarms'),
    },
    {
      sid: 'Dashboards',
      types: ['AWS::CloudWatch::Dashboard'],
      on: [`cloudwatch::${Aws.ACCOUNT_ID}:dashboard/banking-order-${name}`],
      actions: actionsOf('cloudwatch', 'PutDashboard GetDashboard DeleteDashboards'),
    },
    {
      sid: 'Topics',
      types: ['AWS::SNS::Topic', 'AWS::SNS::TopicPolicy', 'AWS::SNS::Subscription'],
      on: [here('sns', `${stage}-*`)],
      actions: actionsOf(
        'sns',
        'CreateTopic DeleteTopic GetTopicAttributes SetTopicAttributes Subscribe ListSubscriptionsByTopic ' +
          'GetDataProtectionPolicy ListTagsForResource TagResource UntagResource',
      ),
    },
    {
      // The ARN of a subscription begins with that of its topic, but IAM does not grant these actions on it.
      sid: 'Subscriptions',
      types: [],
      on: ['*'],
      actions: actionsOf('sns', 'GetSubscriptionAttributes Unsubscribe'),
    },
    {
      sid: 'Budgets',
      types: ['AWS::Budgets::Budget'],
      on: [`budgets::${Aws.ACCOUNT_ID}:budget/banking-order-${name}-*`],
      actions: actionsOf('budgets', 'ViewBudget ModifyBudget ListTagsForResource TagResource UntagResource'),
    },
    {
      sid: 'Events',
      types: ['AWS::Events::Rule'],
      on: [here('events', `rule/${stage}-*`)],
      actions: actionsOf(
        'events',
        'PutRule DeleteRule DescribeRule PutTargets RemoveTargets ListTargetsByRule ListTagsForResource TagResource UntagResource',
      ),
    },
  ];
}

/** Returns the permissions of a release by policy: each fits into one IAM policy. */
export function deployParts(settings: EnvironmentSettings): Readonly<Record<string, readonly Part[]>> {
  const names = namesOf(settings);
  return {
    Data: dataParts(names),
    Roles: rolesParts(names),
    Functions: functionsParts(names),
    Edge: edgeParts(names),
    Watching: watchingParts(names),
  };
}

/** Statements of a part. */
export function statementOf({ sid, actions, on, conditions = {} }: Part): PolicyStatement {
  const resources = on.map((resource) => (resource === '*' ? resource : `arn:${Aws.PARTITION}:${resource}`));
  return new PolicyStatement({ sid, actions: [...actions], resources, conditions });
}
