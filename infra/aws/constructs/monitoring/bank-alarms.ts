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
  addCallbackAlarms(add, business, watched.queues);
}

/** Adds the alarms on bank events that a person must look at (shared/bank/report.ts). */
function addReports(add: AlarmMaker, business: Business): void {
  const said = (name: keyof typeof reports) => business(name, { service: 'bank' });
  add.above('BalanceDiffers', {
    metric: said('BalanceDiffers'),
    impact: "The bank's balance of a company differs from its entries: money is missing here or there.",
    action: 'See the difference and its candidates in the log of read-bank-lists, and the statement of the bank.',
  });
  add.above('BalanceNotCompared', {
    metric: said('BalanceNotCompared'),
    severity: 'ticket',
    impact:
      'So much money of a company moves that its balance was not compared with the bank: nothing shows a difference.',
    action: 'See the company in the log of read-bank-lists, and compare in a quiet hour by bank:read-lists --daily.',
    runbook: 'balance-differs',
  });
  add.above('AnswersAboutOthers', {
    metric: said('AnswersAboutOthers'),
    impact: 'A bank, or a proxy before it, answers about another payment or charge than was asked: it is not believed.',
    action:
      'See in the logs which fields differ, and ask the bank; what was asked about stays open until it is answered.',
  });
  add.above('BankContradictions', {
    metric: said('BankContradictions'),
    impact:
      'The bank says of a payment, refund or recurrence the contrary of its final status: money here and there may differ.',
    action:
      'See in the logs which it is, and ask the bank before anything is paid or given back; a subscription that it refused to end must be ended there.',
  });
  add.above('BankAccessRefused', {
    metric: said('BankAccessRefused'),
    impact: 'A bank refuses the access of a company: nothing is paid, opened or asked there.',
    action: 'See the company and the cause in the logs, and run bank:check.',
    runbook: 'access-to-banks',
  });
  add.above('BankCertificateEnds', {
    metric: said('BankCertificateEnds'),
    severity: 'ticket',
    impact: 'The certificate of a company for its bank ends within thirty days: then nothing is paid any more.',
    action: 'Ask the bank for a new one, and connect it by bank:connect.',
    runbook: 'access-to-banks',
  });
  add.above('BanksPaused', {
    metric: said('BanksPaused'),
    above: 3,
    periods: 2,
    impact: 'A bank breaks down or refuses so many calls that it is left alone: commands wait, questions are 503.',
    action: 'See the company and the cause by bank:list, and ask the bank.',
    runbook: 'access-to-banks',
  });
  add.above('CreditsUnmatched', {
    metric: said('CreditsUnmatched'),
    severity: 'ticket',
    impact: 'Money came in that no charge expects: it is in the account, and the partner was not told.',
    action: 'Look at it by bank:unmatched, ask the partner, and send it back by bank:return if it is not theirs.',
  });
  add.above('UnsolicitedReturns', {
    metric: said('UnsolicitedReturns'),
    impact: "The bank sent a payer's money back unasked (MED): the account here still has it, the bank's does not.",
    action: 'See it by bank:unmatched, and tell the partner before the money is paid out again.',
  });
  add.above('PayoutsReturnedLate', {
    metric: said('PayoutsReturnedLate'),
    severity: 'ticket',
    impact: 'Money of a payout that was PAID came back: it is in the account again, and the payout stays PAID.',
    action: 'Tell the partner, with the payout in the log line.',
  });
}

/** Adds the alarms on callbacks. A callback only saves time: lists and queries find an event without one. */
function addCallbackAlarms(add: AlarmMaker, business: Business, { callbacks, callbackFailures }: Watched['queues']) {
  const runbook = 'callbacks-of-banks';
  add.above('TruststoreWarnings', {
    metric: business('TruststoreWarnings', { service: 'bank' }),
    severity: 'ticket',
    impact: "API Gateway cannot use an authority of a bank: that bank's callbacks are turned away unseen.",
    action: 'See the warnings in the log of read-bank-lists, and write the truststore anew by bank:truststore.',
    runbook,
  });
  add.above('CallbacksFailed', {
    metric: business('Callbacks', { outcome: 'FAILED' }),
    periods: 3,
    impact: 'What banks call about is heard late: callbacks are not queued. Their banks send them again.',
    action: 'Read the errors of receive-callbacks in its log: the table or the queue does not answer.',
    runbook,
  });
  add.above('CallbacksRefused', {
    metric: business('Callbacks', { outcome: 'REFUSED' }),
    above: 20,
    severity: 'ticket',
    impact: 'Callbacks are refused: of a bank whose certificate has a new subject, or of somebody else.',
    action: 'See the outcome and the company in the log of receive-callbacks, and ask the bank.',
    runbook,
  });
  add.above('CallbackIdsUnread', {
    metric: business('CallbackIdsUnread', { worker: 'apply-callbacks' }, Stats.SUM, Duration.hours(1)),
    above: 10,
    severity: 'ticket',
    impact:
      'A bank calls about things that its reads do not show for minutes: they move with its lists, up to an hour late.',
    action:
      'See the company and the kind in the log of apply-callbacks, and ask the bank how far its reads lag behind.',
    runbook,
  });
  add.above('CallbackQueueAge', {
    metric: callbacks('ApproximateAgeOfOldestMessage', { period: Duration.minutes(1), statistic: Stats.MAXIMUM }),
    above: 10 * 60,
    periods: 3,
    impact: 'What banks called about moves late: partners are told late of money that came in or went out.',
    action: 'Look for errors and throttles of apply-callbacks, and for a bank that does not answer.',
    runbook,
  });
  add.above('BankListsPending', {
    metric: business('JobsPending', { worker: 'read-bank-lists' }, Stats.SUM, Duration.hours(1)),
    severity: 'ticket',
    impact: 'The lists of some banks were not read in their hour: what no callback brought there stays unheard.',
    action: 'See in the log of read-bank-lists which bank takes long, and read them all by bank:read-lists.',
    runbook,
  });
  add.above('MissedByCallback', {
    metric: business('MissedByCallback', { worker: 'read-bank-lists' }, Stats.SUM, Duration.hours(1)),
    above: 10,
    severity: 'ticket',
    impact: 'Payments were moved by lists alone, up to an hour late: callbacks of a bank do not arrive.',
    action: 'See by bank:webhooks what the bank has registered, and what receive-callbacks says of its calls.',
    runbook,
  });
  add.above('CallbackFailures', {
    metric: callbackFailures('ApproximateNumberOfMessagesVisible', {
      period: Duration.hours(1),
      statistic: Stats.MAXIMUM,
    }),
    severity: 'ticket',
    impact: 'A bank did not say for a quarter of an hour what became of what it called about.',
    action: 'See in the log of apply-callbacks why, and redrive the queue once the bank answers.',
    runbook,
  });
}
