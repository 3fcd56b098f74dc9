import { companyOf } from '#shared/platform/company.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import type { CompanyHealth } from '#shared/webhooks/health/health.ts';
import { parseHealth } from '#shared/webhooks/health/store.ts';
import { instantOf } from '#test/model/bank-books.ts';
import { openMinute } from '../world/scheduler.ts';
import type { World } from '../world/world.ts';
import { checkFollowed } from './following.ts';

/** With all injected faults, due work is at most this late, milliseconds. */
const latestMs = 7_200_000;
/** Kinds whose work has hours of its own, or no end, or of which a run does one after the other until one fails. */
const unhurried = new Set<string>(['SETTLEMENT_RESEND', 'CLOCKS', openMinute]);

/**
 * At the end of a night every waiting delivery has a time at which a worker continues with it. Whether this time has
 * passed is not checked during and shortly after an outage of a worker.
 */
export function checkWaiting(world: World): void {
  const { time, table, known, outages, isAwaited, finding } = world;
  const isHindered = outages.wasAny(time.now() - 2 * latestMs, time.now());
  const lateMs = isHindered ? -Infinity : time.now() - latestMs;
  const late = isHindered ? '' : instantOf(Math.floor(lateMs));
  const items = table.memory.all();
  const healths = new Map<string | undefined, CompanyHealth>();
  for (const item of items) {
    const companyId = item['entity'] === 'WEBHOOK_HEALTH' ? companyOf(item) : undefined;
    if (companyId !== undefined) healths.set(companyId, parseHealth(companyId, item));
  }
  for (const [companyId = '', health] of healths) {
    const halfOpen = health.circuits.find(({ state }) => state === 'HALF_OPEN');
    const why = halfOpen && undrained(halfOpen.name, health, late);
    if (why !== undefined) finding('waiting deliveries have a due time or a drain', why, [companyId]);
  }
  for (const item of items) {
    if (item['entity'] !== 'DELIVERY' || item['status'] !== 'PENDING') continue;
    const delivery = parseDelivery(item);
    const why = unwatched(delivery, healths.get(delivery.companyId), late);
    if (why !== undefined)
      finding('waiting deliveries have a due time or a drain', `delivery ${delivery.id}: ${why}`, [
        delivery.id,
        delivery.companyId,
      ]);
  }
  if (!isHindered) checkFollowed(world);
  for (const [place, { kind, atMs }] of known.due.due)
    if (atMs < lateMs && !unhurried.has(kind) && isAwaited(place, kind)) {
      const ids = place.split(/[# ]/u).filter((part) => part.length === 36);
      finding('due work is done in time', `${kind} since ${instantOf(atMs)}: ${place}`, ids.slice(1));
    }
}

/** Why no work is scheduled for a delivery; undefined when some is. */
function unwatched({ backlog, dueAt }: Delivery, health: CompanyHealth | undefined, late: string): string | undefined {
  if (backlog === undefined) return dueAt === undefined || dueAt < late ? `due ${dueAt ?? 'never'}` : undefined;
  if (health?.backlogs.some(({ name }) => name === backlog) !== true)
    return `no company health has its backlog ${backlog}`;
  return undrained(backlog, health, late);
}

function undrained(name: string, { lease, drainAt }: CompanyHealth, late: string): string | undefined {
  const at = lease?.until ?? drainAt;
  return at === undefined || at < late ? `the drain of ${name} is due ${at ?? 'never'}` : undefined;
}
