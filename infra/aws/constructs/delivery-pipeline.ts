import { Duration } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Construct } from 'constructs';
import { relayed } from '#shared/platform/table/keys.ts';
import type { DeliveryQueues } from './delivery-queues.ts';
import { streamArn } from './function-access.ts';

/** INSERTs of what is to be sent. Attempts are updates of the same items: the filter keeps the loop finite. */
const newDeliveries = FilterCriteria.filter({
  eventName: ['INSERT'],
  dynamodb: { Keys: { SK: { S: [relayed.delivery, { prefix: relayed.dispatch }] } } },
});

/** INSERTs of codes that confirm PIX keys. */
const newCodes = FilterCriteria.filter({
  eventName: ['INSERT'],
  dynamodb: { Keys: { SK: { S: [{ prefix: relayed.keyCode }] } } },
});

type DeliveryPipelineProps = {
  readonly table: TableV2;
  readonly queues: DeliveryQueues;
  readonly relay: LambdaFunction;
  readonly notifier: LambdaFunction;
  /** Sends codes. A stream has at most two readers. */
  readonly codes: LambdaFunction;
  /** Batches of deliveries in work at the same time. */
  readonly maxConcurrency: number;
};

/** Table stream → relay → delivery queue → notifier. Only the relay writes to the queue. */
export class DeliveryPipeline extends Construct {
  constructor(scope: Construct, id: string, props: DeliveryPipelineProps) {
    super(scope, id);
    props.relay.addEventSourceMapping('Stream', {
      eventSourceArn: streamArn(props.table),
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: [newDeliveries],
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
    props.codes.addEventSourceMapping('Stream', {
      eventSourceArn: streamArn(props.table),
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: [newCodes],
      batchSize: 10,
      maxBatchingWindow: Duration.seconds(0),
      parallelizationFactor: 4,
      // A code that was not sent is due in the table: the minute's run has it sent, no record needs to come again for
      // long.
      bisectBatchOnError: true,
      retryAttempts: 2,
      maxRecordAge: Duration.minutes(30),
    });
    props.notifier.addEventSource(
      new SqsEventSource(props.queues.deliveries, {
        // All at once, and few: a crash costs a receive of each, and each that hangs holds the function (decision 25).
        batchSize: 5,
        reportBatchItemFailures: true,
        // Not reserved concurrency: its throttled polls would count as receives too.
        maxConcurrency: props.maxConcurrency,
      }),
    );
  }
}
