import { Duration } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { maxCountedFailures } from '#shared/platform/outbox/delivery.ts';
import { allRetryDelays, jitter } from '#shared/webhooks/deliveries/states.ts';
import type { MetricBy } from '#shared/platform/metrics.ts';
import type { AlarmMaker, Business } from './alarms.ts';
import { businessOf } from './alarms.ts';
import type { MetricOf, Watched } from './watched.ts';

/** The limit of SQS. A message is in flight while it waits for its next attempt. */
const inFlightLimit = 120_000;
const minute = Duration.minutes(1);
/** Two working days and a weekend. */
const longestLetterAge = Duration.days(4);

/** Adds the alarms on deliveries, from the table stream to the partner's endpoint. */
export function addDeliveryAlarms(add: AlarmMaker, watched: Watched): void {
  const { workers, settings } = watched;
  const business = businessOf(settings);
  addEndpointAlarms(add, business);
  const { deliveries, deadLetters, relayFailures, scheduleFailures } = watched.queues;
  add.above('DeadLetters', {
    // Counts new failures: dead letters stay in the queue for 14 days and would hide the next partner's.
    metric: business('DeliveriesFailed', { worker: 'deliver-notification' }),
    impact: `A partner was not told of a status change: all ${maxCountedFailures} attempts of a notification failed.`,
    action: 'Find the endpoint and the reason in the delivery, talk to the partner, then resend.',
  });
  add.above('DeadLettersLeft', {
    metric: deadLetters('ApproximateAgeOfOldestMessage', { period: Duration.hours(1), statistic: Stats.MAXIMUM }),
    above: longestLetterAge.toSeconds(),
    severity: 'ticket',
    impact: 'A partner has not received a notification for days: what failed was not resent.',
    action: 'Talk to the partner, resend, and delete the dead letter before the queue does at 14 days.',
  });
  const delays = allRetryDelays(settings.deliveries.retryDelaysSeconds).reduce((total, delay) => total + delay, 0);
  add.above('DeliveryQueueAge', {
    metric: deliveries('ApproximateAgeOfOldestMessage', { period: minute, statistic: Stats.MAXIMUM }),
    // All delays with their jitter: an older message has missed an attempt.
    above: Math.ceil(delays * (1 + jitter)) + 15 * 60,
    periods: 3,
    impact: 'Notifications reach partners late: the queue is older than all its retries together.',
    action:
      'Look for errors and throttles of deliver-notification, and for one slow partner that holds its concurrency.',
  });
  add.above('DeliveriesInFlight', {
    metric: deliveries('ApproximateNumberOfMessagesNotVisible', { period: minute, statistic: Stats.MAXIMUM }),
    above: 0.75 * inFlightLimit,
    impact: `Soon no partner is notified: SQS stops handing out messages at ${inFlightLimit} that wait for a retry.`,
    action:
      'Find the company whose endpoints fail one call in a few, and hold its notifications until they answer again.',
  });
  add.above('StreamAge', {
    metric: workers['relay-deliveries']('IteratorAge', { period: minute, statistic: Stats.MAXIMUM }),
    above: 60_000,
    periods: 3,
    impact: 'Notifications start late: the relay is more than a minute behind the table.',
    action:
      'Look for errors and throttles of relay-deliveries; after a day the stream forgets and only the sweep is left.',
  });
  add.above('RelayFailures', {
    metric: newMessages(relayFailures),
    impact: 'Notifications were not queued: the relay gave up records of the stream. The sweep sends them late.',
    action: 'Read the failure queue and the errors of relay-deliveries, and see that the sweep has caught up.',
  });
  add.above('ScheduleFailures', {
    metric: newMessages(scheduleFailures),
    impact: 'Expiries, submissions or resends may be late: a schedule could not call its function.',
    action: 'Read the reason in the message, and see that the next minute has run.',
  });
}

/** Alarms over partners' endpoints. A probe goes at least every 15 minutes and reports how long its endpoint fails. */
function addEndpointAlarms(add: AlarmMaker, business: Business): void {
  const pipeline = (name: MetricBy<'deliveries'>, statistic: string) =>
    business(name, { pipeline: 'deliveries' }, statistic, Duration.minutes(15));
  add.above('EndpointFailing', {
    metric: pipeline('EndpointFailing', Stats.MAXIMUM),
    above: 3600,
    impact:
      'A partner is not told of anything new: an endpoint has been failing for more than an hour. Nothing is lost.',
    action: 'Find company and host in the log (probe-failed), and talk to the partner.',
    runbook: 'failing-endpoints',
  });
  add.above('BacklogAge', {
    metric: pipeline('BacklogAge', Stats.MAXIMUM),
    above: 3600,
    periods: 4,
    impact: 'A partner gets notifications more than an hour late, although its endpoint answers: it takes too few.',
    action: 'See how fast they leave (webhook:endpoints), and tell the partner how many it gets a second.',
    runbook: 'failing-endpoints',
  });
  add.above('EndpointsDisabled', {
    metric: pipeline('EndpointsDisabled', Stats.SUM),
    impact: 'A partner is not told of anything: an endpoint failed for five days and became inactive; all is held.',
    action:
      'Talk to the partner; making the endpoint active, or webhook:release, sends what was held in the last 7 days.',
    runbook: 'failing-endpoints',
  });
}

/** Counts new messages: one that waits for an operator would hide the next failure meanwhile. */
function newMessages(queue: MetricOf): Metric {
  return queue('NumberOfMessagesSent', { period: Duration.minutes(5), statistic: Stats.SUM });
}
