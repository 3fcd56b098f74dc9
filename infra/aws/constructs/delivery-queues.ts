import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { receivesPerDispatch } from '#shared/webhooks/deliveries/states.ts';

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
