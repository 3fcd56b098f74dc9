import { describe, expect, test } from 'vitest';
import { workerNames, workers } from '#functions/workers.ts';
import { dueQueueVariable } from '#shared/platform/jobs/due-kinds.ts';
import { pascalCase } from '#infra/aws/names.ts';
import { all, functionNamed, named, synthesize } from './synthesized.ts';

const stacks = synthesize({ environments: ['prod'] });
const service = stacks('Prod-Service');
const data = stacks('Prod-Data');
const owners = workerNames.flatMap((name) => {
  const { due } = workers[name];
  return due === undefined ? [] : [[name, due] as const];
});

test('eight workers have a queue of due jobs', () => {
  expect(owners.map(([name]) => name).toSorted()).toEqual([
    'advance-scheduled-payments',
    'expire-pay-ins',
    'read-bank-lists',
    'resend-settlement-errors',
    'send-key-codes',
    'submit-commands',
    'submit-payouts',
    'sweep-deliveries',
  ]);
});

describe.each(owners)('the queue of %s', (name, family) => {
  const queue = named(data, 'AWS::SQS::Queue', `DueQueues${pascalCase(name)}`);
  const sources = all(service, 'AWS::Lambda::EventSourceMapping').filter(({ Properties }) =>
    JSON.stringify(Properties['EventSourceArn']).includes(queue.id),
  );

  test('calls its worker with ten jobs, at most 16 times at once, and takes failed ones back', () => {
    expect(sources).toHaveLength(1);
    expect(JSON.stringify(sources[0]?.Properties['FunctionName'])).toContain(`"${pascalCase(name)}Function`);
    expect(sources[0]?.Properties).toMatchObject({
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 16 },
    });
  });

  test('keeps a message for an hour and has no dead letters: the index has every job', () => {
    expect(queue.Properties['MessageRetentionPeriod']).toBe(3600);
    expect(queue.Properties).not.toHaveProperty('RedrivePolicy');
  });

  test('is the only one whose address its worker has', () => {
    const { Variables } = functionNamed(service, pascalCase(name)).properties['Environment'] as {
      Variables: Readonly<Record<string, unknown>>;
    };
    expect(Object.keys(Variables).filter((variable) => variable.startsWith('DUE_'))).toEqual([
      dueQueueVariable(family),
    ]);
    expect(JSON.stringify(Variables[dueQueueVariable(family)])).toContain(queue.id);
  });
});
