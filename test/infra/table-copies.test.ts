import { describe, expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import { all, only, synthesize } from './synthesized.ts';

const own = '111111111111';
const other = '222222222222';
const hml: EnvironmentSettings = {
  ...environments.hml,
  target: { region: 'sa-east-1', account: own },
  data: { ...environments.hml.data, copies: { account: other, days: 35 } },
  alarms: { email: 'on-call@banco.example' },
};
const stacks = synthesize({ environments: ['hml'], settings: { hml } });
const data = stacks('Hml-Data');
const locked = stacks('HmlCopies-Vault');
const accountsIn = (value: unknown): readonly string[] => [
  ...new Set(JSON.stringify(value).match(/\b(?:1{12}|2{12})\b/gu)),
];

describe('without an account for copies', () => {
  test('no environment has a plan, a vault or a stage of another account', () => {
    const plain = synthesize();
    expect(plain.names.filter((name) => name.includes('Copies'))).toEqual([]);
    for (const name of plain.names) expect(plain(name).text).not.toContain('AWS::Backup::');
  });
});

describe('the table of an environment with copies', () => {
  test('is backed up daily, and copied into the vault of the other account, where its days are those of the lock', () => {
    const plan = only(data, 'AWS::Backup::BackupPlan').Properties['BackupPlan'];
    expect(plan.BackupPlanRule).toHaveLength(1);
    const [rule] = plan.BackupPlanRule;
    expect(rule.ScheduleExpression).toBe('cron(0 6 * * ? *)');
    expect(rule.Lifecycle).toEqual({ DeleteAfterDays: 7 });
    expect(rule.CopyActions).toHaveLength(1);
    expect(rule.CopyActions[0].Lifecycle).toEqual({ DeleteAfterDays: 35 });
    expect(JSON.stringify(rule.CopyActions[0].DestinationBackupVaultArn)).toContain(
      `:backup:sa-east-1:${other}:backup-vault:${String(only(locked, 'AWS::Backup::BackupVault').Properties['BackupVaultName'])}`,
    );
  });

  test('is the only resource that is backed up', () => {
    const selection = only(data, 'AWS::Backup::BackupSelection').Properties['BackupSelection'];
    const table = only(data, 'AWS::DynamoDB::GlobalTable').id;
    expect(selection.Resources).toEqual([{ 'Fn::GetAtt': [table, 'Arn'] }]);
    expect(selection.ListOfTags ?? []).toEqual([]);
  });

  test('is still backed up when a restored one has taken its place', () => {
    const restored = { tableName: 'Hml-restored', streamLabel: '2026-01-15T12:00:00.000' };
    const settings = { ...hml, data: { ...hml.data, restored } };
    const after = synthesize({ environments: ['hml'], settings: { hml: settings } })('Hml-Data');
    const selection = only(after, 'AWS::Backup::BackupSelection').Properties['BackupSelection'];
    expect(JSON.stringify(selection.Resources)).toContain('table/Hml-restored');
  });

  test('has a vault that takes a copy back, and that outlives its stack', () => {
    const vault = only(data, 'AWS::Backup::BackupVault');
    expect(vault).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(accountsIn(vault.Properties['AccessPolicy'])).toEqual([other]);
    expect(JSON.stringify(vault.Properties['BackupVaultName'])).toContain('AWS::StackId');
    expect(vault.Properties['LockConfiguration']).toBeUndefined();
  });

  test('sends a message with a link to the runbook when a backup or a copy fails', () => {
    const rule = only(stacks('Hml-Monitoring'), 'AWS::Events::Rule').Properties;
    expect(rule['EventPattern']).toMatchObject({
      source: ['aws.backup'],
      'detail-type': ['Backup Job State Change', 'Copy Job State Change'],
      detail: { resourceType: ['DynamoDB'] },
    });
    expect(JSON.stringify(rule['Targets'])).toContain('docs/runbook.md#copies-failed');
    expect(stacks('Hml-Monitoring').text).toContain('events.amazonaws.com');
  });
});

describe('the locked vault', () => {
  const vault = only(locked, 'AWS::Backup::BackupVault');

  test('is of the other account, and cannot be destroyed with its stack', () => {
    expect(locked.terminationProtection).toBe(true);
    expect(vault).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });

  test('keeps each copy for 35 to 36 days, and its lock is permanent after three days', () => {
    expect(vault.Properties['LockConfiguration']).toEqual({
      MinRetentionDays: 35,
      MaxRetentionDays: 36,
      ChangeableForDays: 3,
    });
  });

  test('accepts copies from the account of the environment, and allows it no other action', () => {
    const { AccessPolicy } = vault.Properties;
    expect(accountsIn(AccessPolicy)).toEqual([own]);
    const statements = AccessPolicy.Statement as readonly { readonly Action: unknown }[];
    expect(statements.map(({ Action }) => Action)).toEqual(['backup:CopyIntoBackupVault']);
  });

  test.each([
    ['Hml-Data', other],
    ['HmlCopies-Vault', own],
  ])('in %s is encrypted by a key that the other account may use and not administer', (name, account) => {
    const stack = stacks(name);
    const used = JSON.stringify(only(stack, 'AWS::Backup::BackupVault').Properties['EncryptionKeyArn']);
    const key = all(stack, 'AWS::KMS::Key').find(({ id }) => used.includes(id))!;
    const statements = key.Properties['KeyPolicy'].Statement as readonly { readonly Sid?: string }[];
    const shared = statements.filter((one) => accountsIn(one).includes(account));
    expect(shared.map(({ Sid }) => Sid)).toEqual(['Use', 'Grant']);
    expect(JSON.stringify(shared)).not.toContain('kms:*');
    // To services of AWS alone: a grant lets others use the key.
    expect(shared.filter((one) => JSON.stringify(one).includes('kms:CreateGrant'))).toMatchObject([
      { Action: 'kms:CreateGrant', Condition: { Bool: { 'kms:GrantIsForAWSResource': true } } },
    ]);
    expect(key.DeletionPolicy).toBe('Retain');
  });
});

describe('copies in another region', () => {
  const copies = { account: other, days: 35, region: 'us-east-1' };
  const abroad = synthesize({ environments: ['hml'], settings: { hml: { ...hml, data: { ...hml.data, copies } } } });
  const vault = only(abroad('HmlCopies-Vault'), 'AWS::Backup::BackupVault');

  test('go into a vault that the stack of copies creates there', () => {
    const [rule] = only(abroad('Hml-Data'), 'AWS::Backup::BackupPlan').Properties['BackupPlan'].BackupPlanRule;
    expect(JSON.stringify(rule.CopyActions[0].DestinationBackupVaultArn)).toContain(
      `:backup:us-east-1:${other}:backup-vault:${String(vault.Properties['BackupVaultName'])}`,
    );
    expect(abroad.environmentOf('HmlCopies-Vault')).toBe(`aws://${other}/us-east-1`);
    expect(abroad.environmentOf('Hml-Data')).toBe(`aws://${own}/sa-east-1`);
  });

  test('leave the vault of the environment, to which a copy is restored, beside the table', () => {
    expect(only(abroad('Hml-Data'), 'AWS::Backup::BackupVault').Properties).toEqual(
      only(data, 'AWS::Backup::BackupVault').Properties,
    );
    expect(vault.Properties['LockConfiguration']).toEqual(
      only(locked, 'AWS::Backup::BackupVault').Properties['LockConfiguration'],
    );
  });
});

test.each([
  ['no account of its own', { region: 'sa-east-1' }],
  ['the account of the copies', { region: 'sa-east-1', account: other }],
])('copies are refused for an environment with %s', (_what, target) => {
  expect(() => synthesize({ environments: ['hml'], settings: { hml: { ...hml, target } } })).toThrow(
    'data.copies.account',
  );
});
