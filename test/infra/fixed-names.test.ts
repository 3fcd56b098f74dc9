import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import type { Properties } from './synthesized.ts';
import { synthesize } from './synthesized.ts';

/** What CloudFormation says of each property, in the copy that the CDK CLI brings (pinned with it). */
type Specified = {
  readonly cloudFormationType: string;
  readonly properties: Record<string, { causesReplacement?: 'yes' }>;
};
const file = join(dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json')), 'db.json.gz');
const database = JSON.parse(gunzipSync(readFileSync(file)).toString()) as {
  schema: { resource: { entities: Record<string, Specified> } };
};
const specified = new Map(Object.values(database.schema.resource.entities).map((one) => [one.cloudFormationType, one]));

/** Names that stand in a member of a property; the specification calls them names all the same. */
const nestedNames: Readonly<Record<string, (properties: Properties) => unknown>> = {
  'AWS::Budgets::Budget': ({ Budget }) => (Budget as Properties)['BudgetName'] as unknown,
};

/**
 * Properties beside a fixed name whose change cannot replace the resource under that name: another value stands for
 * another place, where the name is free; or it is part of the name.
 */
const harmless: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::Stage.RestApiId': 'names are those of an API',
  'AWS::Lambda::Alias.FunctionName': 'names are those of a function',
  'AWS::Backup::BackupVault.EncryptionKeyArn': 'a locked vault is never replaced',
  'AWS::Budgets::Budget.NotificationsWithSubscribers': 'their hash is in the name',
};

/** What the CDK writes where nothing is set. */
const unset: readonly unknown[] = ['', '/'];

/** Whether a property names the resource itself, and not one that it belongs to. */
function isNameOf(type: string, property: string): boolean {
  return property === 'Name' || property === `${type.split('::').at(-1)}Name`;
}

/** Whether it is the same in every deployment: a text that refers to no resource. */
function isFixed(value: unknown): boolean {
  if (value === undefined) return false;
  return !/"(?:Ref":"(?!AWS::(?:Account|Region|Partition))|Fn::GetAtt"|Fn::ImportValue")/u.test(JSON.stringify(value));
}

test('a name that is fixed stands beside no property whose change replaces the resource', () => {
  const everything = (name: 'hml' | 'prod'): EnvironmentSettings => ({
    ...environments[name],
    target: { region: 'sa-east-1', account: name === 'hml' ? '111111111111' : '333333333333' },
    pipeline: { repository: 'bank/orders' },
    alarms: { email: 'on-call@example.com', monthlyDollars: { account: 100, messages: 10 } },
    data: { ...environments[name].data, copies: { account: '222222222222', days: 35 } },
    callbacks: { authorities: true },
  });
  const stacks = synthesize({
    environments: ['hml', 'prod'],
    settings: { hml: everything('hml'), prod: everything('prod') },
  });
  const named = new Set<string>();
  const wrong: string[] = [];
  for (const stack of stacks.names)
    for (const { id, Type, Properties } of stacks(stack).resources) {
      const replacing = Object.keys(Properties).filter(
        (property) =>
          specified.get(Type)?.properties[property]?.causesReplacement === 'yes' &&
          !unset.includes(Properties[property]),
      );
      const names = replacing.filter((property) => isNameOf(Type, property) && isFixed(Properties[property]));
      if (names.length === 0 && !isFixed(nestedNames[Type]?.(Properties))) continue;
      named.add(Type);
      const beside = replacing.filter(
        (property) => !names.includes(property) && harmless[`${Type}.${property}`] === undefined,
      );
      wrong.push(...beside.map((property) => `${stack} ${id}: ${Type}.${property}`));
    }
  expect(wrong).toEqual([]);
  expect(named).toContain('AWS::Budgets::Budget');
  expect(named).toContain('AWS::IAM::ManagedPolicy');
});
