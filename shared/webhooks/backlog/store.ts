import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Instant, Clock } from '#shared/core/brasilia-time.ts';
import { epochSeconds } from '#shared/core/brasilia-time.ts';
import type { CountedFailure, Backlog, OpenCircuit, Slot } from './model.ts';
import type { BacklogName } from '#shared/platform/outbox/delivery.ts';
import { isEmptyBacklog } from './model.ts';
import { dueAttributesAt, keys } from '#shared/platform/table/keys.ts';
import { BacklogNameShape } from '#shared/platform/outbox/delivery-items.ts';
import type { Members } from '#shared/platform/table/parse.ts';
import { parseItem } from '#shared/platform/table/parse.ts';
import type { Item, Put, Store } from '#shared/platform/table/store.ts';
import { markFailing } from '../settings.ts';
import { readWebhookSettings, webhookSettingsItem } from '../settings-store.ts';

/** An empty backlog is kept for a day: its version goes on counting while a worker may still write it. */
const forgottenSeconds = 86_400;
/** 128 bits: no two addresses of a company share one, and the key stays short whatever the address. */
const hashLength = 32;
const FailureShape = z.object({
  at: z.string(),
  deliveryId: z.string(),
  timedOut: z.boolean(),
} satisfies Members<CountedFailure>);
const SlotShape = z.object({ deliveryId: z.string(), until: z.string() } satisfies Members<Slot>);

const BacklogItem = z.object({
  companyId: z.string(),
  name: BacklogNameShape,
  version: z.int(),
  endpoint: z.string().exactOptional(),
  failures: z.array(FailureShape).exactOptional(),
  slots: z.array(SlotShape).exactOptional(),
  open: z
    .object({
      at: z.string(),
      failingSince: z.string(),
      probes: z.int(),
      probedAt: z.string(),
    } satisfies Members<OpenCircuit>)
    .exactOptional(),
  held: z
    .object({
      at: z.string(),
      by: z.enum(['OPERATOR', 'CIRCUIT']),
      failingSince: z.string().exactOptional(),
      upTo: z.string().exactOptional(),
      isMarked: z.literal(true).exactOptional(),
    } satisfies Members<NonNullable<Backlog['held']>>)
    .exactOptional(),
  releasedAt: z.string().exactOptional(),
  inFlight: z
    .object({ deliveryId: z.string(), dispatch: z.int() } satisfies Members<NonNullable<Backlog['inFlight']>>)
    .exactOptional(),
  dueAt: z.string().exactOptional(),
} satisfies Members<Backlog>);

/** The backlog of an address of a company. */
export function endpointBacklog(endpoint: string): BacklogName {
  return `endpoint:${createHash('sha256').update(endpoint).digest('hex').slice(0, hashLength)}`;
}

/** A backlog in the table; in the due index while the sweep has to look at it. */
export function backlogItem(backlog: Backlog, at: Instant): Item {
  const { companyId, name, dueAt: due } = backlog;
  return {
    ...keys.backlog(companyId, name),
    entity: 'BACKLOG',
    ...backlog,
    ...(due !== undefined && dueAttributesAt(companyId, 'BACKLOG', due, name)),
    ...(isEmptyBacklog(backlog) && { expiresAt: epochSeconds(at) + forgottenSeconds }),
  };
}

/** @throws CorruptItem */
export function parseBacklog(item: Item): Backlog {
  return parseItem(BacklogItem, item, 'backlog');
}

/**
 * Writes the next state, if the backlog still is as the decision found it (one version lower; absent before the first).
 */
export function backlogPut(next: Backlog, at: Instant): Put {
  const before = next.version - 1;
  return { put: backlogItem(next, at), when: before === 0 ? { is: 'absent' } : { equals: { version: before } } };
}

/** One read. @throws CorruptItem */
export async function readBacklog(store: Store, companyId: string, name: BacklogName): Promise<Backlog | undefined> {
  const [item] = await store.read([keys.backlog(companyId, name)]);
  return item && parseBacklog(item);
}

/** The backlogs of these names that exist, in one read. @throws CorruptItem */
export async function readBacklogs(
  store: Store,
  companyId: string,
  names: readonly BacklogName[],
): Promise<ReadonlyMap<BacklogName, Backlog>> {
  const wanted = [...new Set(names)];
  const items = wanted.length === 0 ? [] : await store.read(wanted.map((name) => keys.backlog(companyId, name)));
  return new Map(
    items.flatMap((item) => (item === undefined ? [] : [parseBacklog(item)])).map((backlog) => [backlog.name, backlog]),
  );
}

/**
 * A write of a backlog's next state. `present`: what stood there instead of the state that the decision was made on.
 */
type BacklogWriteResult = { readonly ok: true } | { readonly ok: false; readonly present: Backlog | undefined };

export async function writeBacklog(store: Store, next: Backlog, at: Instant): Promise<BacklogWriteResult> {
  const outcome = await store.writeOne(backlogPut(next, at));
  if (outcome.ok) return outcome;
  const present = outcome.failed[0]?.item;
  return { ok: false, present: present && parseBacklog(present) };
}

/**
 * Counts one more failure, whatever else changed meanwhile, so that workers do not conflict with each other. Refused
 * when no failure is counted any more, the circuit is open, or the endpoint is held.
 */
export async function appendFailure(
  store: Store,
  backlog: Backlog,
  failure: CountedFailure,
): Promise<BacklogWriteResult> {
  const when = { all: [{ has: 'failures' }, { lacks: 'open' }, { lacks: 'held' }] } as const;
  const append = { failures: [failure] };
  const update = keys.backlog(backlog.companyId, backlog.name);
  const outcome = await store.writeOne({ update, append, add: { version: 1 }, when });
  if (outcome.ok) return outcome;
  const present = outcome.failed[0]?.item;
  return { ok: false, present: present && parseBacklog(present) };
}

/**
 * Writes a circuit that opens or closes, in one transaction with the settings that name its endpoint: what the partner
 * reads there and what happens to the notifications cannot differ. The address of a subscription stands in no settings.
 */
export async function writeCircuit(
  { store, now, newId }: { readonly store: Store; readonly now: Clock; readonly newId: () => string },
  backlog: Backlog,
): Promise<BacklogWriteResult> {
  const { companyId, name, endpoint, open } = backlog;
  const settings = await readWebhookSettings(store, companyId);
  const marked = endpoint === undefined ? undefined : markFailing(settings, endpoint, open?.failingSince);
  if (marked === undefined) return writeBacklog(store, backlog, now());
  const when = { equals: { version: settings.version } };
  const outcome = await store.write([backlogPut(backlog, now()), { put: webhookSettingsItem(marked), when }], newId());
  if (outcome.ok) return outcome;
  return { ok: false, present: await readBacklog(store, companyId, name) };
}
