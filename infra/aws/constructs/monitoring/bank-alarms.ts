import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { reports } from '#shared/bank/report.ts';
import type { AlarmMaker, Business } from './alarms.ts';
import { businessOf } from './alarms.ts';
import type { Watched } from './watched.ts';

/** Adds the alarms on bank events and on their callbacks. */
export function addBankAlarms(add: AlarmMaker, watched: Watched): void {
  const business = businessOf(watched.settings);
  addReports(add, business);
  addMoneyReports(add, business);
  addCallbackAlarms(add, business, watched.queues);
}

/** Adds the alarms on bank events that a person must look at (shared/bank/report.ts). */
function addReports(add: AlarmMaker, business: Business): void {
  const metricOf = (name: keyof typeof reports) => business(name, { service: 'bank' });
  add.above('BalanceDiffers', {
    metric: metricOf('BalanceDiffers'),
    severity: 'page',
    impact: 'The balance of a company at its bank differs from the ledger entries: money is missing on one side.',
    action: 'Find the difference, and payments of its amount, in the log of read-bank-lists. Check the bank statement.',
  });
  add.above('BalanceNotCompared', {
    metric: metricOf('BalanceNotCompared'),
    impact:
      'A company moves so much money that its balance was not compared with the bank: a difference stays undetected.',
    action: 'Find the company in the log of read-bank-lists, and run bank:read-lists --daily in a quiet hour.',
    runbook: 'balance-differs',
  });
  add.above('AnswersAboutOthers', {
    metric: metricOf('AnswersAboutOthers'),
    impact: 'Responses of a bank, or of a proxy before it, name another resource than the request: they are ignored.',
    action:
      'Find the differing fields in the logs, and ask the bank. Orders stay open until a correct response arrives.',
  });
  add.above('BankValuesUnknown', {
    metric: metricOf('BankValuesUnknown'),
    impact: 'A bank sends a value that the service does not know: what it is about stays as it is.',
    action: 'Find field and value in the logs, ask the bank what it means, and release a version that knows it.',
  });
  add.above('BankContradictions', {
    metric: metricOf('BankContradictions'),
    severity: 'page',
    impact:
      'A bank event contradicts the final status of a payment, refund or recurrence: the ledger and the bank may differ.',
    action:
      'Find the order in the logs, and ask the bank before you pay or return money. If the bank refused to end a recurrence, have the bank end it.',
  });
  add.above('BankAccessRefused', {
    metric: metricOf('BankAccessRefused'),
    impact: 'A bank refuses the access of a company: payouts, charges and queries at that bank fail.',
    action: 'Find the company and the cause in the logs, and run bank:check.',
    runbook: 'access-to-banks',
  });
  add.above('BankCertificateEnds', {
    metric: metricOf('BankCertificateEnds'),
    impact: 'The client certificate of a company for its bank expires within thirty days: then all bank calls fail.',
    action: 'Request a new certificate from the bank, and connect it with bank:connect.',
    runbook: 'access-to-banks',
  });
  add.above('BanksPaused', {
    metric: metricOf('BanksPaused'),
    above: 3,
    periods: 2,
    impact:
      'The service paused its calls to a bank that fails or limits calls: commands wait, and requests that query the bank get 503.',
    action: 'Find the company and the cause with bank:list, and ask the bank.',
    runbook: 'access-to-banks',
  });
}

/** Adds the alarms on money that moved without an order of the service (shared/bank/report.ts). */
function addMoneyReports(add: AlarmMaker, business: Business): void {
  const metricOf = (name: keyof typeof reports) => business(name, { service: 'bank' });
  add.above('CreditsUnplaced', {
    metric: metricOf('CreditsUnplaced'),
    impact:
      'A received Pix names no account that the service knows: it is booked nowhere, and the partner got no notification.',
    action: 'Inspect the Pix with bank:unmatched, ask the partner, and book it to an account with bank:credit.',
  });
  add.above('UnsolicitedReturns', {
    metric: metricOf('UnsolicitedReturns'),
    impact:
      'The bank returned a payment without a refund request (MED): the money is still in the account here, and no longer at the bank.',
    action: 'Inspect the return with bank:unmatched, and notify the partner before the money is paid out again.',
  });
  add.above('PayoutsReturnedLate', {
    metric: metricOf('PayoutsReturnedLate'),
    impact: 'The bank returned the money of a PAID payout: it is in the account again, and the payout stays PAID.',
    action: 'Notify the partner: the log line names the payout.',
  });
}

/** Adds the alarms on callbacks. A callback only saves time: lists and queries find an event without one. */
function addCallbackAlarms(add: AlarmMaker, business: Business, { callbacks, callbackFailures }: Watched['queues']) {
  const runbook = 'callbacks-of-banks';
  add.above('TruststoreWarnings', {
    metric: business('TruststoreWarnings', { service: 'bank' }),
    impact: 'API Gateway cannot use a certificate authority of a bank: it rejects the callbacks of that bank.',
    action: 'Read the warnings in the log of read-bank-lists, and write the truststore again with bank:truststore.',
    runbook,
  });
  add.above('CallbacksRefused', {
    metric: business('Callbacks', { outcome: 'REFUSED' }),
    above: 20,
    impact: 'Callbacks are refused: the certificate of a bank has a new subject, or the caller is not the bank.',
    action: 'Find the outcome and the company in the log of receive-callbacks, and ask the bank.',
    runbook,
  });
  add.above('CallbackIdsUnread', {
    metric: business('CallbackIdsUnread', { worker: 'apply-callbacks' }, Stats.SUM, Duration.hours(1)),
    above: 10,
    impact:
      'A bank sends callbacks minutes before its reads return the event: its lists apply the event, up to an hour late.',
    action:
      'Find the company and the kind in the log of apply-callbacks, and ask the bank how long its reads lag behind.',
    runbook,
  });
  add.above('CallbackQueueAge', {
    metric: callbacks('ApproximateAgeOfOldestMessage', { period: Duration.minutes(1), statistic: Stats.MAXIMUM }),
    above: 10 * 60,
    periods: 3,
    impact: 'Callbacks are processed late: partners get late notifications of received and sent payments.',
    action: 'Check apply-callbacks for errors and throttles, and its log for a bank that does not respond.',
    runbook,
  });
  add.above('MissedByCallback', {
    metric: business('MissedByCallback', { worker: 'read-bank-lists' }, Stats.SUM, Duration.hours(1)),
    above: 10,
    impact: 'Only the lists applied some payments, up to an hour late: callbacks of a bank do not arrive.',
    action: 'Check the registered webhooks with bank:webhooks, and the outcomes in the log of receive-callbacks.',
    runbook,
  });
  add.above('CallbackFailures', {
    metric: callbackFailures('ApproximateNumberOfMessagesVisible', {
      period: Duration.hours(1),
      statistic: Stats.MAXIMUM,
    }),
    impact: 'A bank did not respond to the queries about its callbacks for a quarter of an hour.',
    action: 'Find the cause in the log of apply-callbacks, and redrive the queue when the bank responds again.',
    runbook,
  });
}
