import type * as z from 'zod';
import type { WebhookSettingsRecord } from '../contracts/webhook.ts';
import type { WebhookSettings } from '../domain/webhook-settings.ts';

/** Webhook settings as the API shows them (2.11). */
export function webhookSettingsView({
  version: _,
  ...settings
}: WebhookSettings): z.output<typeof WebhookSettingsRecord> {
  return { ...settings, events: settings.events.map((event) => ({ ...event })) };
}
