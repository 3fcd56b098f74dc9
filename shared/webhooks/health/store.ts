import type { Clock, Instant } from '#shared/core/brasilia-time.ts';
import { epochSeconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { dueAttributesAt } from '#shared/platform/table/due-keys.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { parseItem } from '#shared/platform/table/parse.ts';
import type { Item, Put, Store } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import type { HealthEvent } from '../dispatch/report.ts';
import { healthEvents } from '../dispatch/report.ts';
import type { Circuit } from './circuit.ts';
import type { CompanyHealth } from './health.ts';
import { HealthShape, newHealth } from './health.ts';
import { newFailuresPut } from './failures.ts';

/** Seconds. The table keeps an empty item for a day: versions must not start again while a worker may still write. */
const forgottenSeconds = 86_400;
/** Seconds after which the sweep requests another drain: its message is lost, or its worker is dead (lease over). */
const graceSeconds = 60;

/** Returns when the sweep checks the drain, if one is due or at work. */
export function drainDueAt({ lease, drainAt }: CompanyHealth): Instant | undefined {
  const at = lease?.until ?? drainAt;
  return at === undefined ? undefined : plusSeconds(at, graceSeconds);
}

/** @throws CorruptItem */
export function parseHealth(companyId: string, item: Item | undefined): CompanyHealth {
  return item === undefined ? newHealth(companyId) : parseItem(HealthShape, item, 'webhook health');
}

/** One read. @throws CorruptItem */
export async function readHealth(store: Store, companyId: string): Promise<CompanyHealth> {
  const [item] = await store.read([keys.webhookHealth(companyId)]);
  return parseHealth(companyId, item);
}

/**
 * Returns the writes of a change: the health, each new count of failed calls, and the message of a requested drain,
 * which the relay reads from the stream.
 */
export function healthWrites(current: CompanyHealth, next: CompanyHealth, at: Instant): readonly [Put, ...Put[]] {
  const { companyId, version } = current;
  const { circuits, backlogs, lease, drains, drainAt } = next;
  const due = drainDueAt(next);
  const expiresAt = epochSeconds(at) + forgottenSeconds;
  const put: Item = {
    ...keys.webhookHealth(companyId),
    entity: 'WEBHOOK_HEALTH',
    ...next,
    version: version + 1,
    ...(due !== undefined && dueAttributesAt(companyId, 'BACKLOG', due, 'HEALTH')),
    ...(circuits.length + backlogs.length === 0 && lease === undefined && { expiresAt }),
  };
  const health: Put = { put, when: version === 0 ? { is: 'absent' } : { equals: { version } } };
  const begun = circuits.flatMap((circuit) => {
    const before = current.circuits.find(({ name }) => name === circuit.name);
    const id = countOf(circuit);
    return id === undefined || id === countOf(before) ? [] : [newFailuresPut(companyId, circuit.name, id, at)];
  });
  if (drains === current.drains || drainAt === undefined) return [health, ...begun];
  const drain = { ...keys.drain(companyId, drains, drainAt), entity: 'WEBHOOK_DRAIN', createdAt: at, expiresAt };
  return [health, ...begun, { put: drain }];
}

function countOf(circuit: Circuit | undefined): string | undefined {
  return circuit !== undefined && 'counted' in circuit ? circuit.counted.id : undefined;
}

export type HealthDeps = {
  readonly store: Store;
  readonly now: Clock;
  readonly newId: () => string;
  /** Receives an event for every circuit that opened, failed a probe, was half-open, closed or was given up. */
  readonly onHealth?: (event: HealthEvent) => void;
  /** Waits between tries, when many workers change the health concurrently. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
  /** A random number from 0 to below 1. */
  readonly random?: () => number;
};

/** Tries of a change, a few seconds in all. Each concurrent change of another circuit may cost one try. */
const tries = 20;
const firstPauseMs = 5;
const longestPauseMs = 200;

/**
 * Changes the health of a company; after a concurrent change it reads it and tries again. Nothing is written when
 * `change` returns the same health.
 * @param known the health that was read before
 * @returns the health after the change
 * @throws StoreUnavailable also when others changed it during every try
 */
export async function changeHealth(
  { store, now, newId, onHealth = () => undefined, sleep, random = Math.random }: HealthDeps,
  known: CompanyHealth,
  change: (health: CompanyHealth, now: Instant) => CompanyHealth,
): Promise<CompanyHealth> {
  let current = known;
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const at = now();
    const next = change(current, at);
    if (next === current) return current;
    const [health, ...more] = healthWrites(current, next, at);
    const outcome = await (more.length === 0 ? store.writeOne(health) : store.write([health, ...more], newId()));
    if (outcome.ok) {
      healthEvents(current, next).forEach(onHealth);
      return { ...next, version: current.version + 1 };
    }
    await sleep?.(random() * Math.min(longestPauseMs, firstPauseMs * 2 ** attempt));
    current = await readHealth(store, current.companyId);
  }
  throw new StoreUnavailable('Cannot change the health of endpoints: it changed during every try.');
}
