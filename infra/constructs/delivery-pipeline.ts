import { Duration } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** Entities whose INSERT is something to send. Attempts are updates of the same items: the filter keeps the loop finite. */
export const RELAYED_ENTITIES = ['DELIVERY', 'DELIVERY_SENDING'] as const;

export type DeliveryPipelineProps = {
  readonly table: TableV2;
  readonly relay: LambdaFunction;
  /** Where Lambda puts the position of stream records that the relay gave up. */
  readonly relayFailures: Queue;
  readonly deliveries: Queue;
  readonly notifier: LambdaFunction;
};

/** Table stream → relay → delivery queue → notifier. Only the relay writes to the queue. */
export class DeliveryPipeline extends Construct {
  constructor(scope: Construct, id: string, props: DeliveryPipelineProps) {
    super(scope, id);
    props.relay.addEventSource(
      new DynamoEventSource(props.table, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        filters: [newDeliveries()],
        batchSize: 100,
        maxBatchingWindow: Duration.seconds(0),
        parallelizationFactor: 4,
        reportBatchItemFailures: true,
        bisectBatchOnError: true,
        // The stream forgets after 24 hours; an hour before that the record's position is kept in the failure queue.
        retryAttempts: 10,
        maxRecordAge: Duration.hours(23),
        onFailure: new SqsDlq(props.relayFailures),
      }),
    );
    props.notifier.addEventSource(
      new SqsEventSource(props.deliveries, {
        // A crash costs a receive of every message of its batch, and receives are what redrive counts.
        batchSize: 1,
        reportBatchItemFailures: true,
        // Not reserved concurrency: its throttled polls would count as receives too.
        maxConcurrency: 50,
      }),
    );
  }
}

function newDeliveries(): Record<string, unknown> {
  return FilterCriteria.filter({
    eventName: FilterRule.isEqual('INSERT'),
    dynamodb: { NewImage: { entity: { S: FilterRule.or(...RELAYED_ENTITIES) } } },
  });
}
