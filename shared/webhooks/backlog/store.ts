import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { epochSeconds } from '#shared/core/brasilia-time.ts';
import type { CountedFailure, Backlog, OpenCircuit, Slot } from './model.ts';
import type { BacklogName } from '#shared/platform/outbox/delivery.ts';
import { isEmptyBacklog } from './model.ts';
import { dueAttributesAt, keys } from '#shared/platform/table/keys.ts';
import { BacklogNameShape } from '#shared/platform/outbox/delivery-items.ts';
import type { Members } from '#shared/platform/table/parse.ts';
import { parseItem } from '#shared/platform/table/parse.ts';
import type { Item, Put, Store } from '#shared/platform/table/store.ts';
import type { StateWrite } from '../deliveries/store.ts';
import { stateWrite } from '../deliveries/store.ts';

/** The table keeps an empty backlog for a day: its version must go on while a worker may still write it. */
const forgottenSeconds = 86_400;
/** 128 bits: no two addresses of a company share a hash, and the key stays short. */
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

/** A backlog in the table; in the due index while the sweep has to visit it. */
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

/** Writes the next state, if the table still has the one before: one version lower, or none. */
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

export async function writeBacklog(store: Store, next: Backlog, at: Instant): Promise<StateWrite<Backlog>> {
  return stateWrite(await store.writeOne(backlogPut(next, at)), parseBacklog);
}

/**
 * Appends one failure whatever else changed meanwhile, so that workers do not conflict. Fails when the circuit counts
 * none: it has no failures yet, it is open, or the endpoint is held.
 */
export async function appendFailure(
  store: Store,
  backlog: Backlog,
  failure: CountedFailure,
): Promise<StateWrite<Backlog>> {
  const when = { all: [{ has: 'failures' }, { lacks: 'open' }, { lacks: 'held' }] } as const;
  const update = keys.backlog(backlog.companyId, backlog.name);
  const append = { failures: [failure] };
  return stateWrite(await store.writeOne({ update, append, add: { version: 1 }, when }), parseBacklog);
}
