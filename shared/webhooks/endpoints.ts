import type * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { typeBacklog } from '#shared/platform/outbox/delivery.ts';
import type { BacklogName } from '#shared/platform/outbox/delivery.ts';
import { dispatchOf, parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { backlogPartition, keys } from '#shared/platform/table/keys.ts';
import type { Listing, PageOf } from '#shared/platform/table/listing.ts';
import { listPage } from '#shared/platform/table/listing.ts';
import type { Page, Store } from '#shared/platform/table/store.ts';
import type { EndpointHealthRecord } from './contract.ts';
import { asOf, isOver } from './health/circuit.ts';
import { addressCircuit, circuitsOf, originCircuit, worstOf } from './health/health.ts';
import type { Circuit } from './health/circuit.ts';
import type { Endpoints } from './health/operations.ts';
import { findTakingNothing } from './failing-endpoints.ts';

/* Addresses and origins of a company that are not healthy, or with waiting deliveries, for partner and operator. */

type Shown = z.output<typeof EndpointHealthRecord>;

/** Waiting deliveries are counted up to this. */
const waitingCountedAtMost = 1000;

/**
 * Lists one page of endpoints, by address. Counts waiting deliveries in the index for each endpoint of the page, and
 * for each address that no circuit or failure shows as unhealthy.
 * @throws RequestError on a cursor of another listing
 */
export async function listEndpoints(
  store: Store,
  endpoints: Endpoints,
  page: Pick<Listing, 'limit' | 'cursor'>,
  now: Instant,
): Promise<PageOf<Shown>> {
  const { settings, health } = endpoints;
  const ofTypes = settings.events.map(({ endpoint }) => endpoint);
  const untaken = await findTakingNothing(store, health, now);
  const isStopped = (circuit: Circuit): boolean => asOf(circuit, now).state !== 'CLOSED' && !isOver(circuit, now);
  const stopped = health.circuits.filter(isStopped).map(({ url }) => url);
  const waiting = await Promise.all(health.backlogs.map(({ name }) => firstAddress(store, health.companyId, name)));
  const known = [...stopped, ...untaken.map(({ endpoint }) => endpoint)];
  const all = [...new Set([...ofTypes, ...known, ...waiting.flatMap((address) => address ?? [])])].toSorted();
  const isTrouble = async (endpoint: string): Promise<boolean> => {
    const { state, waiting } = await describeEndpoint(store, endpoints, endpoint, now);
    return state !== 'CLOSED' || waiting > 0;
  };
  const trouble = await Promise.all(
    all.map(async (endpoint) => (known.includes(endpoint) || (await isTrouble(endpoint)) ? [endpoint] : [])),
  );
  const entries = trouble.flat().map((endpoint) => {
    return { sort: endpoint, id: endpoint, item: keys.webhookHealth(health.companyId) };
  });
  const scope = { companyId: health.companyId, kind: 'WEBHOOK_ENDPOINT', filters: {} } as const;
  const { entries: shown, ...next } = await listPage(store, {
    ...page,
    scope,
    source: (after, count) => {
      const left = entries.filter(({ sort }) => after === undefined || sort > after.sort);
      const matching = left.slice(0, count);
      const last = matching.at(-1);
      return Promise.resolve({ matching, read: matching.length, ...(last && left.length > count && { last }) });
    },
  });
  const found = await Promise.all(
    shown.map(async ({ sort }) => {
      const described = await describeEndpoint(store, endpoints, sort, now);
      const failing = untaken.find(({ endpoint }) => endpoint === sort);
      return described.state === 'CLOSED' ? { ...described, ...failing } : described;
    }),
  );
  return { ...next, found };
}

/** Describes the current state of an address or an origin. */
export async function describeEndpoint(
  store: Store,
  { settings, health }: Endpoints,
  endpoint: string,
  now: Instant,
): Promise<Shown> {
  const circuits = circuitsOf(health, endpoint).filter((circuit) => !isOver(circuit, now));
  const worst = worstOf(circuits.map((circuit) => asOf(circuit, now)));
  const names = backlogsOf({ settings, health }, endpoint);
  const count = await countWaiting(store, health.companyId, names);
  const waiting = Math.min(count, waitingCountedAtMost);
  const waitingExact = count <= waitingCountedAtMost;
  const rates = health.backlogs.flatMap(({ name, perMinute }) => (names.includes(name) ? [perMinute ?? 0] : []));
  const perMinute = rates.reduce((sum, rate) => sum + rate, 0);
  return {
    endpoint,
    state: worst?.state ?? 'CLOSED',
    ...(worst !== undefined && 'failingSince' in worst && { failingSince: worst.failingSince }),
    ...(worst !== undefined && 'reason' in worst && { reason: worst.reason }),
    waiting,
    waitingExact,
    ...(perMinute > 0 && { perMinute }),
    ...(perMinute > 0 && waitingExact && { expectedEmptyAt: plusSeconds(now, Math.ceil((60 * waiting) / perMinute)) }),
  };
}

/** Whether the company has this address: in its settings, a circuit, or the first 50 deliveries of a backlog. */
export async function isKnownEndpoint(
  store: Store,
  { settings, health }: Endpoints,
  endpoint: string,
): Promise<boolean> {
  const isOwn = (url: string): boolean => url === endpoint;
  if (settings.events.some((event) => isOwn(event.endpoint)) || health.circuits.some(({ url }) => isOwn(url)))
    return true;
  const ofOrigin = health.circuits.find(({ name }) => name === originCircuit(endpoint));
  const names = [addressCircuit(endpoint), ...(ofOrigin === undefined ? [] : [ofOrigin.name])];
  const addresses = await Promise.all(names.map((name) => waitingAddresses(store, health.companyId, name, 50)));
  return addresses.flat().some(isOwn);
}

function backlogsOf({ settings, health }: Endpoints, endpoint: string): readonly BacklogName[] {
  const types = settings.events.filter((event) => event.endpoint === endpoint).map(({ type }) => typeBacklog(type));
  const own = health.circuits.filter(({ url }) => url === endpoint).map(({ name }) => name);
  return [...new Set([...types, ...own, addressCircuit(endpoint)])];
}

/** Counts the waiting deliveries, up to one above the limit: the count is then shown as not exact. */
async function countWaiting(store: Store, companyId: string, names: readonly BacklogName[]): Promise<number> {
  let count = 0;
  for (const name of names) {
    let after: Page['next'];
    do {
      const limit = waitingCountedAtMost + 1 - count;
      if (limit <= 0) return count;
      const partition = backlogPartition(companyId, name);
      const page: Page = await store.query({ index: 'GSI2', partition, limit, ...(after && { after }) });
      count += page.items.length;
      after = page.next;
    } while (after !== undefined);
  }
  return count;
}

async function firstAddress(store: Store, companyId: string, name: BacklogName): Promise<string | undefined> {
  return name.startsWith('address:') ? (await waitingAddresses(store, companyId, name, 1))[0] : undefined;
}

/** Reads the fixed addresses of the first deliveries in a backlog. */
async function waitingAddresses(
  store: Store,
  companyId: string,
  name: BacklogName,
  limit: number,
): Promise<readonly string[]> {
  const partition = backlogPartition(companyId, name);
  const { items } = await store.query({ index: 'GSI2', partition, ascending: true, limit });
  const known = items.filter(({ PK, SK }) => dispatchOf({ PK, SK }) !== undefined).map(({ PK, SK }) => ({ PK, SK }));
  const found = known.length === 0 ? [] : await store.read(known);
  const targets = found.flatMap((item) => (item === undefined ? [] : [parseDelivery(item).target]));
  return targets.flatMap((target) => ('endpoint' in target ? [target.endpoint] : []));
}
