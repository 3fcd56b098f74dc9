import { build } from 'esbuild';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '#infra/emulators/commands.ts';
import type { Statement } from './synthesized.ts';
import { actionsOf, only, resourcesOf, synthesize } from './synthesized.ts';

const role = only(synthesize()('Prod-Operators'), 'AWS::IAM::Role').Properties;
const [policy] = role['Policies'] as [{ PolicyDocument: { Statement: Statement[] } }];
const statements = policy.PolicyDocument.Statement;

/** What each call of the SDK needs. A transaction needs the actions of its parts. */
const needed: Readonly<Record<string, readonly string[]>> = {
  Get: ['dynamodb:GetItem'],
  BatchGet: ['dynamodb:BatchGetItem'],
  Query: ['dynamodb:Query'],
  Scan: ['dynamodb:Scan'],
  Put: ['dynamodb:PutItem'],
  Update: ['dynamodb:UpdateItem'],
  TransactWrite: ['dynamodb:ConditionCheckItem', 'dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
  CreateApiKey: ['apigateway:POST'],
  CreateUsagePlanKey: ['apigateway:POST'],
  GetApiKeys: ['apigateway:GET'],
};

/** The SDK's calls in every own file that the commands reach. */
async function callsOfCommands(): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['infra/operator/main.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    write: false,
    metafile: true,
  });
  const code = Object.keys(metafile.inputs).map((file) => readFileSync(join(root, file), 'utf8'));
  return new Set(code.flatMap((text) => [...text.matchAll(/new (\w+)Command\(/gu)].map(([, call = '']) => call)));
}

test('an operator may call what the commands call, and nothing else', async () => {
  const calls = [...(await callsOfCommands())];
  expect(calls.filter((call) => needed[call] === undefined)).toEqual([]);
  const actions = new Set(calls.flatMap((call) => needed[call] ?? []));
  const given = new Set(statements.flatMap(actionsOf).filter((action) => !action.startsWith('kms:')));
  expect([...given].toSorted()).toEqual([...actions].toSorted());
});

test('on this table, its indexes, and API keys alone; its key through DynamoDB', () => {
  for (const statement of statements) {
    expect(statement.Effect).toBe('Allow');
    expect(resourcesOf(statement)).not.toContain('*');
    if (actionsOf(statement).some((action) => action.startsWith('kms:')))
      expect(statement.Condition).toEqual({ StringEquals: { 'kms:ViaService': 'dynamodb.sa-east-1.amazonaws.com' } });
  }
  expect(resourcesOf(statements.find(({ Sid }) => Sid === 'CompanyPlan')!)[0]).toContain('::/usageplans/*/keys');
});
