import * as z from 'zod';
import { webhookTypes } from '../platform/outbox/delivery.ts';
import type { WebhookSecret, WebhookSettings } from './settings.ts';
import { endpointStatuses } from './settings.ts';
import { keys } from '../platform/table/keys.ts';
import type { Members } from '../platform/table/parse.ts';
import { parseItem } from '../platform/table/parse.ts';
import type { Item, Put, Store } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';

const SettingsItem = z.object({
  id: z.string(),
  companyId: z.string(),
  organizationId: z.string(),
  status: z.enum(endpointStatuses),
  events: z.array(
    z.object({
      type: z.enum(webhookTypes),
      endpoint: z.string(),
      status: z.enum(endpointStatuses),
      createdAt: z.string(),
      updatedAt: z.string(),
    } satisfies Members<WebhookSettings['events'][number]>),
  ),
  heldSince: z.string().exactOptional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  updatedBy: z.string().exactOptional(),
  version: z.int(),
} satisfies Members<WebhookSettings>);

const SecretItem = z.object({
  companyId: z.string(),
  current: z.string(),
  createdAt: z.string(),
  rotationId: z.string().exactOptional(),
  previous: z.string().exactOptional(),
  previousExpiresAt: z.string().exactOptional(),
  previousRotation: z.object({ id: z.string(), createdAt: z.string() }).exactOptional(),
  version: z.int(),
} satisfies Members<WebhookSecret>);

export function webhookSettingsItem(settings: WebhookSettings): Item {
  const events = settings.events.map((event) => ({ ...event }));
  return { ...keys.webhookSettings(settings.companyId), entity: 'WEBHOOK_SETTINGS', ...settings, events };
}

/** @throws CorruptItem */
export function parseWebhookSettings(item: Item): WebhookSettings {
  return parseItem(SettingsItem, item, 'webhook settings');
}

/** Encrypted at rest; IAM opens its partition only to the functions that sign or rotate. */
export function webhookSecretItem(secret: WebhookSecret): Item {
  return { ...keys.webhookSecret(secret.companyId), entity: 'WEBHOOK_SECRET', ...secret };
}

/** @throws CorruptItem */
export function parseWebhookSecret(item: Item): WebhookSecret {
  return parseItem(SecretItem, item, 'webhook secret');
}

/** One read. Every company has settings. @throws CorruptItem */
export async function readWebhookSettings(store: Store, companyId: string): Promise<WebhookSettings> {
  const [item] = await store.read([keys.webhookSettings(companyId)]);
  if (item === undefined) throw noSettings();
  return parseWebhookSettings(item);
}

export function noSettings(): CorruptItem {
  return new CorruptItem('A company with API clients has no webhook settings.');
}

/** One read. Every company has a secret. @throws CorruptItem */
export async function readWebhookSecret(store: Store, companyId: string): Promise<WebhookSecret> {
  const [item] = await store.read([keys.webhookSecret(companyId)]);
  return requireWebhookSecret(item);
}

/** @throws CorruptItem also without an item */
export function requireWebhookSecret(item: Item | undefined): WebhookSecret {
  if (item === undefined) throw new CorruptItem('A company with API clients has no webhook secret.');
  return parseWebhookSecret(item);
}

/** Returns the write that replaces the secret of one version lower. */
export function webhookSecretUpdate(secret: WebhookSecret): Put {
  return { put: webhookSecretItem(secret), when: { equals: { version: secret.version - 1 } } };
}

/** Writes a secret. False when it changed since its read. */
export async function writeWebhookSecret(store: Store, secret: WebhookSecret): Promise<boolean> {
  const outcome = await store.writeOne(webhookSecretUpdate(secret));
  // After a lost response the repeated write finds its own secret.
  return outcome.ok || outcome.failed.some(({ item }) => item?.['current'] === secret.current);
}
