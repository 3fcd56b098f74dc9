import { describe, expect, test } from 'vitest';
import { synthesize } from './synthesized.ts';

/*
 * The stage Local is what emulators deploy. A kind of resource that they do not know ends a deployment into them after
 * minutes, or is left out in silence: here it ends a test.
 */

/** Types that MiniStack, and LocalStack with the project's plugin, have deployed: `test:deployed`, `test:localstack`. */
const deployedByBoth = [
  'AWS::ApiGateway::Authorizer',
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::DynamoDB::GlobalTable',
  'AWS::IAM::Role',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
  'AWS::Scheduler::Schedule',
];

const stacks = synthesize();
const typesOf = (stage: string): readonly string[] => {
  const found = stacks.names
    .filter((name) => name.startsWith(`${stage}-`))
    .flatMap((name) => stacks(name).resources.map(({ Type }) => Type));
  return [...new Set(found)].toSorted();
};

describe('the stage Local', () => {
  test('has kinds of resources that every emulator deploys, and no other', () => {
    expect(typesOf('Local'), 'Leave it out of Local, or try both emulators and add it here.').toEqual(
      deployedByBoth.toSorted(),
    );
  });

  test('is two stacks: what no emulator runs is in others', () => {
    expect(stacks.names.filter((name) => name.startsWith('Local-')).toSorted()).toEqual([
      'Local-Data',
      'Local-Service',
    ]);
  });

  test('gives its table nothing but what an emulator may drop without harm', () => {
    const { text } = stacks('Local-Data');
    for (const absent of ['"SSEEnabled":true', 'PointInTimeRecovery', 'WarmThroughput', 'ContributorInsights'])
      expect(text).not.toContain(absent);
  });
});

test('the other stages have kinds of resources that only AWS proves', () => {
  const onlyOnAws = typesOf('Prod').filter((type) => !deployedByBoth.includes(type));
  expect(onlyOnAws).toEqual(
    expect.arrayContaining(['AWS::CodeDeploy::DeploymentGroup', 'AWS::KMS::Key', 'AWS::WAFv2::WebACL']),
  );
});
