import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { EnvName } from '#shared/platform/env.ts';
import { settingsVariable } from '#shared/platform/settings.ts';
import type { DeliveryQueues } from './constructs/delivery-queues.ts';
import type { EnvironmentSettings } from '../settings.ts';

type VariableSources = {
  readonly settings: EnvironmentSettings;
  readonly table: TableV2;
  readonly queues: DeliveryQueues;
};

/** The value of every variable that functions read. What CloudFormation alone knows is a variable of its own. */
export function variableValues({ settings, table, queues }: VariableSources): Readonly<Record<EnvName, string>> {
  return {
    TABLE_NAME: table.tableName,
    QUEUE_URL: queues.deliveries.queueUrl,
    DEAD_LETTER_QUEUE_URL: queues.deadLetters.queueUrl,
    SETTINGS: settingsVariable(settings),
  };
}

/** The variables of one function. */
export function pick(values: Readonly<Record<EnvName, string>>, names: readonly EnvName[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}
