import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { AddAlarm } from './alarms.ts';
import type { Watched } from './monitoring.ts';

/** SQS hides at most 120 000 messages at once; waiting for the next attempt is being hidden. */
const IN_FLIGHT_LIMIT = 120_000;
const MINUTE = Duration.minutes(1);

/** From the table stream to the partner's endpoint. */
export function addDeliveryAlarms(scope: Construct, add: AddAlarm, watched: Watched): void {
  const { schedules, workers, settings } = watched;
  const { deliveries, deadLetters, relayFailures } = watched.queues;
  add(scope, 'DeadLetters', {
    metric: waiting(deadLetters),
    above: 0,
    impact: 'A partner was not told of a status change: all five attempts of a notification failed.',
    action: 'Find the endpoint and the reason in the delivery, talk to the partner, then resend.',
    runbook: 'dead-letters',
  });
  const delays = settings.deliveries.retryDelaysSeconds.reduce((total, delay) => total + delay, 0);
  add(scope, 'DeliveryQueueAge', {
    metric: deliveries.metricApproximateAgeOfOldestMessage({ period: MINUTE, statistic: Stats.MAXIMUM }),
    // Jitter adds at most a fifth to the waits; what is older has not been tried when it should have been.
    above: Math.ceil(delays * 1.2) + 15 * 60,
    periods: 3,
    impact: 'Notifications reach partners late: the queue is older than all its retries together.',
    action:
      'Look for errors and throttles of deliver-notification, and for one slow partner that holds its concurrency.',
    runbook: 'delivery-queue-age',
  });
  add(scope, 'DeliveriesInFlight', {
    metric: deliveries.metricApproximateNumberOfMessagesNotVisible({ period: MINUTE, statistic: Stats.MAXIMUM }),
    above: 0.75 * IN_FLIGHT_LIMIT,
    impact: `Soon no partner is notified: SQS stops handing out messages at ${IN_FLIGHT_LIMIT} that wait for a retry.`,
    action: 'Find the company whose endpoint fails and set its endpoint inactive until it answers again.',
    runbook: 'deliveries-in-flight',
  });
  add(scope, 'StreamAge', {
    metric: workers['relay-deliveries'].metric('IteratorAge', { period: MINUTE, statistic: Stats.MAXIMUM }),
    above: 60_000,
    periods: 3,
    impact: 'Notifications start late: the relay is more than a minute behind the table.',
    action:
      'Look for errors and throttles of relay-deliveries; after a day the stream forgets and only the sweep is left.',
    runbook: 'stream-age',
  });
  add(scope, 'RelayFailures', {
    metric: waiting(relayFailures),
    above: 0,
    impact: 'Notifications were not queued: the relay gave up records of the stream. The sweep sends them late.',
    action: 'Read the failure queue and the errors of relay-deliveries, and see that the sweep has caught up.',
    runbook: 'relay-failures',
  });
  add(scope, 'ScheduleFailures', {
    metric: waiting(schedules.failures),
    above: 0,
    impact: 'Expiries, submissions or resends may be late: a schedule could not call its function.',
    action: 'Read the reason in the message, and see that the next minute has run.',
    runbook: 'schedule-failures',
  });
}

function waiting(queue: Queue) {
  return queue.metricApproximateNumberOfMessagesVisible({ period: MINUTE, statistic: Stats.MAXIMUM });
}
