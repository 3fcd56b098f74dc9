import { Duration } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { allRetryDelays, jitter } from '#shared/webhooks/deliveries/states.ts';
import type { AlarmMaker } from './alarms.ts';
import { businessOf } from './alarms.ts';
import type { MetricOf, Watched } from './watched.ts';

/** The limit of SQS. A message is in flight while it waits for its next attempt. */
const inFlightLimit = 120_000;
const minute = Duration.minutes(1);
/** Two working days and a weekend. */
const longestLetterAge = Duration.days(4);

/**
 * Adds the alarms on deliveries, from the table stream to the partner's endpoint. Of an endpoint that fails only graphs
 * tell: of a thousand partners one always has one.
 */
export function addDeliveryAlarms(add: AlarmMaker, watched: Watched): void {
  const { workers, settings } = watched;
  const business = businessOf(settings);
  const { deliveries, deadLetters, relayFailures, scheduleFailures } = watched.queues;
  add.above('DeadLettersLeft', {
    metric: deadLetters('ApproximateAgeOfOldestMessage', { period: Duration.hours(1), statistic: Stats.MAXIMUM }),
    above: longestLetterAge.toSeconds(),
    impact: 'A partner has not received a notification for days: the failed delivery was not resent.',
    action: 'Contact the partner, resend, and delete the dead letter. The queue deletes it after 14 days.',
  });
  const delays = allRetryDelays(settings.deliveries.retryDelaysSeconds).reduce((total, delay) => total + delay, 0);
  add.above('DeliveryQueueAge', {
    metric: deliveries('ApproximateAgeOfOldestMessage', { period: minute, statistic: Stats.MAXIMUM }),
    // All delays with their jitter: an older message has missed an attempt.
    above: Math.ceil(delays * (1 + jitter)) + 15 * 60,
    periods: 3,
    impact: 'Notifications reach partners late: the oldest message is older than all retry delays together.',
    action:
      'Check deliver-notification for errors and throttles, and find a slow partner that uses up its concurrency.',
  });
  add.above('DeliveriesInFlight', {
    metric: deliveries('ApproximateNumberOfMessagesNotVisible', { period: minute, statistic: Stats.MAXIMUM }),
    above: 0.75 * inFlightLimit,
    severity: 'page',
    impact: `Notifications to all partners stop soon: SQS delivers no messages above ${inFlightLimit} in flight.`,
    action:
      'Find the company whose endpoints fail often, and hold its notifications until the endpoints respond again.',
  });
  add.above('StreamAge', {
    metric: workers['relay-deliveries']('IteratorAge', { period: minute, statistic: Stats.MAXIMUM }),
    above: 60_000,
    periods: 3,
    impact: 'Notifications start late: the relay is more than a minute behind the table.',
    action:
      'Check relay-deliveries for errors and throttles. The stream keeps records for a day; the sweep sends older deliveries.',
  });
  add.above('EndpointsDisabled', {
    metric: business('EndpointsDisabled', { pipeline: 'deliveries' }, Stats.SUM, Duration.minutes(15)),
    impact:
      'A partner gets no notifications: an endpoint failed for five days and became inactive. Its notifications are held.',
    action:
      'Contact the partner. Activation of the endpoint, or webhook:release, sends the notifications held in the last 7 days.',
    runbook: 'failing-endpoints',
  });
  add.above('RelayFailures', {
    metric: newMessages(relayFailures),
    impact: 'Notifications were not queued: the relay skipped records of the stream. The sweep sends them late.',
    action:
      'Read the failure queue and the errors of relay-deliveries, and check that the sweep has sent the deliveries.',
  });
  add.above('ScheduleFailures', {
    metric: newMessages(scheduleFailures),
    impact: 'Expiries, submissions or resends may be late: a schedule could not invoke its function.',
    action: 'Read the error in the message, and check that the next run took place.',
  });
}

/** Counts new messages: the number of all messages would hide a new failure while an older message waits. */
function newMessages(queue: MetricOf): Metric {
  return queue('NumberOfMessagesSent', { period: Duration.minutes(5), statistic: Stats.SUM });
}
