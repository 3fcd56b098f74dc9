import { Duration } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { QueueOf } from '#infra/resource-name.ts';
import { queueName } from '#infra/resource-name.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import { relayed } from '#shared/platform/table/keys.ts';
import { receivesPerDispatch } from '#shared/webhooks/deliveries/states.ts';
import { streamArn } from './orders-table.ts';

/**
 * The queues with an alarm or a graph. The queue of drains has none, because the sweep requests a lost drain again; the
 * queue of callbacks with unknown ids has none, because the lists find them.
 */
export const watchedQueues = [
  'deliveries',
  'deadLetters',
  'relayFailures',
  'scheduleFailures',
  'callbacks',
  'callbackFailures',
] as const;
export type WatchedQueue = (typeof watchedQueues)[number];

/**
 * The queues of deliveries and drains, of dead letters and of relay failures. None is protected against deletion: the
 * table can refill the first two.
 */
export class DeliveryQueues extends Construct {
  readonly deliveries: Queue;
  /** Requests for drains of companies' backlogs. It has no dead letters: the sweep requests a lost drain again. */
  readonly drains: Queue;
  readonly deadLetters: Queue;
  /** Positions of stream records that the relay stopped retrying. */
  readonly relayFailures: Queue;

  /**
   * @param timeouts timeouts of the functions, in seconds. The visibility timeout of a queue is six times as long, as
   * AWS recommends.
   */
  constructor(
    scope: Construct,
    id: string,
    settings: EnvironmentSettings,
    timeouts: { readonly notifier: number; readonly drainer: number },
  ) {
    super(scope, id);
    const queue = (key: QueueOf) => ({ name: queueName(settings, key) });
    this.deadLetters = addQueue(this, 'DeadLetters', { ...queue('deadLetters'), retention: Duration.days(14) });
    this.relayFailures = addQueue(this, 'RelayFailures', { ...queue('relayFailures'), retention: Duration.days(14) });
    this.deliveries = addQueue(this, 'Deliveries', {
      ...queue('deliveries'),
      retention: Duration.days(4),
      visibility: Duration.seconds(6 * timeouts.notifier),
      deadLetters: this.deadLetters,
    });
    this.drains = addQueue(this, 'Drains', {
      ...queue('drains'),
      retention: Duration.days(1),
      visibility: Duration.seconds(6 * timeouts.drainer),
    });
  }
}

/** Adds a queue that SQS encrypts and that only TLS reaches. */
export function addQueue(
  scope: Construct,
  id: string,
  options: {
    readonly name: string;
    readonly retention: Duration;
    readonly visibility?: Duration;
    readonly deadLetters?: Queue;
  },
): Queue {
  return new Queue(scope, id, {
    queueName: options.name,
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: options.retention,
    ...(options.visibility !== undefined && { visibilityTimeout: options.visibility }),
    ...(options.deadLetters !== undefined && {
      deadLetterQueue: { queue: options.deadLetters, maxReceiveCount: receivesPerDispatch },
    }),
  });
}

/** The maximum of messages that one invocation of the notifier receives. */
export const deliveriesAtOnce = 5;

/** Records of the stream that one invocation of the relay receives, and its concurrent invocations for each shard. */
export const relaying = { batchSize: 100, parallelizationFactor: 4 } as const;

/** Selects only INSERT events: attempts update the same items, and their events would start a loop. */
const inserted = (...keys: (string | { readonly prefix: string })[]) =>
  FilterCriteria.filter({ eventName: ['INSERT'], dynamodb: { Keys: { SK: { S: keys } } } });

type DeliveryPipelineProps = {
  readonly table: ITableV2;
  readonly queues: DeliveryQueues;
  readonly relay: IFunction;
  readonly notifier: IFunction;
  readonly drainer: IFunction;
  /** Batches of deliveries in work at the same time. */
  readonly maxConcurrency: number;
  /** Companies whose backlogs are drained at the same time. */
  readonly maxDrains: number;
};

/** Table stream → relay → queues → notifier and drainer. Only the relay sends deliveries and drains. */
export class DeliveryPipeline extends Construct {
  constructor(scope: Construct, id: string, props: DeliveryPipelineProps) {
    super(scope, id);
    props.relay.addEventSourceMapping('Stream', {
      eventSourceArn: streamArn(props.table),
      startingPosition: StartingPosition.TRIM_HORIZON,
      maxBatchingWindow: Duration.seconds(0),
      parallelizationFactor: relaying.parallelizationFactor,
      bisectBatchOnError: true,
      filters: [
        inserted(
          relayed.delivery,
          { prefix: relayed.dispatch },
          { prefix: relayed.drain },
          { prefix: relayed.keyCode },
        ),
      ],
      batchSize: relaying.batchSize,
      reportBatchItemFailures: true,
      // After ten retries, or an hour before the stream forgets the record, the failure queue gets its position.
      retryAttempts: 10,
      maxRecordAge: Duration.hours(23),
      onFailure: new SqsDlq(props.queues.relayFailures),
    });
    props.notifier.addEventSource(
      new SqsEventSource(props.queues.deliveries, {
        // Few: a crash costs each message a receive, and one slow call delays the whole batch (decision 25).
        batchSize: deliveriesAtOnce,
        reportBatchItemFailures: true,
        // Reserved concurrency would count throttled polls as receives.
        maxConcurrency: props.maxConcurrency,
      }),
    );
    props.drainer.addEventSource(
      new SqsEventSource(props.queues.drains, { batchSize: 1, maxConcurrency: props.maxDrains }),
    );
  }
}
