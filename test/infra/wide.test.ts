import { expect, test } from 'vitest';
import type { EnvironmentSettings } from '#infra/settings.ts';
import { neverReserved } from '#infra/settings.ts';
import { wideSettings } from '#tools/scale/layout.ts';
import { all, functionNamed, only, settingsOf, synthesize } from './synthesized.ts';

const domain = {
  hostName: 'callbacks.example.com',
  certificateArn: 'arn:aws:acm:sa-east-1:111111111111:certificate/1',
};
const { canary: _canary, ...functions } = wideSettings.functions;
const wide: EnvironmentSettings = { ...wideSettings, functions, callbacks: { authorities: true, domain } };
const synthesized = (prod: EnvironmentSettings) => synthesize({ environments: ['prod'], settings: { prod } });
const stacks = synthesized(wide);

/** Concurrency of the event source of a function that reads a queue of so many messages a receive. */
const concurrencyOf = (name: string, batchSize: number): readonly unknown[] =>
  all(stacks('Prod-Service'), 'AWS::Lambda::EventSourceMapping').flatMap(({ id, Properties }) =>
    id.startsWith(name) && Properties['BatchSize'] === batchSize ? [Properties['ScalingConfig'] as unknown] : [],
  );

test('an environment takes 1 000 callbacks and 2 000 deliveries a second by settings: they are in its templates', () => {
  const { throttling, readers, idsAMinute } = wide.bankCallbacks;
  const stage = only(stacks('Prod-Callbacks'), 'AWS::ApiGateway::Stage').Properties;
  expect(stage['MethodSettings']).toMatchObject([
    { ThrottlingRateLimit: throttling.rate, ThrottlingBurstLimit: throttling.burst },
  ]);
  expect(concurrencyOf('ApplyCallbacks', 10)).toEqual([{ MaximumConcurrency: readers }]);
  expect(concurrencyOf('DeliverNotification', 5)).toEqual([{ MaximumConcurrency: wide.deliveries.maxConcurrency }]);
  for (const name of ['ReceiveCallbacks', 'DeliverNotification']) {
    const { bankCallbacks, deliveries } = settingsOf(functionNamed(stacks('Prod-Service'), name));
    expect([bankCallbacks.idsAMinute, deliveries.companyShare]).toEqual([idsAMinute, wide.deliveries.companyShare]);
  }
});

test('the reserved executions are in the template, and fit the executions of the account', () => {
  const reserved = all(stacks('Prod-Service'), 'AWS::Lambda::Function').flatMap(({ Properties }) =>
    typeof Properties['ReservedConcurrentExecutions'] === 'number' ? [Properties['ReservedConcurrentExecutions']] : [],
  );
  expect(reserved.toSorted((a, b) => a - b)).toEqual([100, 100, 250, 300]);
  const rest = functions.executions - reserved.reduce((sum, count) => sum + count, neverReserved);
  expect(rest).toBeGreaterThanOrEqual(wide.bankCallbacks.readers);
});

test.each([
  ['more than the account has', { ...functions.reserved, createPayout: 451 }, 'needs 1001 executions'],
  [
    'less than a queue starts',
    { ...functions.reserved, 'deliver-notification': 249 },
    'deliver-notification is below the 250',
  ],
  ['less than the callbacks’ queues start', { 'apply-callbacks': 51 }, 'apply-callbacks is below the 52'],
])('an environment that reserves %s is refused', (_title, reserved, message) => {
  expect(() => synthesized({ ...wide, functions: { ...functions, reserved } })('Prod-Service')).toThrow(message);
});
