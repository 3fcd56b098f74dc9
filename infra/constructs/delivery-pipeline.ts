import { Duration } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Construct } from 'constructs';
import { relayedEntities } from '../../shared/persistence/delivery-items.ts';
import type { DeliveryQueues } from './delivery-queues.ts';
import { streamArn } from './function-access.ts';

/** INSERTs of what is to be sent. Attempts are updates of the same items: the filter keeps the loop finite. */
const NEW_DELIVERIES = FilterCriteria.filter({
  eventName: ['INSERT'],
  dynamodb: { NewImage: { entity: { S: [...relayedEntities] } } },
});

export type DeliveryPipelineProps = {
  readonly table: TableV2;
  readonly queues: DeliveryQueues;
  readonly relay: LambdaFunction;
  readonly notifier: LambdaFunction;
  /** Partners called at the same time. */
  readonly maxConcurrency: number;
};

/** Table stream → relay → delivery queue → notifier. Only the relay writes to the queue. */
export class DeliveryPipeline extends Construct {
  constructor(scope: Construct, id: string, props: DeliveryPipelineProps) {
    super(scope, id);
    props.relay.addEventSourceMapping('Stream', {
      eventSourceArn: streamArn(props.table),
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: [NEW_DELIVERIES],
      batchSize: 100,
      maxBatchingWindow: Duration.seconds(0),
      parallelizationFactor: 4,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      // The stream forgets after 24 hours; an hour before that the record's position is kept in the failure queue.
      retryAttempts: 10,
      maxRecordAge: Duration.hours(23),
      onFailure: new SqsDlq(props.queues.relayFailures),
    });
    props.notifier.addEventSource(
      new SqsEventSource(props.queues.deliveries, {
        // A crash costs a receive of every message of its batch, and receives are what redrive counts.
        batchSize: 1,
        reportBatchItemFailures: true,
        // Not reserved concurrency: its throttled polls would count as receives too.
        maxConcurrency: props.maxConcurrency,
      }),
    );
  }
}
