import { describe, expect, test } from 'vitest';
import { pascalCase } from '#infra/aws/names.ts';
import { workerNames, workers } from '#functions/workers.ts';
import { all, calledId, named, synthesize } from './synthesized.ts';

const service = synthesize({ environments: ['prod'] })('Prod-Service');
const scheduled = workerNames.filter((name) => {
  const { schedule, simulation } = workers[name];
  return schedule !== undefined && simulation !== true;
});

/** Resends are made until 20:59 alone, by the clock of Brasilia; everything else every minute. */
const expressionOf = (name: (typeof scheduled)[number]): string => {
  return name === 'resend-settlement-errors' ? 'cron(* 0-20 * * ? *)' : 'rate(1 minute)';
};

test('nine jobs run by a schedule', () => {
  expect(scheduled).toEqual([
    'sweep-deliveries',
    'expire-pay-ins',
    'submit-payouts',
    'resend-settlement-errors',
    'advance-scheduled-payments',
    'submit-commands',
    'send-key-codes',
    'chain-entries',
    'read-bank-lists',
  ]);
  expect(all(service, 'AWS::Scheduler::Schedule')).toHaveLength(scheduled.length);
});

describe.each(scheduled)('the schedule of %s', (name) => {
  const schedule = named(service, 'AWS::Scheduler::Schedule', `Schedules${pascalCase(name)}`).Properties;
  const functionId = named(service, 'AWS::Lambda::Function', `${pascalCase(name)}Function`).id;

  test('calls its function on time, in the time zone of Brasilia', () => {
    expect(schedule).toMatchObject({
      ScheduleExpression: expressionOf(name),
      ScheduleExpressionTimezone: 'America/Sao_Paulo',
      FlexibleTimeWindow: { Mode: 'OFF' },
      State: 'ENABLED',
    });
    expect(JSON.stringify(schedule['Target'].Arn)).toContain(`"${calledId(service, pascalCase(name))}"`);
  });

  test('does not retry a call, because the next minute does, and keeps a failed call in the failure queue', () => {
    expect(schedule['Target']).toMatchObject({
      RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 },
      DeadLetterConfig: { Arn: { 'Fn::GetAtt': [named(service, 'AWS::SQS::Queue', 'SchedulesFailures').id, 'Arn'] } },
    });
  });

  test('has a function whose failed runs Lambda does not repeat', () => {
    const config = all(service, 'AWS::Lambda::EventInvokeConfig').find(
      ({ Properties }) => Properties['FunctionName'].Ref === functionId,
    );
    expect(config?.Properties).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
  });
});

const arn = (awsService: string, name: string) => ({
  'Fn::Join': ['', [`arn:aws:${awsService}:sa-east-1:`, { Ref: 'AWS::AccountId' }, `:${name}`]],
});

test('the scheduler may call these functions and write to the failure queue, for schedules of this account alone', () => {
  const role = named(service, 'AWS::IAM::Role', 'SchedulesRole').Properties;
  expect(role['AssumeRolePolicyDocument'].Statement).toEqual([
    {
      Effect: 'Allow',
      Action: 'sts:AssumeRole',
      Principal: { Service: 'scheduler.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    },
  ]);
  expect(role['Policies'][0].PolicyDocument.Statement).toEqual([
    {
      Effect: 'Allow',
      Action: 'lambda:InvokeFunction',
      Resource: scheduled.toSorted().map((name) => {
        const isLive = calledId(service, pascalCase(name)).includes('FunctionLive');
        return arn('lambda', `function:banking-order-prod-${name}${isLive ? ':live' : ''}`);
      }),
    },
    {
      Effect: 'Allow',
      Action: 'sqs:SendMessage',
      Resource: arn('sqs', 'banking-order-prod-schedule-failures'),
    },
  ]);
});

test('the role of the scheduler references no function or queue, so that it can be created before them', () => {
  const role = named(service, 'AWS::IAM::Role', 'SchedulesRole').Properties;
  const references = JSON.stringify(role).match(/"(?:Ref|Fn::GetAtt)":[^}]+/gu) ?? [];
  expect(new Set(references)).toEqual(new Set(['"Ref":"AWS::AccountId"']));
  for (const name of scheduled)
    expect(named(service, 'AWS::Lambda::Function', `${pascalCase(name)}Function`).Properties['FunctionName']).toBe(
      `banking-order-prod-${name}`,
    );
  expect(named(service, 'AWS::SQS::Queue', 'SchedulesFailures').Properties['QueueName']).toBe(
    'banking-order-prod-schedule-failures',
  );
});
