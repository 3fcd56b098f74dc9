import { ArnFormat, CfnOutput, Duration, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import {
  AccountPrincipal,
  ManagedPolicy,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { resourceName } from '#infra/resource-name.ts';
import type { CopySettings, EnvironmentSettings } from '#infra/settings.ts';

/** Days that the account of the environment keeps its own backups: time to find out why a copy failed. */
const ownDays = 7;

/** Days in which a person may still undo the lock: AWS's minimum. */
const graceDays = 3;

/** Name of the locked vault, which the environment's account must know. */
const vaultName = (settings: EnvironmentSettings): string => resourceName(settings, 'copies');

/** Returns the environment's account and the copies' settings. @throws Error when the accounts are unset or equal */
function accountsOf({ name, target, data: { copies } }: EnvironmentSettings): {
  readonly own: string;
  readonly copies: CopySettings;
} {
  const own = target?.account;
  if (copies === undefined || own === undefined || own === copies.account)
    throw new Error(`Cannot copy the table of ${name}: data.copies.account and target.account must be set and differ.`);
  return { own, copies };
}

/** Creates a key that another account may use for copies of AWS Backup between the two. */
function sharedKey(scope: Construct, description: string, account: string): Key {
  const key = new Key(scope, 'Key', { description, enableKeyRotation: true, removalPolicy: RemovalPolicy.RETAIN });
  const principals = [new AccountPrincipal(account)];
  const use = ['kms:DescribeKey', 'kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*'];
  key.addToResourcePolicy(new PolicyStatement({ sid: 'Use', principals, actions: use, resources: ['*'] }));
  key.addToResourcePolicy(
    new PolicyStatement({
      sid: 'Grant',
      principals,
      actions: ['kms:CreateGrant'],
      resources: ['*'],
      conditions: { Bool: { 'kms:GrantIsForAWSResource': true } },
    }),
  );
  return key;
}

/** Lets another account put copies into a vault. */
function takesFrom(account: string): PolicyDocument {
  const statement = new PolicyStatement({
    sid: 'TakeCopies',
    principals: [new AccountPrincipal(account)],
    actions: ['backup:CopyIntoBackupVault'],
    resources: ['*'],
  });
  return new PolicyDocument({ statements: [statement] });
}

/** Creates the role that a person passes to AWS Backup for a job that no plan starts. */
function jobRole(scope: Construct, id: string, policy: string): void {
  const role = new Role(scope, id, {
    assumedBy: new ServicePrincipal('backup.amazonaws.com'),
    managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(`service-role/${policy}`)],
  });
  new CfnOutput(Stack.of(scope), `${id}RoleArn`, { value: role.roleArn });
}

/**
 * Backs the table up once a day and copies each backup into the locked vault of the other account. The vault of the
 * environment also takes a copy back: AWS Backup restores a table in the account that has the copy.
 */
export class TableCopies extends Construct {
  constructor(scope: Construct, id: string, settings: EnvironmentSettings, tableArn: string) {
    super(scope, id);
    const { copies } = accountsOf(settings);
    const stack = Stack.of(this);
    const vault = new BackupVault(this, 'Vault', {
      // The vault outlives its stack: with the stack's id, a later stack has another name.
      backupVaultName: `orders-${Fn.select(2, Fn.split('/', stack.stackId))}`,
      encryptionKey: sharedKey(this, 'Backups of the orders table', copies.account),
      accessPolicy: takesFrom(copies.account),
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const locked = stack.formatArn({
      service: 'backup',
      account: copies.account,
      ...(copies.region !== undefined && { region: copies.region }),
      resource: 'backup-vault',
      resourceName: vaultName(settings),
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    const plan = new BackupPlan(this, 'Plan', { backupPlanName: resourceName(settings, 'copies') });
    plan.addRule(
      new BackupPlanRule({
        ruleName: 'Daily',
        backupVault: vault,
        // At night in Brazil.
        scheduleExpression: Schedule.cron({ hour: '6', minute: '0' }),
        deleteAfter: Duration.days(ownDays),
        copyActions: [
          {
            destinationBackupVault: BackupVault.fromBackupVaultArn(this, 'Locked', locked),
            deleteAfter: Duration.days(copies.days),
          },
        ],
      }),
    );
    plan.addSelection('Table', { resources: [BackupResource.fromArn(tableArn)] });
    jobRole(this, 'Restore', 'AWSBackupServiceRolePolicyForRestores');
    new CfnOutput(stack, 'BackupVaultArn', { value: vault.backupVaultArn });
  }
}

/**
 * The vault of the other account, in the region of `data.copies.region`. From three days after its creation, no copy
 * can be deleted before its time, and the lock cannot be removed: not even by that account's root user, or by AWS.
 */
export class LockedVault extends Construct {
  constructor(scope: Construct, id: string, settings: EnvironmentSettings) {
    super(scope, id);
    const { own, copies } = accountsOf(settings);
    // CDK requires a maximum above the minimum.
    const [least, most] = [Duration.days(copies.days), Duration.days(copies.days + 1)];
    const vault = new BackupVault(this, 'Vault', {
      backupVaultName: vaultName(settings),
      encryptionKey: sharedKey(this, `Copies of the orders table of ${settings.name}`, own),
      accessPolicy: takesFrom(own),
      lockConfiguration: { minRetention: least, maxRetention: most, changeableFor: Duration.days(graceDays) },
      removalPolicy: RemovalPolicy.RETAIN,
    });
    jobRole(this, 'CopyBack', 'AWSBackupServiceRolePolicyForBackup');
    new CfnOutput(Stack.of(this), 'CopyVaultArn', { value: vault.backupVaultArn });
  }
}
