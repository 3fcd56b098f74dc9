import { expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import { all, only, synthesize } from './synthesized.ts';

const tableName = 'Hml-restored-2026-01-15';
const streamLabel = '2026-01-15T12:00:00.000';
const restored: EnvironmentSettings = {
  ...environments.hml,
  data: { ...environments.hml.data, restored: { tableName, streamLabel } },
};
const before = synthesize();
const after = synthesize({ environments: ['hml'], settings: { hml: restored } });

const functionsOf = (stacks: typeof before) => all(stacks('Hml-Service'), 'AWS::Lambda::Function');
const exportsOf = (stacks: typeof before): readonly unknown[] =>
  Object.values(stacks('Hml-Data').outputs).flatMap((output: { Export?: unknown }) => output.Export ?? []);

test('every function, permission, event source and alarm goes to the restored table', () => {
  for (const { Properties } of functionsOf(after)) {
    const { TABLE_NAME } = (Properties['Environment'] as { Variables: Record<string, unknown> }).Variables;
    expect(TABLE_NAME === undefined || TABLE_NAME === tableName || JSON.stringify(TABLE_NAME).includes(tableName)).toBe(
      true,
    );
  }
  const streams = all(after('Hml-Service'), 'AWS::Lambda::EventSourceMapping')
    .map(({ Properties }) => JSON.stringify(Properties['EventSourceArn']))
    .filter((arn) => arn.includes('/stream/'));
  expect(streams).toHaveLength(2);
  for (const arn of streams) expect(arn).toContain(`table/${tableName}/stream/${streamLabel}`);
  for (const stack of ['Hml-Service', 'Hml-Monitoring']) {
    // The table of the template is not in the text of the stacks that use it; its key is.
    expect(after(stack).text).not.toContain('OrdersTable');
    expect(after(stack).text).toContain(tableName);
    expect(before(stack).text).toContain('OrdersTable');
  }
  expect(after('Hml-Service').text).toContain('OrdersKey');
});

test('the table of the template and its exports stay, so that data and service can be deployed in either order', () => {
  expect(only(after('Hml-Data'), 'AWS::DynamoDB::GlobalTable')).toEqual(
    only(before('Hml-Data'), 'AWS::DynamoDB::GlobalTable'),
  );
  expect(exportsOf(after)).toEqual(expect.arrayContaining([...exportsOf(before)]));
  expect(exportsOf(before).length).toBeGreaterThanOrEqual(4);
});

test('commands and alarms find its name in the output that they always read', () => {
  expect(JSON.stringify(after('Hml-Data').outputs['TableName'])).toContain(tableName);
});
