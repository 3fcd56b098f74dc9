import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { afterAll, expect, test } from 'vitest';
import { buildApp } from '#infra/app.ts';
import { environments } from '#infra/environments.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import { acknowledgements, addGuardRails } from '#infra/aws/guard-rails.ts';
import { each } from '#test/support/each.ts';

const outdir = mkdtempSync(join(tmpdir(), 'guard-rails-'));
afterAll(() => {
  rmSync(outdir, { recursive: true, force: true });
});

/** With what an environment may have. */
const hml: EnvironmentSettings = {
  ...environments.hml,
  target: { region: 'sa-east-1', account: '111111111111' },
  pipeline: { repository: 'bank/orders' },
  callbacks: {
    authorities: true,
    domain: {
      hostName: 'callbacks.example.com.br',
      certificateArn: 'arn:aws:acm:sa-east-1:111111111111:certificate/1',
    },
  },
  data: { ...environments.hml.data, copies: { account: '222222222222', days: 35 } },
};

/** All environments, with the rules of AWS Solutions and what CloudFormation itself would refuse. */
const guarded = () => buildApp({ outdir, settings: { hml }, validated: true, context: { local: true } });

test('no environment has a finding that is not acknowledged with a reason, and every acknowledgement has a finding', () => {
  const app = guarded();
  const paths = app.node.findAll().map(({ node }) => node.path);
  addGuardRails(app);
  app.synth();
  for (const { finding, where, reason } of each(acknowledgements)) {
    expect(
      paths.some((path) => where.test(path)),
      finding,
    ).toBe(true);
    expect(reason.length).toBeGreaterThan(40);
  }
});

test('a resource that breaks a rule stops the synthesis', () => {
  const app = guarded();
  new Queue(new Stack(app, 'Careless'), 'Queue', { enforceSSL: false });
  addGuardRails(app);
  expect(() => app.synth()).toThrow(/[Vv]alidation/);
});
