import { dependenciesOf } from '#company-time';
import { keepSentCode, outbox } from '#sent-codes';
import type { CodeSender } from '#shared/pix-keys/codes/sender.ts';
import { systemClock } from '#shared/platform/clock.ts';
import { dueWorker } from '#shared/platform/jobs/due-worker.ts';
import { env } from '#shared/platform/env.ts';
import { amazonSender } from '#shared/pix-keys/codes/amazon-sender.ts';
import type { SendRun } from '#shared/pix-keys/codes/send.ts';
import { sendDueCodes, sendOnlyTo, sendWrittenCodes } from '#shared/pix-keys/codes/send.ts';

let send: CodeSender | undefined;

/**
 * The stream calls it with new codes, which it sends at once. Every minute it sends those that are still pending.
 */
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

/** @throws Error where no sender of codes is configured: the alarm of this worker rings. */
function senderOfEnvironment(): CodeSender {
  const emailFrom = env('KEY_CODE_EMAIL_FROM');
  const smsFrom = env('KEY_CODE_SMS_FROM');
  const recipients = env('KEY_CODE_RECIPIENTS');
  if (emailFrom !== undefined && recipients === 'ANYONE') return amazonSender({ emailFrom, smsFrom });
  if (outbox === undefined) throw new Error('No sender of codes to anyone is configured.');
  if (emailFrom === undefined || recipients === 'ANYONE') return outbox;
  return sendOnlyTo(recipients, amazonSender({ emailFrom, smsFrom }), outbox);
}

function hasRecords(event: unknown): event is { readonly Records: readonly unknown[] } {
  return typeof event === 'object' && event !== null && 'Records' in event && Array.isArray(event.Records);
}
