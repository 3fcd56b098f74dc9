import { dependenciesOf, keepSentCode, outbox } from '#sandbox';
import type { CodeSender } from '#shared/pix-keys/codes/sender.ts';
import { systemClock } from '#shared/platform/clock.ts';
import { dueWorker } from '#shared/platform/jobs/due-worker.ts';
import { settings } from '#shared/platform/settings.ts';
import { amazonSender } from '#shared/pix-keys/codes/amazon-sender.ts';
import type { SendRun } from '#shared/pix-keys/codes/send.ts';
import { sendDueCodes, sendOnlyTo, sendWrittenCodes } from '#shared/pix-keys/codes/send.ts';

let send: CodeSender | undefined;

/** Sends the new codes that the stream brings; every minute those that are still pending. */
export const handler = dueWorker('send-key-codes', async (due, event) => {
  const run: SendRun = {
    ...due,
    realNow: systemClock,
    companyNow: async (companyId) => {
      const { now } = await dependenciesOf({ store: due.store, now: systemClock, realNow: systemClock }, companyId);
      return now();
    },
    send: (send ??= senderOfEnvironment()),
    keepSentCode,
  };
  if (hasRecords(event)) return { ...(await sendWrittenCodes(run, event.Records)), due: {} };
  const sent = await sendDueCodes(run);
  return { counts: sent.counts, due: { KEY_CODE: sent.due } };
});

/** Returns the sender of codes. @throws Error where no sender is configured: the alarm of this worker rings. */
function senderOfEnvironment(): CodeSender {
  const { senders } = settings().keys;
  if (senders?.recipients === 'ANYONE') return amazonSender(senders);
  if (outbox === undefined)
    throw new Error('Cannot send confirmation codes: this build needs keys.senders with the recipients ANYONE.');
  return senders === undefined ? outbox : sendOnlyTo(senders.recipients, amazonSender(senders), outbox);
}

function hasRecords(event: unknown): event is { readonly Records: readonly unknown[] } {
  return typeof event === 'object' && event !== null && 'Records' in event && Array.isArray(event.Records);
}
