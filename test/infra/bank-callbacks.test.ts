import { describe, expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import { workers } from '#functions/workers.ts';
import type { Statement } from './synthesized.ts';
import { actionsOf, all, functionNamed, named, only, resourcesOf, synthesize } from './synthesized.ts';

const certificateArn = 'arn:aws:acm:sa-east-1:111111111111:certificate/1';
const withCallbacks = (callbacks: NonNullable<EnvironmentSettings['callbacks']>) =>
  synthesize({ environments: ['prod'], settings: { prod: { ...environments.prod, callbacks } } });
const domain = { hostName: 'callbacks.example.com', certificateArn };
const stacks = withCallbacks({ authorities: true, domain });
const template = stacks('Prod-Callbacks');
const service = stacks('Prod-Service');
const data = stacks('Prod-Data');

test('without a host there is no API for banks, and the service is the same', () => {
  expect(synthesize().names).not.toContain('Prod-Callbacks');
  const ids = (stack: typeof service) => stack.resources.map(({ id }) => id);
  expect(ids(service)).toEqual(ids(synthesize()('Prod-Service')));
});

test('the bucket of the authorities can be deployed before the domain, which needs its file', () => {
  const first = withCallbacks({ authorities: true })('Prod-Callbacks');
  expect(all(first, 'AWS::ApiGateway::DomainName')).toEqual([]);
  expect(only(first, 'AWS::S3::Bucket').id).toBe(only(template, 'AWS::S3::Bucket').id);
});

test('the truststore is versioned, private and outlives its stack', () => {
  const bucket = only(template, 'AWS::S3::Bucket');
  expect(bucket.Properties).toMatchObject({
    VersioningConfiguration: { Status: 'Enabled' },
    PublicAccessBlockConfiguration: { BlockPublicAcls: true, BlockPublicPolicy: true, RestrictPublicBuckets: true },
  });
  expect(bucket.DeletionPolicy).toBe('Retain');
  expect(JSON.stringify(only(template, 'AWS::S3::BucketPolicy').Properties)).toContain('"aws:SecureTransport":"false"');
});

test('the domain reads the newest truststore, or the version that is set', () => {
  const mtlsOf = (stack: typeof template) =>
    only(stack, 'AWS::ApiGateway::DomainName').Properties['MutualTlsAuthentication'] as Readonly<
      Record<string, unknown>
    >;
  expect(mtlsOf(template)).not.toHaveProperty('TruststoreVersion');
  const pinned = withCallbacks({ authorities: true, domain: { ...domain, truststoreVersion: 'v7' } })('Prod-Callbacks');
  expect(mtlsOf(pinned)).toMatchObject({ TruststoreVersion: 'v7' });
});

test('ReadBankLists may read the domain of the callbacks in API Gateway, and no other resource', () => {
  const about = (stack: typeof service) =>
    functionNamed(stack, 'ReadBankLists').statements.filter((one) =>
      actionsOf(one).some((action) => action.startsWith('apigateway:')),
    );
  expect(about(service).map((one) => [actionsOf(one), resourcesOf(one).length])).toEqual([[['apigateway:GET'], 1]]);
  expect(resourcesOf(about(service)[0]!)[0]).toContain('::/domainnames/callbacks.example.com');
  expect(about(synthesize()('Prod-Service'))).toEqual([]);
});

describe('the API of the banks', () => {
  test('is reached by its own domain alone, which asks for a certificate of the truststore', () => {
    expect(only(template, 'AWS::ApiGateway::RestApi').Properties['DisableExecuteApiEndpoint']).toBe(true);
    const { MutualTlsAuthentication: mtls, ...properties } = only(template, 'AWS::ApiGateway::DomainName').Properties;
    expect(properties).toMatchObject({
      DomainName: 'callbacks.example.com',
      RegionalCertificateArn: certificateArn,
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: 'TLS_1_2',
    });
    expect(JSON.stringify(mtls)).toContain(only(template, 'AWS::S3::Bucket').id);
    expect(JSON.stringify(mtls)).toContain('truststore.pem');
    const { RestApiId } = only(template, 'AWS::ApiGateway::BasePathMapping').Properties;
    expect(RestApiId).toEqual({ Ref: only(template, 'AWS::ApiGateway::RestApi').id });
  });

  test('takes POST to an address with and without suffix, by one function', () => {
    const methods = all(template, 'AWS::ApiGateway::Method').map(({ Properties }) => Properties);
    expect(methods.map(({ HttpMethod }) => HttpMethod as string)).toEqual(['POST', 'POST']);
    const parts = all(template, 'AWS::ApiGateway::Resource').map(({ Properties }) => Properties['PathPart'] as string);
    expect(parts).toEqual(['{token}', '{list}']);
    for (const { Integration } of methods)
      expect(JSON.stringify(Integration)).toContain('function:banking-order-prod-receive-callbacks');
  });

  test('calls the function by a role of its own stack, which may call no other function', () => {
    const role = only(template, 'AWS::IAM::Role');
    for (const { Properties } of all(template, 'AWS::ApiGateway::Method'))
      expect(Properties['Integration'].Credentials).toEqual({ 'Fn::GetAtt': [role.id, 'Arn'] });
    expect(JSON.stringify(role.Properties['AssumeRolePolicyDocument'])).toContain('apigateway.amazonaws.com');
    const statements = (role.Properties['Policies'] as { PolicyDocument: { Statement: Statement[] } }[]).flatMap(
      ({ PolicyDocument }) => PolicyDocument.Statement,
    );
    expect(statements.map((one) => [actionsOf(one), resourcesOf(one).length])).toEqual([
      [['lambda:InvokeFunction'], 1],
    ]);
    expect(resourcesOf(statements[0]!)[0]).toContain('function:banking-order-prod-receive-callbacks');
    expect(JSON.stringify(all(template, 'AWS::ApiGateway::Method'))).not.toMatch(/ImportValue/u);
  });

  test('writes the path, which holds the token, to no log and no trace', () => {
    const stage = only(template, 'AWS::ApiGateway::Stage').Properties;
    const { Format } = stage['AccessLogSetting'] as { Format: string };
    const fields = Object.values(JSON.parse(Format) as Record<string, string>);
    expect(fields).toContain('$context.resourcePath');
    for (const secret of ['$context.path', '$context.identity', '$context.requestOverride'])
      expect(fields.filter((field) => field.startsWith(secret))).toEqual([]);
    expect(stage['TracingEnabled']).toBe(false);
    expect(stage['MethodSettings']).toMatchObject([{ DataTraceEnabled: false, LoggingLevel: 'OFF' }]);
  });
});

describe('the queue of callbacks', () => {
  const queue = named(data, 'AWS::SQS::Queue', 'BankQueuesCallbacks');
  const source = all(service, 'AWS::Lambda::EventSourceMapping').find(({ Properties }) =>
    JSON.stringify(Properties['EventSourceArn']).includes(queue.id),
  );

  test('hides a message six times as long as its function may take, and keeps what fails', () => {
    expect(queue.Properties['VisibilityTimeout']).toBe(6 * workers['apply-callbacks'].timeoutSeconds);
    const { deadLetterTargetArn } = queue.Properties['RedrivePolicy'] as { deadLetterTargetArn: unknown };
    expect(JSON.stringify(deadLetterTargetArn)).toContain(named(data, 'AWS::SQS::Queue', 'BankQueuesFailures').id);
  });

  test('feeds ApplyCallbacks ten messages at a time, and the function returns those that failed', () => {
    expect(source?.Properties).toMatchObject({
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 10 },
    });
    expect(JSON.stringify(source?.Properties['FunctionName'])).toContain('ApplyCallbacks');
  });

  test('has a second queue for events of unknown ids, read by ApplyCallbacks one message at a time', () => {
    const unknownIds = named(data, 'AWS::SQS::Queue', 'BankQueuesUnknown');
    expect(unknownIds.Properties['VisibilityTimeout']).toBe(queue.Properties['VisibilityTimeout']);
    const besides = all(service, 'AWS::Lambda::EventSourceMapping').filter(({ Properties }) =>
      JSON.stringify(Properties['EventSourceArn']).includes(unknownIds.id),
    );
    expect(besides.map(({ Properties }) => Properties)).toMatchObject([
      { BatchSize: 1, FunctionResponseTypes: ['ReportBatchItemFailures'], ScalingConfig: { MaximumConcurrency: 2 } },
    ]);
    expect(JSON.stringify(besides)).toContain('ApplyCallbacks');
  });

  test.each(
    ['BankQueuesCallbacks', 'BankQueuesUnknown'].flatMap((queueName) => [
      ['ReceiveCallbacks', 'sqs:SendMessage', queueName],
      ['ApplyCallbacks', 'sqs:ReceiveMessage', queueName],
    ]),
  )('lets %s only %s of %s', (name = '', action = '', queueName = '') => {
    const { statements } = functionNamed(service, name);
    const about = statements.filter((one) => resourcesOf(one).some((resource) => resource.includes(queueName)));
    expect(about.flatMap(actionsOf)).toContain(action);
    expect(about.flatMap(actionsOf).filter((one) => one.startsWith('sqs:Send'))).toEqual(
      action === 'sqs:SendMessage' ? ['sqs:SendMessage'] : [],
    );
  });
});
