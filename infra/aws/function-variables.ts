import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { EnvName } from '#shared/platform/env.ts';
import type { DeliveryQueues } from './constructs/delivery-queues.ts';
import type { CodeSenders, EnvironmentSettings } from '../settings.ts';

type VariableSources = {
  readonly settings: EnvironmentSettings;
  readonly table: TableV2;
  readonly queues: DeliveryQueues;
};

/**
 * The value of every variable that functions read: a new name in shared/platform/env.ts does not compile until it has
 * one.
 */
export function variableValues(sources: VariableSources): Readonly<Record<EnvName, string>> {
  const { settings } = sources;
  const { tokens, deliveries, orders, keys } = settings;
  const { circuit } = deliveries;
  return {
    TABLE_NAME: sources.table.tableName,
    QUEUE_URL: sources.queues.deliveries.queueUrl,
    DEAD_LETTER_QUEUE_URL: sources.queues.deadLetters.queueUrl,
    RETRY_DELAYS_SECONDS: deliveries.retryDelaysSeconds.join(','),
    SWEEP_GRACE_SECONDS: `${deliveries.sweepGraceSeconds}`,
    CIRCUIT_FAILURES: `${circuit.failures}`,
    CIRCUIT_DELIVERIES: `${circuit.deliveries}`,
    CIRCUIT_WINDOW_SECONDS: `${circuit.windowSeconds}`,
    CIRCUIT_TIMEOUTS: `${circuit.timeouts}`,
    CIRCUIT_GIVE_UP_SECONDS: `${circuit.disableAfterSeconds}`,
    PROBE_DELAYS_SECONDS: circuit.probeDelaysSeconds.join(','),
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
    SCHEDULE_MIN_DAYS_AHEAD: `${orders.schedule.minDaysAhead}`,
    SCHEDULE_RELEASE_DAYS_BEFORE: `${orders.schedule.releaseDaysBefore ?? 'none'}`,
    KEY_CODE_VALID_SECONDS: `${keys.rules.codeValidSeconds}`,
    KEY_CODE_TRIES: `${keys.rules.triesPerCode}`,
    KEY_CODE_RESENDS: `${keys.rules.resendsPerValidation}`,
    KEY_CODES_PER_DAY: `${keys.rules.codesPerDay}`,
    KEY_CODES_PER_ADDRESS_AND_DAY: `${keys.rules.codesPerAddressAndDay}`,
    KEY_PHONES_ABROAD: `${keys.rules.phonesAbroad}`,
    KEYS_PER_INDIVIDUAL: `${keys.rules.keysPerAccount.INDIVIDUAL}`,
    KEYS_PER_ORGANIZATION: `${keys.rules.keysPerAccount.ORGANIZATION}`,
    KEY_CODE_EMAIL_FROM: keys.senders?.emailFrom ?? 'none',
    KEY_CODE_SMS_FROM: keys.senders?.smsFrom ?? 'none',
    KEY_CODE_RECIPIENTS: recipientsOf(keys.senders?.recipients ?? []),
  };
}

function recipientsOf(recipients: CodeSenders['recipients']): string {
  if (recipients === 'ANYONE') return 'anyone';
  return recipients.length === 0 ? 'none' : recipients.join(',');
}

/** The variables of one function. */
export function pick(values: Readonly<Record<EnvName, string>>, names: readonly EnvName[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}
