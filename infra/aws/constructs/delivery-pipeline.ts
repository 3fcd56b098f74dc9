import { Duration } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { relayed } from '#shared/platform/table/keys.ts';
import { receivesPerDispatch } from '#shared/webhooks/deliveries/states.ts';
import { streamArn } from './orders-table.ts';

/**
 * The queue that carries deliveries to the notifier, and the one that keeps what the notifier failed to deliver. The
 * table can fill both again, which is why they live beside their consumers.
 */
export class DeliveryQueues extends Construct {
  readonly deliveries: Queue;
  readonly deadLetters: Queue;
  /** Where Lambda puts the position of stream records that the relay gave up. */
  readonly relayFailures: Queue;

  /**
   * @param consumerTimeoutSeconds Timeout of the function that receives: AWS asks for six times as much invisibility.
   */
  constructor(scope: Construct, id: string, consumerTimeoutSeconds: number) {
    super(scope, id);
    this.deadLetters = addQueue(this, 'DeadLetters', { retention: Duration.days(14) });
    this.relayFailures = addQueue(this, 'RelayFailures', { retention: Duration.days(14) });
    this.deliveries = addQueue(this, 'Deliveries', {
      retention: Duration.days(4),
      visibility: Duration.seconds(6 * consumerTimeoutSeconds),
      deadLetters: this.deadLetters,
    });
  }
}

/** Adds a queue that is encrypted by SQS and reached by TLS alone. */
export function addQueue(
  scope: Construct,
  id: string,
  options: { readonly retention: Duration; readonly visibility?: Duration; readonly deadLetters?: Queue },
): Queue {
  return new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: options.retention,
    ...(options.visibility !== undefined && { visibilityTimeout: options.visibility }),
    ...(options.deadLetters !== undefined && {
      deadLetterQueue: { queue: options.deadLetters, maxReceiveCount: receivesPerDispatch },
    }),
  });
}

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
