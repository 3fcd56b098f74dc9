import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { jitter } from '#shared/webhooks/deliveries/states.ts';
import { metricNamespace } from '#shared/platform/metrics.ts';
import type { AddAlarm, Watched } from './alarms.ts';
import { business } from './alarms.ts';

/** SQS hides at most 120 000 messages at once; waiting for the next attempt is being hidden. */
const inFlightLimit = 120_000;
const minute = Duration.minutes(1);
/** Two working days and a weekend between them. */
const longestLetterAge = Duration.days(4);

/** From the table stream to the partner's endpoint. */
export function addDeliveryAlarms(scope: Construct, add: AddAlarm, watched: Watched): void {
  addEndpointAlarms(scope, add);
  const { schedules, workers, settings } = watched;
  const { deliveries, deadLetters, relayFailures } = watched.queues;
  add(scope, 'DeadLetters', {
    // New failures, not the letters in the queue: those stay for 14 days and would hide the next partner's for as long.
    metric: business('DeliveriesFailed', { worker: 'deliver-notification' }),
    above: 0,
    impact: 'A partner was not told of a status change: all five attempts of a notification failed.',
    action: 'Find the endpoint and the reason in the delivery, talk to the partner, then resend.',
    runbook: 'dead-letters',
  });
  add(scope, 'DeadLettersLeft', {
    metric: deadLetters.metricApproximateAgeOfOldestMessage({ period: Duration.hours(1), statistic: Stats.MAXIMUM }),
    above: longestLetterAge.toSeconds(),
    severity: 'ticket',
    impact: 'A partner has not been told of a status change for days: nobody has resent what failed.',
    action: 'Talk to the partner, resend, and delete the letter before the queue does at 14 days.',
    runbook: 'dead-letters-left',
  });
  const delays = settings.deliveries.retryDelaysSeconds.reduce((total, delay) => total + delay, 0);
  add(scope, 'DeliveryQueueAge', {
    metric: deliveries.metricApproximateAgeOfOldestMessage({ period: minute, statistic: Stats.MAXIMUM }),
    // Jitter adds at most a fifth to the waits; what is older has not been tried when it should have been.
    above: Math.ceil(delays * (1 + jitter)) + 15 * 60,
    periods: 3,
    impact: 'Notifications reach partners late: the queue is older than all its retries together.',
    action:
      'Look for errors and throttles of deliver-notification, and for one slow partner that holds its concurrency.',
    runbook: 'delivery-queue-age',
  });
  add(scope, 'DeliveriesInFlight', {
    metric: deliveries.metricApproximateNumberOfMessagesNotVisible({ period: minute, statistic: Stats.MAXIMUM }),
    above: 0.75 * inFlightLimit,
    impact: `Soon no partner is notified: SQS stops handing out messages at ${inFlightLimit} that wait for a retry.`,
    action:
      'Find the company whose endpoints fail one call in a few, and hold its notifications until they answer again.',
    runbook: 'deliveries-in-flight',
  });
  add(scope, 'StreamAge', {
    metric: workers['relay-deliveries'].metric('IteratorAge', { period: minute, statistic: Stats.MAXIMUM }),
    above: 60_000,
    periods: 3,
    impact: 'Notifications start late: the relay is more than a minute behind the table.',
    action:
      'Look for errors and throttles of relay-deliveries; after a day the stream forgets and only the sweep is left.',
    runbook: 'stream-age',
  });
  add(scope, 'RelayFailures', {
    metric: waitingMessages(relayFailures),
    above: 0,
    impact: 'Notifications were not queued: the relay gave up records of the stream. The sweep sends them late.',
    action: 'Read the failure queue and the errors of relay-deliveries, and see that the sweep has caught up.',
    runbook: 'relay-failures',
  });
  add(scope, 'ScheduleFailures', {
    metric: waitingMessages(schedules.failures),
    above: 0,
    impact: 'Expiries, submissions or resends may be late: a schedule could not call its function.',
    action: 'Read the reason in the message, and see that the next minute has run.',
    runbook: 'schedule-failures',
  });
}

/** Alarms over what the workers report of partners' endpoints. */
function addEndpointAlarms(scope: Construct, add: AddAlarm): void {
  add(scope, 'EndpointFailing', {
    metric: pipeline('EndpointFailing', Stats.MAXIMUM),
    above: 3600,
    impact:
      'A partner is not told of anything new: an endpoint has been failing for more than an hour. Nothing is lost.',
    action: 'Find company and host in the log (probe-failed), and talk to the partner.',
    runbook: 'failing-endpoints',
  });
  add(scope, 'EndpointsDisabled', {
    metric: pipeline('EndpointsDisabled', Stats.SUM),
    above: 0,
    impact: 'A partner is not told of anything: an endpoint failed for five days and became inactive; all is held.',
    action:
      'Talk to the partner; making the endpoint active, or webhook:release, sends what was held in the last 7 days.',
    runbook: 'failing-endpoints',
  });
}

/** A probe goes every quarter of an hour at the latest, and says how long its endpoint has been failing. */
function pipeline(metricName: string, statistic: string): Metric {
  const dimensionsMap = { pipeline: 'deliveries' };
  return new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap,
    period: Duration.minutes(15),
    statistic,
  });
}

function waitingMessages(queue: Queue) {
  return queue.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: Stats.MAXIMUM });
}
