import { env } from '#shared/platform/env.ts';
import { queueWorker } from '#shared/platform/queue-worker.ts';
import { settings } from '#shared/platform/settings.ts';
import { callDeps } from '#shared/webhooks/dispatch/connect.ts';
import { deliverBatch } from '#shared/webhooks/dispatch/deliver.ts';
import type { CallDeps } from '#shared/webhooks/dispatch/call.ts';

let deps: CallDeps | undefined;

/** Calls partners: one attempt for each message of the delivery queue. */
export const handler = queueWorker(
  (messages, hide) =>
    deliverBatch(messages, { ...(deps ??= callDeps()), hide, companyShare: settings().deliveries.companyShare }),
  () => env('QUEUE_URL'),
);
