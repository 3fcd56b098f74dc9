import { Duration } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { EnvironmentSettings } from '#infra/settings.ts';
import { relayed } from '#shared/platform/table/keys.ts';
import { streamArn } from './orders-table.ts';

/** Records that one invocation notes at most: a late note names as many entries, in one item. */
const notedAtOnce = 1_000;

/**
 * Connects the table's stream to the function that chains the entries of statements: its second reader, of two that a
 * stream may have. It collects records, so that an account costs one note and not one for each entry.
 */
export function feedEntries(
  chain: IFunction,
  { table, failures, settings }: { table: ITableV2; failures: IQueue; settings: EnvironmentSettings },
): void {
  chain.addEventSourceMapping('Stream', {
    eventSourceArn: streamArn(table),
    startingPosition: StartingPosition.TRIM_HORIZON,
    filters: [
      FilterCriteria.filter({
        eventName: ['INSERT'],
        dynamodb: { Keys: { SK: { S: [{ prefix: relayed.ledgerEntry }] } } },
      }),
    ],
    batchSize: notedAtOnce,
    maxBatchingWindow: Duration.seconds(settings.statements.collectSeconds),
    bisectBatchOnError: true,
    // Nothing waits for it: it tries as long as the stream has the records. The table has the entries in any case.
    retryAttempts: -1,
    maxRecordAge: Duration.hours(23),
    onFailure: new SqsDlq(failures),
  });
}
