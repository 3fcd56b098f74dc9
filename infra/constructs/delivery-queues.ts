import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** Receives of one message: the first attempt and four retries (section 6.1 of the specification). */
const RECEIVES = 5;

/**
 * The queue that carries deliveries to the notifier, and the one that keeps what was received five times. Both can be made
 * anew from the table, which is why they live beside their consumers.
 */
export class DeliveryQueues extends Construct {
  readonly deliveries: Queue;
  readonly deadLetters: Queue;
  /** Where Lambda puts the position of stream records that the relay gave up. */
  readonly relayFailures: Queue;

  /** @param consumerTimeoutSeconds Timeout of the function that receives: AWS asks for six times as much invisibility. */
  constructor(scope: Construct, id: string, consumerTimeoutSeconds: number) {
    super(scope, id);
    this.deadLetters = closedQueue(this, 'DeadLetters', { retention: Duration.days(14) });
    this.relayFailures = closedQueue(this, 'RelayFailures', { retention: Duration.days(14) });
    this.deliveries = closedQueue(this, 'Deliveries', {
      retention: Duration.days(4),
      visibility: Duration.seconds(6 * consumerTimeoutSeconds),
      deadLetters: this.deadLetters,
    });
  }
}

/** A queue encrypted by SQS and reached by TLS alone. */
export function closedQueue(
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
      deadLetterQueue: { queue: options.deadLetters, maxReceiveCount: RECEIVES },
    }),
  });
}
