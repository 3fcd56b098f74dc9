import * as z from 'zod';
import { GetWebhookSettings } from '#functions/webhooks/get/contract.ts';
import { GetDelivery } from '#functions/webhooks/get-delivery/contract.ts';
import { TestWebhook } from '#functions/webhooks/send-test/contract.ts';
import { connectPartner } from '../api/client.ts';
import type { Send } from '../api/http.ts';
import { jsonOf } from '../api/http.ts';
import { ToolFailure } from '../failures.ts';
import { poll } from '../poll.ts';

/** Secret of the synthetic caller, whose own company has no accounts. Stored as JSON in AWS Secrets Manager. */
const CallerSecret = z.object({
  baseUrl: z.url(),
  tokenUrl: z.url(),
  /** OAuth scope of the token request. */
  scope: z.string(),
  clientId: z.string(),
  clientSecret: z.string(),
  webhookSecret: z.string(),
});
type CallerSecret = z.infer<typeof CallerSecret>;

/** Reads the caller's secret. @throws ToolFailure that names fields and no values. */
export function readCallerSecret(text: string | undefined): CallerSecret {
  const read = CallerSecret.safeParse(jsonOf(text ?? ''));
  if (read.success) return read.data;
  const fields = Object.keys(CallerSecret.shape).join(', ');
  throw new ToolFailure(
    'The secret of the synthetic caller is not complete.',
    `Store it as JSON with the fields ${fields}.`,
  );
}

/** The type whose endpoint is the caller's receiver. */
const calledType = 'PAYIN';

const lookEveryMs = 500;

/**
 * Calls the service from outside, as a partner does: gets a token, reads the webhook settings, sends a test
 * notification and waits until the receiver has acknowledged it. The receiver acknowledges only signed notifications.
 * No money moves.
 *
 * @param withinMs The longest wait for the notification.
 * @throws Error or ToolFailure that says which step failed.
 */
export async function callFromOutside(secret: CallerSecret, send: Send, withinMs: number): Promise<void> {
  const partner = connectPartner(secret, secret, send);
  const { events } = (await partner.call(GetWebhookSettings)).body;
  if (!events.some(({ type, status }) => type === calledType && status === 'ACTIVE'))
    throw new ToolFailure(
      `The caller's company has no active endpoint for ${calledType}.`,
      'Register the address of its receiver with PUT /order/v1/webhook.',
    );
  const { id } = (await partner.call(TestWebhook, { body: { type: calledType } })).body;
  const look = async () => (await partner.call(GetDelivery, { params: { id } })).body.status;
  const status = await poll(look, (seen) => seen === 'DELIVERED', withinMs, lookEveryMs);
  if (status !== 'DELIVERED')
    throw new ToolFailure(
      `The test notification ${id} is ${status} after ${withinMs / 1000} seconds.`,
      'GET /order/v1/webhook/deliveries/{id} shows its attempts.',
    );
}
