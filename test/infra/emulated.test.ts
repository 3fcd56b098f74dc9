import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { notJudged } from '#tools/emulators/not-judged.ts';
import { environments } from '#infra/environments.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import { synthesize } from './synthesized.ts';

/*
 * The stage Local is what emulators deploy. A kind of resource that they do not know ends a deployment into them after
 * minutes, or is left out in silence: here it ends a test.
 */

/**
 * Types that MiniStack, and LocalStack with the plugin, have deployed (`tools/emulators/acceptance.ts ministack`,
 * `tools/emulators/acceptance.ts localstack`).
 */
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
  'AWS::KMS::Key',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::S3::Bucket',
  'AWS::S3::BucketPolicy',
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
  'AWS::Scheduler::Schedule',
];

const stacks = synthesize();
const typesOf = (stage: string, synthesized = stacks): readonly string[] => {
  const found = synthesized.names
    .filter((name) => name.startsWith(stage))
    .flatMap((name) => synthesized(name).resources.map(({ Type }) => Type));
  return [...new Set(found)].toSorted();
};

describe('the stage Local', () => {
  test('has kinds of resources that every emulator deploys, and no other', () => {
    expect(typesOf('Local'), 'Leave it out of Local, or test it with both emulators and add it here.').toEqual(
      deployedByBoth.toSorted(),
    );
  });

  test('has two stacks, Local-Data and Local-Service', () => {
    expect(stacks.names.filter((name) => name.startsWith('Local-')).toSorted()).toEqual([
      'Local-Data',
      'Local-Service',
    ]);
  });

  test('has a table without SSE, point-in-time recovery, warm throughput and contributor insights', () => {
    const { text } = stacks('Local-Data');
    for (const absent of ['"SSEEnabled":true', 'PointInTimeRecovery', 'WarmThroughput', 'ContributorInsights'])
      expect(text).not.toContain(absent);
  });
});

describe('the list of what only AWS proves, in docs/deployment.md,', () => {
  const guide = readFileSync(new URL('../../docs/deployment.md', import.meta.url), 'utf8');
  const [, list = ''] = /\n## What only AWS proves\n([^]*?)\n## /u.exec(guide) ?? [];
  const account = '111111111111';
  const prod: EnvironmentSettings = {
    ...environments.prod,
    target: { region: 'sa-east-1', account },
    pipeline: { repository: 'bank/orders' },
    alarms: { ...environments.prod.alarms, email: 'on-call@banco.example' },
    data: { ...environments.prod.data, copies: { account: '222222222222', days: 35 } },
    caller: { secretArn: `arn:aws:secretsmanager:sa-east-1:${account}:secret:caller-a1b2c3` },
  };

  test('has every service of which no emulator deploys a resource', () => {
    const onlyOnAws = typesOf('Prod', synthesize({ environments: ['prod'], settings: { prod } })).filter(
      (type) => !deployedByBoth.includes(type),
    );
    const services = [...new Set(onlyOnAws.map((type) => type.split('::')[1]!))];
    expect(services).toEqual(expect.arrayContaining(['CodeDeploy', 'WAFv2', 'Backup', 'ApiGateway', 'IAM']));
    expect(services.filter((service) => !new RegExp(`\\b${service}\\b`, 'u').test(list))).toEqual([]);
  });

  test('has every point that is proved by no test before AWS', () => {
    const points = notJudged.filter(({ provedBy }) => provedBy.startsWith('no test before AWS itself'));
    expect(points.length).toBeGreaterThan(1);
    const text = list.replaceAll(/\s+/gu, ' ');
    expect(points.filter(({ point }) => !text.includes(point))).toEqual([]);
  });
});
