import type { Context, SQSEvent } from 'aws-lambda';
import { errorFields, log } from '#shared/platform/log.ts';
import { settings } from '#shared/platform/settings.ts';
import type { CallDeps } from '#shared/webhooks/dispatch/call.ts';
import { drain } from '#shared/webhooks/backlog/drain.ts';
import { parseDrainMessage } from '#shared/webhooks/dispatch/queue.ts';
import { count, reportDrain } from '#shared/webhooks/dispatch/report.ts';
import { callDeps } from '#shared/webhooks/dispatch/connect.ts';

let deps: CallDeps | undefined;

/**
 * Runs the drain of each message of the drain queue. After an error the message still counts as done:
 * `sweep-deliveries` requests the drain again.
 */
export async function handler(
  { Records }: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<void> {
  const known = (deps ??= callDeps());
  const limits = settings().deliveries.callsAtOnce;
  for (const { body, messageId } of Records) {
    const message = parseDrainMessage(body);
    try {
      if (message === undefined) throw new Error('The SQS message is malformed.');
      const remainingMs = (): number => context.getRemainingTimeInMillis();
      await drain(message, { ...known, limits, remainingMs, onDrain: reportDrain });
    } catch (error) {
      log('error', 'Cannot finish a drain', { ...message, messageId, ...errorFields(error) });
      count('JobsFailed', 'drain-backlogs');
    }
  }
}
