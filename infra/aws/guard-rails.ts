import type { App } from 'aws-cdk-lib';
import { Stack, Stage, Token, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { IApplyRule } from 'cdk-nag';
import { AwsSolutionsChecks } from 'cdk-nag';

/** An accepted finding of cdk-nag. */
type Acknowledgement = {
  /**
   * The finding. Without its part in brackets it stands for the finding with any part, since the text of a part differs
   * by environment. `<secret>` is the beginning of the ARN of the environment's secrets.
   */
  readonly finding: string;
  /** Paths of the constructs that have the finding. */
  readonly where: RegExp;
  readonly reason: string;
};

const codeDeploy = 'arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited';
const backups = 'arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyFor';
const logWriter = 'arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs';

export const acknowledgements: readonly Acknowledgement[] = [
  {
    finding: 'AwsSolutions-IAM5[Resource::*]',
    where: /\/Service\/\w+\/Role\/Resource$/,
    reason:
      'These actions have no resources: traces (xray:Put…), dynamodb:ListStreams of a function that reads a stream, and sns:Publish to a phone. The tests name them.',
  },
  {
    finding: 'AwsSolutions-IAM5[Resource::<secret>bank/*]',
    where: /\/(Service\/\w+\/Role|Operators\/Operator)\/Resource$/,
    reason:
      'The secrets of the companies’ banks, which operators create; test/infra/functions.test.ts lists the functions that read them.',
  },
  {
    finding: 'AwsSolutions-IAM5',
    where: /\/Service\/SendKeyCodes\w*\/Role\/Resource$/,
    reason:
      'In its sandbox Amazon SES also checks the identity of the receiver and the configuration set of an identity; the condition on the sender address limits the permission.',
  },
  {
    finding: `AwsSolutions-IAM4[Policy::${logWriter}]`,
    where: /\/PartnerApi\/Api\/CloudWatchRole\/Resource$/,
    reason: 'The account role of API Gateway needs exactly this managed policy of AWS.',
  },
  {
    finding: 'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:apigateway:<AWS::Region>::/usageplans/*/keys]',
    where: /\/Operators\/(Operator|Restorer)\/Resource$/,
    reason: 'Operators add companies to the usage plan of any stack: its id is known only after the deployment.',
  },
  {
    finding: 'AwsSolutions-IAM5',
    where: /\/Operators\/Operator\/Resource$/,
    reason:
      'The ARN of a stack ends with an id that CloudFormation chooses; test/infra/operator-role.test.ts checks the rest.',
  },
  {
    finding: 'AwsSolutions-IAM5',
    where: /\/Operators\/Restorer\/Resource$/,
    reason: 'The operator names a restored table after the current one: the role allows names with this prefix.',
  },
  {
    finding: 'AwsSolutions-IAM5',
    where: /^\w+Pipeline\/Roles\/Deploy\/(Boundary|Deploy\w+)\/Resource$/,
    reason:
      'Resources of a release have no ARN before the release creates them; test/infra/deploy-roles.test.ts checks each action.',
  },
  {
    finding: `AwsSolutions-IAM4[Policy::${codeDeploy}]`,
    where: /\/Service\/Live\/Role\/Resource$/,
    reason:
      'The managed policy of AWS for deployments of functions by CodeDeploy, without the permission to publish to topics.',
  },
  {
    finding: `AwsSolutions-IAM4[Policy::${backups}Backup]`,
    where: /\/(Data\/Copies\/Plan\/Table\/Role|Vault\/Locked\/CopyBack)\/Resource$/,
    reason: 'The managed policy of AWS for copies by AWS Backup. AWS keeps it up to date.',
  },
  {
    finding: `AwsSolutions-IAM4[Policy::${backups}Restores]`,
    where: /\/Data\/Copies\/Restore\/Resource$/,
    reason: 'The managed policy of AWS for restores by AWS Backup. AWS keeps it up to date.',
  },
  {
    finding: 'AwsSolutions-SQS3',
    where: /\/(Queues\/RelayFailures|Schedules\/Failures)\/Resource$/,
    reason: 'These queues are dead-letter queues themselves: of an event source and of schedules.',
  },
  {
    finding: 'AwsSolutions-SQS3',
    where: /\/Queues\/Drains\/Resource$/,
    reason: 'A message only requests a drain: the sweep finds every drain that did not begin in the table.',
  },
  {
    finding: 'AwsSolutions-SQS3',
    where: /\/DueQueues\/\w+\/Resource$/,
    reason: 'The index has every due job until it is done: the schedule sends a lost one again.',
  },
  {
    finding: 'AwsSolutions-APIG2',
    where: /\/PartnerApi\/Api\/Resource$/,
    reason: 'The function validates requests by the contract and reports all invalid fields together.',
  },
  {
    finding: 'AwsSolutions-COG4',
    where: /\/PartnerApi\/Api\/Default\/.+\/(GET|POST|PUT|PATCH|DELETE)\/Resource$/,
    reason: 'Tokens come from any OIDC issuer; a Lambda authorizer checks them.',
  },
  ...['AwsSolutions-APIG4', 'AwsSolutions-COG4'].map((finding) => ({
    finding,
    where: /\/Callbacks\/Callbacks\/Api\/Default\/.+\/POST\/Resource$/,
    reason:
      'Banks have no tokens: the domain checks their client certificate, and the function checks its subject and the path.',
  })),
  {
    finding: 'AwsSolutions-APIG2',
    where: /\/Callbacks\/Callbacks\/Api\/Resource$/,
    reason: 'The function parses a body leniently and reads only ids: it ignores other content.',
  },
  {
    finding: 'AwsSolutions-APIG3',
    where: /\/Callbacks\/Callbacks\/Api\/DeploymentStage\.\w+\/Resource$/,
    reason:
      'Every request needs a client certificate of a bank; the stage and the function limit the number of requests.',
  },
  {
    finding: 'AwsSolutions-APIG6',
    where: /\/Callbacks\/Callbacks\/Api\/DeploymentStage\.\w+\/Resource$/,
    reason: 'Execution logs contain the path with the token. The access log has every outcome.',
  },
  {
    finding: 'AwsSolutions-S1',
    where: /\/Data\/Signing\/Roots\/Resource$/,
    reason: 'The bucket holds signed roots, which say nothing of an account; nobody can change or delete one.',
  },
  {
    finding: 'AwsSolutions-IAM5',
    where: /\/Service\/ChainEntries\w*\/Role\/Resource$/,
    reason: 'The function puts an object for each minute into the bucket of roots, and can do nothing else there.',
  },
  {
    finding: 'AwsSolutions-S1',
    where: /\/Callbacks\/Callbacks\/Authorities\/Resource$/,
    reason: 'The bucket holds public certificates; its versions record each change, and CloudTrail records the caller.',
  },
  {
    finding: 'AwsSolutions-SQS3',
    where: /\/BankQueues\/Failures\/Resource$/,
    reason: 'This queue is a dead-letter queue itself.',
  },
  {
    finding: 'AwsSolutions-APIG3',
    where: /^Local\/Service\/PartnerApi\/Api\/DeploymentStage\.local\/Resource$/,
    reason: 'Only the local machine can reach the local environment.',
  },
];

/** The AWS Solutions rules. A finding without its part in brackets is acknowledged here with all parts. */
class Checks extends AwsSolutionsChecks {
  protected override applyRule(params: IApplyRule): void {
    const finding = `${this.packName}-${params.ruleSuffixOverride ?? params.rule.name}`;
    const { path } = params.node.node;
    if (
      !acknowledgements.some(
        (acknowledgement) => acknowledgement.finding === finding && acknowledgement.where.test(path),
      )
    )
      super.applyRule(params);
  }
}

/** Makes the synthesis fail on any other finding of the AWS Solutions rules. */
export function addGuardRails(app: App): void {
  Validations.of(app).addPlugins(new Checks(app));
  for (const construct of app.node.findAll())
    for (const { finding, where, reason } of acknowledgements)
      if (where.test(construct.node.path))
        Validations.of(construct).acknowledge({ id: `AwsSolutions::${resolveFinding(construct, finding)}`, reason });
}

/** Returns a finding as cdk-nag writes it, with the region and account of the stack or their placeholders. */
function resolveFinding(construct: IConstruct, finding: string): string {
  if (!finding.includes('<secret>')) return finding;
  const { region, account } = Stack.of(construct);
  const [partition, place] = Token.isUnresolved(region) ? ['<AWS::Partition>', '<AWS::Region>'] : ['aws', region];
  const owner = Token.isUnresolved(account) ? '<AWS::AccountId>' : account;
  const environment = Stage.of(construct)?.stageName.toLowerCase() ?? '';
  return finding.replace(
    '<secret>',
    `arn:${partition}:secretsmanager:${place}:${owner}:secret:banking-order/${environment}/`,
  );
}
