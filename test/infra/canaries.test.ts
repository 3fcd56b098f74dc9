import { workerNames, workers } from '#functions/workers.ts';
import { pascalCase } from '#infra/aws/names.ts';
import { describe, expect, test } from 'vitest';
import { all, only, synthesize } from './synthesized.ts';

const stacks = synthesize();
const service = stacks('Prod-Service');
const aliases = all(service, 'AWS::Lambda::Alias');
/** What notifies, lets in and pays. */
const gradual = ['Authorizer', 'CreatePayout', 'DeliverNotification', 'RefundPayIn', 'SubmitCommands', 'SubmitPayouts'];
const nameOf = (id: string): string => id.replace(/Function.*$/u, '');

describe('a release', () => {
  test.each([
    ['Hml-Service', ['CreatePayout', 'DeliverNotification']],
    ['Prod-Service', gradual],
  ])('a release of %s begins with a tenth of the calls', (name, expected) => {
    const found = all(stacks(name), 'AWS::Lambda::Alias');
    expect(found.map(({ id }) => nameOf(id)).toSorted()).toEqual(expected);
    for (const { id, UpdatePolicy } of found) expect(UpdatePolicy, id).toHaveProperty('CodeDeployLambdaAliasUpdate');
    for (const { Properties } of all(stacks(name), 'AWS::CodeDeploy::DeploymentGroup')) {
      expect(Properties['DeploymentConfigName']).toBe('CodeDeployDefault.LambdaCanary10Percent5Minutes');
      expect(Properties['AutoRollbackConfiguration']).toEqual({
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'],
      });
    }
  });

  test('goes back by an alarm of the same stack, one for each function', () => {
    const alarms = all(service, 'AWS::CloudWatch::Alarm').map(({ id }) => id);
    const groups = all(service, 'AWS::CodeDeploy::DeploymentGroup');
    const watched = groups.map(({ Properties }) => JSON.stringify(Properties['AlarmConfiguration']));
    expect(alarms.filter((id) => watched.some((one) => one.includes(`"${id}"`)))).toHaveLength(gradual.length);
    expect(groups).toHaveLength(gradual.length);
    only(service, 'AWS::CodeDeploy::Application');
  });
});

test('a new authorizer that throws goes back: it does so for what it cannot judge, and not for bad tokens', () => {
  const group = all(service, 'AWS::CodeDeploy::DeploymentGroup').find((one) => one.id.startsWith('Authorizer'))!;
  const [alarm, ...more] = all(service, 'AWS::CloudWatch::Alarm').filter(({ id }) =>
    JSON.stringify(group.Properties['AlarmConfiguration']).includes(`"${id}"`),
  );
  expect(more).toEqual([]);
  expect(JSON.stringify(alarm?.Properties)).toMatch(/"MetricName":"Errors","Namespace":"AWS\/Lambda"/u);
});

describe('the caller of a function with versions calls its live alias', () => {
  const callers = [
    ...all(service, 'AWS::Lambda::EventSourceMapping').map(({ Properties }) => Properties['FunctionName'] as unknown),
    ...all(service, 'AWS::Scheduler::Schedule').map(({ Properties }) => Properties['Target'] as unknown),
    ...all(service, 'AWS::ApiGateway::Method').map(({ Properties }) => Properties['Integration'] as unknown),
    ...all(service, 'AWS::ApiGateway::Authorizer').map(({ Properties }) => Properties['AuthorizerUri'] as unknown),
  ].map((caller) => JSON.stringify(caller));

  test.each(gradual)('the caller of %s calls its live alias', (name) => {
    const { id } = aliases.find((alias) => nameOf(alias.id) === name)!;
    // Workers of due jobs are called by their schedule and by their queue.
    const isOfQueue = workerNames.some((worker) => pascalCase(worker) === name && workers[worker].due !== undefined);
    expect(callers.filter((caller) => caller.includes(`"${id}"`))).toHaveLength(isOfQueue ? 2 : 1);
    expect(callers.filter((caller) => new RegExp(`"${name}Function[0-9A-F]{8}"`, 'u').test(caller))).toEqual([]);
  });

  test('without a retry of a scheduled run', () => {
    const configs = all(service, 'AWS::Lambda::EventInvokeConfig').map(({ Properties }) => Properties);
    const live = configs.filter(({ Qualifier }) => Qualifier !== '$LATEST');
    expect(live).toHaveLength(2);
    for (const config of live) {
      expect(config).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
      expect(JSON.stringify(config['Qualifier'])).toMatch(/"Submit(?:Payouts|Commands)FunctionLive/u);
    }
  });

  test('with the right of the schedules to do so', () => {
    const role = all(service, 'AWS::IAM::Role').find(({ id }) => id.startsWith('SchedulesRole'))!;
    const policies = JSON.stringify(role.Properties['Policies']);
    expect(policies).toContain(':function:banking-order-prod-submit-payouts:live"');
    expect(policies).not.toContain(':function:banking-order-prod-submit-payouts"');
    expect(policies).toContain(':function:banking-order-prod-sweep-deliveries"');
  });
});
