import { describe, expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import { pascalCase } from '#infra/aws/names.ts';
import type { WorkerName } from '#shared/platform/jobs/worker-names.ts';
import { issuer } from '#shared/platform/table/keys.ts';
import { partitions } from '#infra/aws/constructs/function-access.ts';
import type { Statement } from './synthesized.ts';
import { actionsOf, all, functionNamed, functionsOf, only, resourcesOf, synthesize } from './synthesized.ts';
import { each } from '../support/each.ts';

const stack = synthesize();
const stackNames = ['Local-Service', 'Dev-Service', 'Hml-Service', 'Prod-Service'] as const;
const prod = stack('Prod-Service');
const hml = stack('Hml-Service');
const worker = (name: WorkerName) => functionNamed(hml, pascalCase(name));
const allowed = (statements: readonly Statement[]) => statements.filter(({ Effect }) => Effect === 'Allow');

/** All that a function may do to resources whose reference contains the text. */
function actionsOn(statements: readonly Statement[], resource: string): readonly string[] {
  const matching = allowed(statements).filter((statement) =>
    resourcesOf(statement).some((one) => one.includes(resource)),
  );
  return matching.flatMap(actionsOf).toSorted();
}

describe.each(stackNames)('every function of %s', (name) => {
  const template = stack(name);
  const functions = functionsOf(template);

  test('runs Node 24 from an ESM bundle, with source maps', () => {
    for (const { properties, environment } of each(functions)) {
      expect(properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
      });
      expect(environment['NODE_OPTIONS']).toBe('--enable-source-maps');
    }
  });

  test('has active tracing when the API calls it, and otherwise passes a trace through', () => {
    const uris = [
      ...all(template, 'AWS::ApiGateway::Method').map(({ Properties }) => Properties['Integration'].Uri as unknown),
      ...all(template, 'AWS::ApiGateway::Authorizer').map(({ Properties }) => Properties['AuthorizerUri'] as unknown),
    ].map((uri) => JSON.stringify(uri));
    const modes = functions.map(({ name: id, properties }) => {
      const isCalledByApi = uris.some((uri) => new RegExp(`"${id}Function(?:Live)?[0-9A-F]{8}"`, 'u').test(uri));
      return [id, isCalledByApi, properties['TracingConfig'].Mode as unknown] as const;
    });
    expect(modes.filter(([, isCalledByApi]) => isCalledByApi).length).toBeGreaterThan(30);
    for (const [id, isCalledByApi, mode] of modes) expect(mode, id).toBe(isCalledByApi ? 'Active' : 'PassThrough');
  });

  test('ends before API Gateway does, and within a minute but for drains and lists', () => {
    for (const { name: id, properties } of each(functions))
      expect(properties['Timeout'], id).toBeLessThan(['DrainBacklogs', 'ReadBankLists'].includes(id) ? 901 : 60);
    for (const route of each(routes.filter(({ simulation }) => simulation !== true))) {
      expect(functionNamed(template, pascalCase(route.contract.operationId)).properties['Timeout']).toBeLessThan(29);
    }
  });

  test('has a log group of its own, with a retention', () => {
    const groups = functions.map(({ properties }) => properties['LoggingConfig'].LogGroup.Ref as string);
    expect(new Set(groups).size).toBe(functions.length);
    for (const group of groups) {
      const resource = template.resources.find(({ id }) => id === group);
      expect(resource?.Properties['RetentionInDays']).toBeGreaterThan(0);
    }
  });

  test('logs every invocation but in production, where Lambda itself logs what went wrong', () => {
    const levels = (prefix: string, environment: 'hml' | 'prod') =>
      functionsOf(synthesize({ environments: [environment] })(`${prefix}-Service`)).map(
        ({ properties }) => properties['LoggingConfig'].SystemLogLevel as unknown,
      );
    expect(new Set(levels('Prod', 'prod'))).toEqual(new Set(['WARN']));
    expect(new Set(levels('Hml', 'hml'))).toEqual(new Set([undefined]));
  });

  test('has no log group without a retention', () => {
    for (const { id, Properties } of all(template, 'AWS::Logs::LogGroup')) {
      expect(Properties['RetentionInDays'], id).toBeGreaterThan(0);
    }
    // The group that API Gateway writes errors to, before it makes one by itself.
    const [group] = all(template, 'AWS::Logs::LogGroup').filter(({ id }) => id.startsWith('PartnerApiErrorLog'));
    expect(JSON.stringify(group?.Properties['LogGroupName'])).toContain('API-Gateway-Execution-Logs_');
  });

  test('has a role of its own without managed policies', () => {
    const roles = functions.map(({ properties }) => properties['Role']['Fn::GetAtt'][0] as string);
    expect(new Set(roles).size).toBe(functions.length);
    for (const role of all(template, 'AWS::IAM::Role').filter(({ id }) => roles.includes(id))) {
      expect(role.Properties['ManagedPolicyArns']).toBeUndefined();
    }
    // Policies are written in the roles alone: nothing that is wired later adds to them.
    expect(all(template, 'AWS::IAM::Policy')).toEqual([]);
  });

  test('names every resource that it may use, except for actions that support no resource', () => {
    const known = ['dynamodb:ListStreams', 'sns:Publish', 'xray:PutTelemetryRecords', 'xray:PutTraceSegments'];
    for (const { name: id, statements } of each(functions)) {
      for (const statement of each(allowed(statements))) {
        for (const action of actionsOf(statement)) expect(action, id).not.toContain('*');
        // One secret a connection: 'secrets of banks' below. Every identity: the address binds it (confirmation-codes).
        // Each root is an object of its own.
        if (['ReadBankSecrets', 'SendEmails', 'PutRoots'].includes(statement.Sid ?? '')) continue;
        if (resourcesOf(statement).some((resource) => resource.includes('*'))) {
          expect(known, `${id}: ${statement.Sid ?? ''}`).toEqual(expect.arrayContaining([...actionsOf(statement)]));
        }
      }
    }
  });

  test('never scans the table', () => {
    expect(template.text).not.toContain('dynamodb:Scan');
  });
});

describe('secrets of banks', () => {
  test('are read one by one, and only those of their environment', () => {
    const reads = functionsOf(hml).flatMap(({ statements }) =>
      allowed(statements).filter((one) => actionsOf(one).some((action) => action.startsWith('secretsmanager'))),
    );
    // Whose they are: function-rights.test.ts.
    expect(reads.length).toBeGreaterThan(0);
    for (const read of reads) {
      expect(actionsOf(read)).toEqual(['secretsmanager:GetSecretValue']);
      expect(resourcesOf(read).map((resource) => /:secret:[^"]*/u.exec(resource)?.[0])).toEqual([
        ':secret:banking-order/hml/bank/*',
      ]);
    }
  });
});

describe('webhook secrets', () => {
  test('are not in the stream, which has only keys and is not covered by the denial', () => {
    const readers = functionsOf(hml).filter(({ statements }) =>
      allowed(statements).some(({ Action }) => [Action].flat().some((action) => /GetRecords|\*/u.test(action))),
    );
    expect(readers.map(({ name }) => name).toSorted()).toEqual(['ChainEntries', 'RelayDeliveries']);
    const table = only(synthesize()('Hml-Data'), 'AWS::DynamoDB::GlobalTable');
    expect(table.Properties['StreamSpecification']).toEqual({ StreamViewType: 'KEYS_ONLY' });
  });

  test('are closed by a denial that covers every action, and every partition of secrets', () => {
    const denied = functionsOf(hml).flatMap(({ statements }) => {
      const denial = statements.find(({ Sid }) => Sid === 'NoSecrets');
      return denial === undefined ? [] : [{ statements, denial }];
    });
    expect(denied.length).toBeGreaterThan(0);
    for (const { statements, denial } of denied) {
      expect(denial).toMatchObject({
        Effect: 'Deny',
        Action: 'dynamodb:*',
        Condition: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': [partitions.secrets] } },
      });
      const grants = allowed(statements).filter(({ Sid }) => Sid === 'Table');
      expect(grants.flatMap(resourcesOf)).toEqual(resourcesOf(denial));
    }
  });
});

describe("the issuer's keys, which verify tokens,", () => {
  test.each(stackNames)('are denied by partition to every function of %s but the authorizer', (name) => {
    const template = stack(name);
    for (const { name: id, statements } of each(functionsOf(template))) {
      const touchesTable = allowed(statements).some(({ Sid }) => Sid === 'Table');
      const [denial] = statements.filter(({ Sid }) => Sid === 'NoIssuerKeys');
      expect(denial !== undefined, id).toBe(touchesTable && id !== 'Authorizer');
      if (denial === undefined) continue;
      expect(denial).toMatchObject({
        Effect: 'Deny',
        Action: 'dynamodb:*',
        Condition: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': [issuer] } },
      });
    }
  });

  test('are the only items that the authorizer may write', () => {
    const { statements } = worker('authorizer');
    const writing = allowed(statements).filter((statement) => actionsOf(statement).includes('dynamodb:PutItem'));
    expect(writing).toMatchObject([
      {
        Sid: 'KeepIssuerKeys',
        Action: 'dynamodb:PutItem',
        Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [issuer] } },
      },
    ]);
    const [table] = statements.filter(({ Sid }) => Sid === 'Table');
    expect(resourcesOf(writing[0]!)).toEqual(resourcesOf(table!));
  });
});

describe('permissions', () => {
  const tableActions = (statements: readonly Statement[]) =>
    allowed(statements)
      .filter(({ Sid }) => Sid === 'Table')
      .flatMap(actionsOf)
      .toSorted();

  test('only the relay sends to the delivery queue', () => {
    const senders = functionsOf(hml).filter(({ statements }) =>
      actionsOn(statements, 'QueuesDeliveries').includes('sqs:SendMessage'),
    );
    expect(senders.map(({ name }) => name)).toEqual(['RelayDeliveries']);
  });

  test('the relay may read the stream, and has no right on the table', () => {
    const { statements } = worker('relay-deliveries');
    expect(actionsOn(statements, 'StreamArn')).toEqual([
      'dynamodb:DescribeStream',
      'dynamodb:GetRecords',
      'dynamodb:GetShardIterator',
    ]);
    expect(tableActions(statements)).toEqual([]);
    expect(actionsOn(statements, 'QueuesRelayFailures')).toEqual(['sqs:SendMessage']);
  });

  test('the key of the table opens through DynamoDB alone, and only readers cannot encrypt', () => {
    for (const { name, statements } of functionsOf(prod)) {
      const [use] = statements.filter(({ Sid }) => Sid === 'TableKey');
      if (use === undefined) throw new Error(`${name} cannot use the key`);
      expect(use.Condition).toEqual({ StringEquals: { 'kms:ViaService': 'dynamodb.sa-east-1.amazonaws.com' } });
      const writesTable = allowed(statements).flatMap(actionsOf).includes('dynamodb:PutItem');
      expect(actionsOf(use).includes('kms:Encrypt'), name).toBe(writesTable);
    }
    const ofKeys = functionsOf(stack('Local-Service')).flatMap(({ statements }) =>
      statements.filter((one) => actionsOf(one).some((action) => action.startsWith('kms:'))),
    );
    expect(new Set(ofKeys.map(({ Sid }) => Sid))).toEqual(new Set(['Sign']));
  });
});
