import { build } from 'esbuild';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '#infra/releases/commands.ts';
import { environments } from '#infra/environments.ts';
import type { Stacks, Statement } from './synthesized.ts';
import { actionsOf, all, resourcesOf, synthesize } from './synthesized.ts';

type Policies = [{ PolicyName: string; PolicyDocument: { Statement: Statement[] } }];

const certificateArn = 'arn:aws:acm:sa-east-1:111111111111:certificate/1';
const callbacks = { authorities: true, domain: { hostName: 'callbacks.example.com', certificateArn } } as const;
const policiesOf = (stacks: Stacks): ReadonlyMap<string, readonly Statement[]> =>
  new Map(
    all(stacks('Prod-Operators'), 'AWS::IAM::Role').map(({ Properties: { Policies } }) => {
      const [{ PolicyName, PolicyDocument }] = Policies as Policies;
      return [PolicyName, PolicyDocument.Statement];
    }),
  );
/** By the name of the role, where banks call back. */
const policies = policiesOf(
  synthesize({ environments: ['prod'], settings: { prod: { ...environments.prod, callbacks } } }),
);

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
  GetSecretValue: ['secretsmanager:GetSecretValue'],
  CreateSecret: ['secretsmanager:CreateSecret'],
  PutSecretValue: ['secretsmanager:PutSecretValue'],
  DeleteSecret: ['secretsmanager:DeleteSecret'],
  GetCallerIdentity: [],
  GetQueueUrl: ['sqs:GetQueueUrl'],
  GetQueueAttributes: ['sqs:GetQueueAttributes'],
  DescribeStacks: ['cloudformation:DescribeStacks'],
  // Without the list of the bucket a file that is missing is one that must not be read.
  GetObject: ['s3:GetObject', 's3:ListBucket'],
  PutObject: ['s3:PutObject'],
  GetDomainName: ['apigateway:GET'],
  // API Gateway reads the version of the truststore as the caller.
  UpdateDomainName: ['apigateway:PATCH', 's3:GetObjectVersion'],
};

/** What changes a table or reads its settings: the restorer's alone. */
const ofTables = 'infra/operator/restore/';
/** What looks at an account before its first deployment makes these roles: by the rights of who deploys. */
const beforeRoles = 'infra/operator/preflight/';

/** The SDK's calls in every own file that the commands reach. */
async function callsOfCommands(isIncluded: (file: string) => boolean): Promise<readonly string[]> {
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
  const code = Object.keys(metafile.inputs)
    .filter((file) => isIncluded(file) && !file.startsWith(beforeRoles))
    .map((file) => readFileSync(join(root, file), 'utf8'));
  return code.flatMap((text) => [...text.matchAll(/new (\w+)Command\(/gu)].map(([, call = '']) => call));
}

test.each([
  ['Operator', (file: string) => !file.startsWith(ofTables)],
  ['Restorer', () => true],
] as const)('the role %s may call the actions of its commands, and no others', async (role, isIncluded) => {
  const actions = (await callsOfCommands(isIncluded)).flatMap((call) => needed[call] ?? [`dynamodb:${call}`]);
  const given = (policies.get(role) ?? []).flatMap(actionsOf).filter((action) => !action.startsWith('kms:'));
  expect([...new Set(given)].toSorted()).toEqual([...new Set(actions)].toSorted());
});

test.each(['Operator', 'Restorer'])(
  'the role %s has no wildcard resource, and may use the KMS key through DynamoDB alone',
  (role) => {
    const statements = policies.get(role) ?? [];
    for (const statement of statements) {
      expect(statement.Effect).toBe('Allow');
      expect(resourcesOf(statement)).not.toContain('*');
      if (actionsOf(statement).some((action) => action.startsWith('kms:')))
        expect(statement.Condition).toEqual({ StringEquals: { 'kms:ViaService': 'dynamodb.sa-east-1.amazonaws.com' } });
    }
    expect(resourcesOf(statements.find(({ Sid }) => Sid === 'CompanyPlan')!)[0]).toContain('::/usageplans/*/keys');
  },
);

test('the roles reach the truststore and domain of their environment alone, and none without callbacks', () => {
  for (const role of ['Operator', 'Restorer']) {
    const about = (policies.get(role) ?? []).filter(({ Sid = '' }) => /Truststore|CallbackDomain/u.test(Sid));
    const [file = [], bucket = [], domain = []] = about.map((statement) => resourcesOf(statement));
    expect(file.join()).toMatch(/:s3:::banking-order-prod-authorities-.*\/truststore\.pem/u);
    expect(bucket.join()).not.toMatch(/\*|\.pem/u);
    expect(domain.join()).toMatch(/::\/domainnames\/callbacks\.example\.com/u);
    const actions = (policiesOf(synthesize()).get(role) ?? []).flatMap(actionsOf);
    expect(actions.filter((action) => /^s3:|PATCH/u.test(action))).toEqual([]);
  }
});
