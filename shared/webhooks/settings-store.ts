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
      failingSince: z.string().exactOptional(),
      createdAt: z.string(),
      updatedAt: z.string(),
    } satisfies Members<WebhookSettings['events'][number]>),
  ),
  heldSince: z.string().exactOptional(),
  createdAt: z.string(),
  updatedAt: z.string(),
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

/** Encrypted at rest by the table's key; in a partition that only the functions which sign or rotate may read. */
export function webhookSecretItem(secret: WebhookSecret): Item {
  return { ...keys.webhookSecret(secret.companyId), entity: 'WEBHOOK_SECRET', ...secret };
}

/** @throws CorruptItem */
export function parseWebhookSecret(item: Item): WebhookSecret {
  return parseItem(SecretItem, item, 'webhook secret');
}

/** One read. A company has settings from its beginning. @throws CorruptItem */
export async function readWebhookSettings(store: Store, companyId: string): Promise<WebhookSettings> {
  const [item] = await store.read([keys.webhookSettings(companyId)]);
  if (item === undefined) throw new CorruptItem('A company that has clients has no webhook settings.');
  return parseWebhookSettings(item);
}

/** One read. A company has a secret from its beginning. @throws CorruptItem */
export async function readWebhookSecret(store: Store, companyId: string): Promise<WebhookSecret> {
  const [item] = await store.read([keys.webhookSecret(companyId)]);
  return requireWebhookSecret(item);
}

/** The secret in an item that was read. @throws CorruptItem also when there is none. */
export function requireWebhookSecret(item: Item | undefined): WebhookSecret {
  if (item === undefined) throw new CorruptItem('A company that has clients has no webhook secret.');
  return parseWebhookSecret(item);
}

/**
 * Writes settings and what must be written with them, if the settings still are as they were read (one version lower);
 * says whether they were. `token` makes a repetition of this very write harmless.
 */
export async function writeWebhookSettings(
  store: Store,
  settings: WebhookSettings,
  withThem: readonly Put[],
  token: string,
): Promise<boolean> {
  const when = { equals: { version: settings.version - 1 } };
  return (await store.write([{ put: webhookSettingsItem(settings), when }, ...withThem], token)).ok;
}

/** A secret, if the one before it still is as it was read. */
export function webhookSecretUpdate(secret: WebhookSecret): Put {
  return { put: webhookSecretItem(secret), when: { equals: { version: secret.version - 1 } } };
}

/** Writes a secret, if the one before it still is as it was read; says whether it was. */
export async function writeWebhookSecret(store: Store, secret: WebhookSecret): Promise<boolean> {
  const outcome = await store.writeOne(webhookSecretUpdate(secret));
  // A write that was repeated after its answer was lost finds itself.
  return outcome.ok || outcome.failed.some(({ item }) => item?.['current'] === secret.current);
}
