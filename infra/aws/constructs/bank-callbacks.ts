import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { EnvironmentSettings } from '#infra/settings.ts';
import { addQueue, queueName } from './delivery-pipeline.ts';

/** Of one receive: the bank is asked about each, at once. */
const callbacksAtOnce = 10;
/** Reads at all banks at the same time, of ten each. */
const maxReaders = 10;
/** The same of ids that no company is known to have: the fewest that Lambda takes. */
const maxUnknownReaders = 2;

/** What banks called about. The lists find what is lost: they are not protected as data. */
export class CallbackQueues extends Construct {
  /** One message an id of a company's own. */
  readonly callbacks: Queue;
  /** Ids that no company is known to have, several a message: a flood of them waits here alone. */
  readonly unknown: Queue;
  /** What was read several times without a move: the bank did not answer, or the service failed. */
  readonly failures: Queue;

  /** @param reader The function that reads at the bank, its timeout in seconds. */
  constructor(
    scope: Construct,
    id: string,
    settings: EnvironmentSettings,
    reader: { readonly timeoutSeconds: number },
  ) {
    super(scope, id);
    this.failures = addQueue(this, 'Failures', {
      name: queueName(settings, 'callbackFailures'),
      retention: Duration.days(14),
    });
    const failing = { visibility: Duration.seconds(6 * reader.timeoutSeconds), deadLetters: this.failures };
    this.callbacks = addQueue(this, 'Callbacks', {
      name: queueName(settings, 'callbacks'),
      retention: Duration.days(4),
      ...failing,
    });
    this.unknown = addQueue(this, 'Unknown', {
      name: queueName(settings, 'callbackUnknown'),
      retention: Duration.days(1),
      ...failing,
    });
  }
}

/** Lets the function read at the bank what comes. */
export function feedCallbacks(reader: IFunction, { callbacks, unknown }: CallbackQueues): void {
  reader.addEventSource(
    new SqsEventSource(callbacks, {
      batchSize: callbacksAtOnce,
      reportBatchItemFailures: true,
      maxConcurrency: maxReaders,
    }),
  );
  reader.addEventSource(
    new SqsEventSource(unknown, { batchSize: 1, reportBatchItemFailures: true, maxConcurrency: maxUnknownReaders }),
  );
}
