import type * as z from 'zod';
import type { WebhookSettingsRecord } from './contract.ts';
import type { WebhookSettings } from './settings.ts';

/** Webhook settings as the API shows them (2.11); `INACTIVE` as a whole while an operator holds the company. */
export function webhookSettingsView({
  version: _version,
  heldSince,
  ...settings
}: WebhookSettings): z.output<typeof WebhookSettingsRecord> {
  const status = heldSince === undefined ? settings.status : 'INACTIVE';
  return { ...settings, status, events: settings.events.map((event) => ({ ...event })) };
}
