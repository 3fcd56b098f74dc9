import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { EnvName } from '../shared/runtime/env.ts';
import type { DeliveryQueues } from './constructs/delivery-queues.ts';
import type { EnvironmentSettings } from './settings.ts';

export type VariableSources = {
  readonly settings: EnvironmentSettings;
  readonly table: TableV2;
  readonly queues: DeliveryQueues;
};

/** The value of every variable that functions read: a new name in shared/runtime/env.ts does not compile until it has one. */
export function variableValues(sources: VariableSources): Readonly<Record<EnvName, string>> {
  const { settings } = sources;
  const { tokens, deliveries, orders } = settings;
  return {
    TABLE_NAME: sources.table.tableName,
    QUEUE_URL: sources.queues.deliveries.queueUrl,
    DEAD_LETTER_QUEUE_URL: sources.queues.deadLetters.queueUrl,
    RETRY_DELAYS_SECONDS: deliveries.retryDelaysSeconds.join(','),
    SWEEP_GRACE_SECONDS: `${deliveries.sweepGraceSeconds}`,
    ALLOW_LOCAL_TARGETS: `${deliveries.allowLocalTargets}`,
    TOKEN_ISSUERS: tokens.issuers.join(','),
    TOKEN_JWKS_URI: tokens.jwksUri,
    TOKEN_AUDIENCES: tokens.audiences.join(','),
    TOKEN_SCOPE: tokens.scope,
    SERVICE_ISPB: orders.ispb,
    PIX_HOST: orders.pixHost,
    PIX_CITY: orders.pixCity,
    FIRST_CHARGE_EXPIRES_SECONDS: `${orders.firstChargeExpiresSeconds}`,
    PIX_TRANSACTION_LIMIT_CENTAVOS: `${orders.pixTransactionLimitCentavos}`,
  };
}

/** The variables of one function. */
export function pick(values: Readonly<Record<EnvName, string>>, names: readonly EnvName[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}
