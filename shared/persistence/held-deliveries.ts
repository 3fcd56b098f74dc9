import * as z from 'zod';
import type { Clock, Instant } from '../domain/brasilia-time.ts';
import { secondsBetween } from '../domain/brasilia-time.ts';
import { release, shelve } from '../domain/delivery-moves.ts';
import type { WebhookType } from '../domain/notification.ts';
import { webhookTypes } from '../domain/notification.ts';
import { addressOf } from '../domain/webhook-settings.ts';
import { writeDelivery, writeSending } from './deliveries.ts';
import { parseDelivery } from './delivery-items.ts';
import { dueAt, heldPartition, keys } from './keys.ts';
import { parsed } from './parse.ts';
import type { Item, Put, Store } from './store.ts';
import { parseWebhookSettings } from './webhook-settings.ts';

/** What was held longer is not sent by itself any more; it can be sent again by hand. */
const releasedSeconds = 7 * 86_400;
/** A notifier that read the settings before they changed may hold a delivery until then, and the index shows it late. */
const settledSeconds = 120;

const JobItem = z.object({ companyId: z.string(), type: z.enum(webhookTypes), createdAt: z.string() });

/** The obligation to release what is held for a type: written with the settings that give it an active endpoint. */
export type ReleaseJob = z.output<typeof JobItem>;

export type ReleaseDeps = { readonly store: Store; readonly now: Clock; readonly newId: () => string };

/** A new activation takes the place of the job before it. */
export function releaseJobPut(job: ReleaseJob): Put {
  const { companyId, type, createdAt } = job;
  const due = dueAt(companyId, 'HELD_RELEASE', createdAt, type);
  return { put: { ...keys.heldRelease(companyId, type), entity: 'HELD_RELEASE', ...job, ...due } };
}

/** @throws CorruptItem */
export function parseReleaseJob(item: Item): ReleaseJob {
  return parsed(JobItem, item, 'release job');
}

/**
 * Sends the oldest held deliveries of a type, one transaction each, and says how many it came across. Two releases at once
 * do not disturb each other: of two writes of one delivery one counts.
 */
export async function releaseHeld(
  { store, now, newId }: ReleaseDeps,
  of: { readonly companyId: string; readonly type: WebhookType; readonly limit: number },
): Promise<number> {
  const partition = heldPartition(of.companyId, of.type);
  const { items } = await store.query({ index: 'GSI2', partition, ascending: true, limit: of.limit });
  const held = items.length === 0 ? [] : await store.read(items.map(({ PK, SK }) => ({ PK, SK })));
  for (const item of held) {
    if (item === undefined) continue;
    const delivery = parseDelivery(item);
    const at = now();
    if (delivery.heldAt !== undefined && secondsBetween(delivery.heldAt, at) > releasedSeconds) {
      const shelved = shelve(delivery);
      if (shelved !== undefined) await writeDelivery(store, shelved);
      continue;
    }
    const released = release(delivery, at);
    if (released !== undefined) await writeSending(store, { delivery: released, notBefore: at, at, token: newId() });
  }
  return items.length;
}

/**
 * Goes on with a release. The job ends when nothing is held any more and nothing can appear late, or when the type has no
 * active endpoint again: then whoever gives it one writes a new job.
 */
export async function continueRelease(
  deps: ReleaseDeps,
  of: { readonly companyId: string; readonly type: WebhookType; readonly limit: number },
): Promise<number> {
  const { store, now, newId } = deps;
  const { companyId, type } = of;
  const key = keys.heldRelease(companyId, type);
  const [jobItem, settingsItem] = await store.read([key, keys.webhookSettings(companyId)]);
  if (jobItem === undefined) return 0;
  const job = parseReleaseJob(jobItem);
  const active = settingsItem !== undefined && addressOf({ type }, parseWebhookSettings(settingsItem)) !== undefined;
  const found = active ? await releaseHeld(deps, of) : 0;
  if (active && (found > 0 || !isSettled(job, now()))) return found;
  await store.write([{ delete: key, when: { equals: { createdAt: job.createdAt } } }], newId());
  return found;
}

function isSettled({ createdAt }: ReleaseJob, at: Instant): boolean {
  return secondsBetween(createdAt, at) > settledSeconds;
}
