import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildApp } from '#infra/app.ts';
import { deployParts } from '#infra/aws/constructs/deploy-permissions.ts';
import { environments } from '#infra/environments.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import type { Properties, Statement } from './synthesized.ts';
import { actionsOf, all, only, resourcesOf, synthesize } from './synthesized.ts';
import { each } from '../support/each.ts';

const account = '111111111111';
/** Everything that an environment may have. */
const hml: EnvironmentSettings = {
  ...environments.hml,
  target: { region: 'sa-east-1', account },
  pipeline: { repository: 'bank/orders' },
  caller: { secretArn: `arn:aws:secretsmanager:sa-east-1:${account}:secret:caller-a1b2c3` },
  alarms: { ...environments.hml.alarms, email: 'on-call@banco.example' },
  callbacks: {
    authorities: true,
    domain: {
      hostName: 'callbacks.banco.example',
      certificateArn: `arn:aws:acm:sa-east-1:${account}:certificate/2`,
    },
  },
  data: { ...environments.hml.data, copies: { account: '222222222222', days: 35 } },
  functions: { ...environments.hml.functions, provisioned: { authorizer: 1 } },
  api: {
    ...environments.hml.api,
    domain: {
      hostName: 'api.banco.example',
      certificateArn: `arn:aws:acm:sa-east-1:${account}:certificate/1`,
      clientAuthorities: 's3://authorities/bundle.pem',
    },
  },
};
const stacks = synthesize({ environments: ['hml'], settings: { hml } });
const released = stacks.names.filter((name) => name.startsWith('Hml-')).map((name) => stacks(name));
const roles = stacks('HmlPipeline-Roles');
const policies = all(roles, 'AWS::IAM::ManagedPolicy').map(({ id, Properties }) => ({
  id,
  document: Properties['PolicyDocument'] as { Statement: Statement[] },
}));
const boundary = policies.find(({ id }) => id.startsWith('DeployBoundary'))!;
const execution = policies.filter((one) => one !== boundary);

test('the app has no pipeline stage and no boundary when no repository is set', () => {
  const plain = synthesize();
  expect(plain.names.filter((name) => name.includes('Pipeline'))).toEqual([]);
  for (const name of plain.names) expect(plain(name).text).not.toContain('PermissionsBoundary');
});

describe('CloudFormation in a release', () => {
  const known = Object.values(deployParts(hml)).flatMap((parts) => parts.flatMap(({ types }) => types));

  test('may create exactly the types of resources that the app has', () => {
    const others = ['Dev-', 'Prod-'].flatMap((stage) =>
      synthesize()
        .names.filter((name) => name.startsWith(stage))
        .map((name) => synthesize()(name)),
    );
    const types = new Set([...released, ...others].flatMap(({ resources }) => resources.map(({ Type }) => Type)));
    expect(known.toSorted()).toEqual([...types].toSorted());
  });

  test('has no wildcard action, and none that reads or writes items, messages or secrets', () => {
    const actions = execution.flatMap(({ document }) => document.Statement.flatMap(actionsOf));
    expect(actions.filter((action) => /^\*|:\*$/u.test(action))).toEqual([]);
    for (const forbidden of [
      ...['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:Scan', 'dynamodb:PutItem', 'kms:Decrypt', 'kms:*'],
      ...['sqs:ReceiveMessage', 'sqs:SendMessage', 'lambda:InvokeFunction', 'secretsmanager:GetSecretValue'],
      ...['iam:CreateUser', 'iam:CreatePolicy', 'iam:CreatePolicyVersion', 'iam:DeleteRolePermissionsBoundary'],
    ])
      expect(actions).not.toContain(forbidden);
  });

  test('may create roles only within the boundary, and pass them to services of the app alone', () => {
    const findStatement = (Sid: string) =>
      execution.flatMap(({ document }) => document.Statement).find((statement) => statement.Sid === Sid)!;
    expect(actionsOf(findStatement('NewRoles'))).toEqual(
      expect.arrayContaining(['iam:CreateRole', 'iam:PutRolePolicy', 'iam:AttachRolePolicy']),
    );
    expect(JSON.stringify(findStatement('NewRoles').Condition)).toContain(':policy/banking-order-hml-boundary');
    const writing = /^iam:(?:Create|Put|Attach)/u;
    for (const statement of execution.flatMap(({ document }) => document.Statement))
      if (!['NewRoles', 'ServiceRoles'].includes(statement.Sid ?? ''))
        expect(actionsOf(statement).filter((one) => writing.test(one))).toEqual([]);
    const { Condition } = findStatement('PassRoles') as { Condition: { StringEquals: Record<string, string[]> } };
    const takers = released.flatMap((stack) =>
      all(stack, 'AWS::IAM::Role').flatMap(({ Properties }) =>
        (Properties['AssumeRolePolicyDocument'].Statement as { Principal: { Service?: string } }[]).flatMap(
          ({ Principal }) => Principal.Service ?? [],
        ),
      ),
    );
    expect(Condition.StringEquals['iam:PassedToService']?.toSorted()).toEqual([...new Set(takers)].toSorted());
  });

  test('may create the service-linked roles that the first deployment of an account needs, and no others', () => {
    const found = execution.flatMap(({ document }) => document.Statement).find(({ Sid }) => Sid === 'ServiceRoles')!;
    expect(actionsOf(found)).toEqual(['iam:CreateServiceLinkedRole']);
    expect(resourcesOf(found)).toEqual([expect.stringContaining(':role/aws-service-role/*')]);
    // A key of several regions, counted keys of the table, its scaling, the API's domain, backups.
    expect((found.Condition as Properties)['StringEquals']).toEqual({
      'iam:AWSServiceName': [
        'mrk.kms.amazonaws.com',
        'contributorinsights.dynamodb.amazonaws.com',
        'dynamodb.application-autoscaling.amazonaws.com',
        'ops.apigateway.amazonaws.com',
        'backup.amazonaws.com',
      ],
    });
  });

  test('reaches the resources of the app by their names', () => {
    for (const { stackName, resources } of each(released)) {
      expect(stackName).toMatch(/^Hml-/u);
      for (const { Type, Properties } of resources) {
        if (Type === 'AWS::Lambda::Function') expect(Properties['FunctionName']).toMatch(/^banking-order-hml-/u);
        if (Type === 'AWS::SQS::Queue') expect(Properties['QueueName']).toMatch(/^banking-order-hml-/u);
        if (Type === 'AWS::S3::Bucket' && stackName !== 'Hml-Data')
          expect(JSON.stringify(Properties)).toContain('banking-order-hml-authorities-');
        if (Type === 'AWS::CloudWatch::Dashboard') expect(Properties['DashboardName']).toBe('banking-order-hml');
        if (Type === 'AWS::IAM::Role') expect(Properties['RoleName']).toBeUndefined();
      }
    }
  });

  test('has at most ten policies, each below 6 144 characters, the limits of IAM', () => {
    expect(policies.length).toBeLessThanOrEqual(10);
    for (const { id, document } of policies) expect(JSON.stringify(document).length, id).toBeLessThan(6144);
    expect(JSON.stringify(roles.outputs['ExecutionPolicies']).match(/DeployDeploy\w+/gu)).toHaveLength(
      execution.length,
    );
  });
});

describe('the boundary', () => {
  test('is on every role of the environment', () => {
    const boundaries = released.flatMap((stack) =>
      all(stack, 'AWS::IAM::Role').map(({ Properties }) => JSON.stringify(Properties['PermissionsBoundary'])),
    );
    expect(boundaries.length).toBeGreaterThan(50);
    for (const one of boundaries) expect(one).toContain('policy/banking-order-hml-boundary');
  });

  test('holds every action of those roles, and none of IAM', () => {
    const services = boundary.document.Statement.flatMap(actionsOf).map((action) => action.split(':')[0]);
    const used = released.flatMap((stack) =>
      all(stack, 'AWS::IAM::Role').flatMap(({ Properties }) =>
        ((Properties['Policies'] ?? []) as { PolicyDocument: { Statement: Statement[] } }[]).flatMap(
          ({ PolicyDocument }) => PolicyDocument.Statement.flatMap(actionsOf),
        ),
      ),
    );
    expect(used.length).toBeGreaterThan(100);
    for (const action of new Set(used)) expect(services).toContain(action.split(':')[0]);
    expect(services.filter((service) => service === 'iam' || service === 'sts' || service === '*')).toEqual([]);
  });
});

describe('the releaser', () => {
  const role = only(roles, 'AWS::IAM::Role').Properties;
  const trust = role['AssumeRolePolicyDocument'].Statement[0] as Properties;

  test('is trusted only from the repository, in the GitHub environment of hml', () => {
    expect(trust['Condition']).toEqual({
      StringEquals: {
        'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
        'token.actions.githubusercontent.com:sub': 'repo:bank/orders:environment:hml',
      },
    });
    expect(trust['Action']).toBe('sts:AssumeRoleWithWebIdentity');
  });

  test('may only assume the roles that the CDK CLI asks for, including those of assets', () => {
    const statements = all(roles, 'AWS::IAM::Policy').flatMap(
      ({ Properties }) => Properties['PolicyDocument'].Statement as Statement[],
    );
    expect(statements.flatMap(actionsOf)).toEqual(['sts:AssumeRole']);
    const may = statements.flatMap(resourcesOf).join(' ');
    const outdir = mkdtempSync(join(tmpdir(), 'deploy-roles-'));
    try {
      buildApp({ environments: ['hml'], settings: { hml }, outdir }).synth();
      const files = globSync('assembly-Hml/{manifest.json,*.assets.json}', { cwd: outdir });
      const asked = files.flatMap((file) => [
        ...readFileSync(join(outdir, file), 'utf8').matchAll(
          /"assumeRoleArn": "[^"]*:role\/(cdk-\w+-[a-z-]+?-role)-/gu,
        ),
      ]);
      const names = [...new Set(asked.map(([, name]) => name))];
      expect(names).toHaveLength(2);
      expect(may.match(/role\/cdk-/gu)).toHaveLength(names.length);
      for (const [, name = ''] of asked) expect(may).toContain(name);
    } finally {
      rmSync(outdir, { recursive: true, force: true });
    }
  });
});
