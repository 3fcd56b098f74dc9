import type { Instant } from '#shared/core/brasilia-time.ts';
import { notFound } from '#shared/core/errors.ts';
import { companyIds, parseCompany } from '#shared/platform/company.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { isOpen, isTest } from '#shared/platform/outbox/delivery.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { keys, listPartition, openDeliveriesPartition } from '#shared/platform/table/keys.ts';
import type { Circuit } from '#shared/webhooks/health/circuit.ts';
import { parseHealth } from '#shared/webhooks/health/store.ts';
import { findTakingNothing } from '#shared/webhooks/failing-endpoints.ts';
import type { Item, Key, Page, Query, Store } from '#shared/platform/table/store.ts';
import { parseWebhookSettings } from '#shared/webhooks/settings-store.ts';
import type { OnboardingDependencies } from './target.ts';

/** An endpoint that is held, that accepted no call for an hour, or whose circuit is open. */
export type EndpointHealth = {
  readonly endpoint: string;
  /**
   * `FAILING`: only probes are sent. `TAKES_NOTHING`: every call of an hour failed, but they were too few to open the
   * circuit. `GIVEN_UP`: the endpoint is disabled until the partner activates it. `HELD`: an operator holds it.
   */
  readonly state: 'FAILING' | 'TAKES_NOTHING' | 'GIVEN_UP' | 'HELD';
  readonly since: Instant;
  /** Outcome of the latest call: an error, or `HTTP` and the status. */
  readonly reason: string | null;
};

type CompanyHealth = {
  readonly companyId: string;
  readonly name: string;
  /** `UNDELIVERED`: no endpoint has a problem, but notifications are held, or failed and no resend delivered them. */
  readonly health: 'GOOD' | 'UNDELIVERED' | 'HELD' | 'FAILING';
  /** An operator holds all notifications of the company. */
  readonly heldSince: Instant | null;
  /** Deliveries that wait for an active endpoint or a release and that no resend delivered; at most 1000. */
  readonly heldCount: number;
  /** Failed deliveries that no resend delivered; at most 1000. */
  readonly failedCount: number;
  /** Time of creation of the oldest notification that is held, waits in a backlog or waits for its next attempt. */
  readonly oldestUndelivered: Instant | null;
  readonly endpoints: readonly EndpointHealth[];
};

export const deliveriesCountedAtMost = 1000;
/** Deliveries per read. */
const pageSize = 25;
/** Entries of an index per query. */
const openReadAtOnce = 250;

/**
 * Checks the notifications of one company or all, oldest company first. It only reads, with about eight calls for each
 * healthy company.
 * @throws RequestError when there is no such company.
 */
export async function checkHealth(
  { store, now }: Pick<OnboardingDependencies, 'store' | 'now'>,
  { companyId }: { readonly companyId: string | undefined },
): Promise<readonly CompanyHealth[]> {
  const found: (CompanyHealth & { readonly createdAt: Instant })[] = [];
  if (companyId !== undefined) found.push(await healthOf(store, companyId, now()));
  else for await (const id of companyIds(store)) found.push(await healthOf(store, id, now()));
  return found
    .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
    .map(({ createdAt: _createdAt, ...health }) => health);
}

async function healthOf(
  store: Store,
  companyId: string,
  now: Instant,
): Promise<CompanyHealth & { readonly createdAt: Instant }> {
  const [item, settingsItem, healthItem] = await store.read([
    keys.company(companyId),
    keys.webhookSettings(companyId),
    keys.webhookHealth(companyId),
  ]);
  if (item === undefined || settingsItem === undefined) throw notFound('Company');
  const { name, createdAt } = parseCompany(item);
  const { heldSince = null } = parseWebhookSettings(settingsItem);
  const endpoints = await troubledEndpoints(store, parseHealth(companyId, healthItem), now);
  const isFailing = endpoints.some(({ state }) => state !== 'HELD');
  const isHeld = heldSince !== null || endpoints.length > 0;
  const pending = { index: 'GSI1', partition: listPartition(companyId, 'DELIVERY#PENDING') } as const;
  const held = { index: 'GSI3', partition: openDeliveriesPartition(companyId, 'HELD') } as const;
  const oldest = [await oldestOf(store, pending, 'PENDING'), await oldestOf(store, held, 'HELD')];
  const heldCount = await countOpen(store, companyId, 'HELD');
  const failedCount = await countOpen(store, companyId, 'FAILED');
  const [oldestUndelivered = null] = oldest.filter((at) => at !== undefined).toSorted();
  const health = isFailing ? 'FAILING' : isHeld ? 'HELD' : heldCount + failedCount > 0 ? 'UNDELIVERED' : 'GOOD';
  return { companyId, name, health, heldSince, heldCount, failedCount, oldestUndelivered, endpoints, createdAt };
}

/** Finds the endpoints of a company that fail or are held. A company whose endpoints are well costs no read. */
export async function troubledEndpoints(
  store: Store,
  webhooks: ReturnType<typeof parseHealth>,
  now: Instant,
): Promise<readonly EndpointHealth[]> {
  const untaken = await findTakingNothing(store, webhooks, now);
  return [
    ...webhooks.circuits.flatMap(troubleOf),
    ...untaken.map(({ failingSince: since, ...rest }) => ({ ...rest, state: 'TAKES_NOTHING' as const, since })),
  ];
}

function troubleOf(circuit: Circuit): EndpointHealth[] {
  const { url: endpoint, state } = circuit;
  if (state === 'OPEN') return [{ endpoint, state: 'FAILING', since: circuit.failingSince, reason: circuit.reason }];
  if (state !== 'HELD') return [];
  const { by, since, failingSince = since, reason = null } = circuit;
  return [
    by === 'OPERATOR'
      ? { endpoint, state: 'HELD', since, reason }
      : { endpoint, state: 'GIVEN_UP', since: failingSince, reason },
  ];
}

/**
 * Returns the time of creation of the oldest delivery with this status. The index is eventually consistent: deliveries
 * whose status is another by now are skipped.
 */
async function oldestOf(
  store: Store,
  list: Pick<Query, 'index' | 'partition'>,
  status: 'PENDING' | 'HELD',
): Promise<Instant | undefined> {
  const counts = (delivery: Delivery): boolean =>
    delivery.status === status && delivery.closedAt === undefined && !isTest(delivery);
  let after: Page['next'];
  for (let looked = 0; looked < deliveriesCountedAtMost; looked += pageSize) {
    const page: Page = await store.query({ ...list, ascending: true, limit: pageSize, ...(after && { after }) });
    const { items } = page;
    const current = items.length === 0 ? [] : await store.read(items.map(({ PK, SK }) => ({ PK, SK })));
    const found = current.flatMap((item) => (item === undefined ? [] : [parseDelivery(item)])).find(counts);
    if (found !== undefined) return found.createdAt;
    after = page.next;
    if (after === undefined) break;
  }
  return undefined;
}

/**
 * Counts the deliveries of a status that no resend delivered, at most 1000. The index lags behind, so each delivery
 * itself is read.
 */
export async function countOpen(store: Store, companyId: string, status: 'HELD' | 'FAILED'): Promise<number> {
  const found: Key[] = [];
  const partition = openDeliveriesPartition(companyId, status);
  for await (const { PK, SK } of itemsOf(store, { index: 'GSI3', partition, limit: openReadAtOnce })) {
    found.push({ PK, SK });
    if (found.length === deliveriesCountedAtMost) break;
  }
  let count = 0;
  for (let start = 0; start < found.length; start += pageSize)
    for (const item of await store.read(found.slice(start, start + pageSize))) {
      const delivery = item && parseDelivery(item);
      if (delivery?.status === status && isOpen(delivery) && !isTest(delivery)) count += 1;
    }
  return count;
}

async function* itemsOf(store: Store, query: Query): AsyncGenerator<Item, void, void> {
  let after: Page['next'];
  do {
    const page: Page = await store.query({ ...query, ...(after && { after }) });
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}
