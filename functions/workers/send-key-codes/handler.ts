import { dependenciesOf, keepSentCode, outbox } from '#sandbox';
import type { CodeSender } from '#shared/pix-keys/codes/sender.ts';
import { systemClock } from '#shared/platform/clock.ts';
import { dueWorker } from '#shared/platform/jobs/due-worker.ts';
import type { DueRun } from '#shared/platform/jobs/run.ts';
import { settings } from '#shared/platform/settings.ts';
import { amazonSender } from '#shared/pix-keys/codes/amazon-sender.ts';
import type { SendRun } from '#shared/pix-keys/codes/send.ts';
import { sendDueCode, sendOnlyTo } from '#shared/pix-keys/codes/send.ts';

let send: CodeSender | undefined;

/** Sends the new codes that the relay queues; every minute those that are still pending. */
export const handler = dueWorker('send-key-codes', {
  family: 'KEY_CODES',
  doJob: (run, job) => sendDueCode(sendRun(run), job),
});

function sendRun(run: DueRun): SendRun {
  return {
    ...run,
    realNow: systemClock,
    companyNow: async (companyId) => {
      const { now } = await dependenciesOf({ store: run.store, now: systemClock, realNow: systemClock }, companyId);
      return now();
    },
    send: (send ??= senderOfEnvironment()),
    keepSentCode,
  };
}

/** Returns the sender of codes. @throws Error where no sender is configured: the alarm of this worker rings. */
function senderOfEnvironment(): CodeSender {
  const { senders } = settings().keys;
  if (senders?.recipients === 'ANYONE') return amazonSender(senders);
  if (outbox === undefined)
    throw new Error('Cannot send confirmation codes: this build needs keys.senders with the recipients ANYONE.');
  return senders === undefined ? outbox : sendOnlyTo(senders.recipients, amazonSender(senders), outbox);
}
