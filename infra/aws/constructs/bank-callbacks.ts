import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { EnvironmentSettings } from '#infra/settings.ts';
import { maxUnknownReaders } from '#infra/settings.ts';
import { queueName } from '#infra/resource-name.ts';
import { addQueue } from './delivery-pipeline.ts';

/** Callbacks of one receive: the bank is asked about all of them concurrently. */
export const callbacksAtOnce = 10;

/** The queues of bank callbacks, not protected against deletion: the banks' lists recover lost callbacks. */
export class CallbackQueues extends Construct {
  /** Ids that a company owns, one a message. */
  readonly callbacks: Queue;
  /** Ids that the called company does not own, several a message: a flood of them fills only this queue. */
  readonly unknown: Queue;
  /** Callbacks that were read several times without success: the bank did not answer, or the service failed. */
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

/** Connects both queues to the function that reads at the bank. */
export function feedCallbacks(reader: IFunction, { callbacks, unknown }: CallbackQueues, readers: number): void {
  reader.addEventSource(
    new SqsEventSource(callbacks, {
      batchSize: callbacksAtOnce,
      reportBatchItemFailures: true,
      maxConcurrency: readers,
    }),
  );
  reader.addEventSource(
    new SqsEventSource(unknown, { batchSize: 1, reportBatchItemFailures: true, maxConcurrency: maxUnknownReaders }),
  );
}
