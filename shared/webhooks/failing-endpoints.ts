import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Attempt, Delivery } from '#shared/platform/outbox/delivery.ts';
import { isTest } from '#shared/platform/outbox/delivery.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { keys, listPartition } from '#shared/platform/table/keys.ts';
import { entriesOf, listItems } from '#shared/platform/table/listing.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { Circuit } from './health/circuit.ts';
import { asOf, isOver, originOf } from './health/circuit.ts';
import type { CompanyHealth } from './health/health.ts';

/**
 * An address or origin that has acknowledged nothing for an hour although its circuit is closed: too few calls failed
 * to open the circuit. It is only shown: deliveries are sent to it as before.
 */
type TakingNothing = {
  readonly endpoint: string;
  /** The first of its failures in a row, among the newest deliveries of the last day. */
  readonly failingSince: Instant;
  /** How the last failed call ended: an error, or `HTTP` and the status. */
  readonly reason: string;
};

const hourSeconds = 3600;
/** Failures are looked for as far back as a circuit remembers them. */
const lookBackSeconds = 86_400;
/** Deliveries of a page, and the most pages: the newest deliveries of a company that has failures in a row. */
const pageSize = 100;
const mostPages = 5;

/**
 * Finds the addresses and origins that acknowledge nothing. A company without failures in a row costs no read. A test
 * notification counts only if it was delivered; a failure counts while its notification is owed.
 */
export async function findTakingNothing(
  store: Store,
  health: CompanyHealth,
  now: Instant,
): Promise<readonly TakingNothing[]> {
  const suspects = health.circuits.filter((circuit) => isFailingUnopened(asOf(circuit, now)) && !isOver(circuit, now));
  if (suspects.length === 0) return [];
  const deliveries = await readNewest(store, health.companyId, plusSeconds(now, -lookBackSeconds));
  return suspects.flatMap(({ url }) => {
    const calls = callsOf(deliveries, url);
    const lastTaken = calls.findIndex(({ attempt }) => attempt.outcome === 'DELIVERED');
    const takenAt = calls[lastTaken]?.attempt.at;
    if (takenAt !== undefined && takenAt > plusSeconds(now, -hourSeconds)) return [];
    const failures = calls
      .slice(0, lastTaken < 0 ? calls.length : lastTaken)
      .filter(({ attempt, delivery }) => attempt.outcome === 'FAILED' && !isTest(delivery) && !isTaken(delivery));
    const [last, first] = [failures[0], failures.at(-1)];
    if (last === undefined || first === undefined) return [];
    return [{ endpoint: url, failingSince: first.attempt.at, reason: reasonOf(last.attempt) }];
  });
}

/** Whether the partner has taken the notification since, maybe at another address: then it is not owed here. */
function isTaken({ closedAt }: Delivery): boolean {
  return closedAt !== undefined;
}

function isFailingUnopened(circuit: Circuit): boolean {
  return circuit.state === 'CLOSED' && circuit.counted !== undefined;
}

async function readNewest(store: Store, companyId: string, createdAfter: Instant): Promise<readonly Delivery[]> {
  const source = entriesOf(store, {
    index: 'GSI2',
    partition: listPartition(companyId, 'DELIVERY'),
    // Sort keys begin with the time and a `#`.
    from: `${createdAfter}~`,
    keyOf: ({ id }) => keys.deliveryBody(companyId, id),
  });
  const scope = { companyId, kind: 'DELIVERY', filters: { createdAfter } } as const;
  const all: Delivery[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < mostPages; page += 1) {
    const listing = { limit: pageSize, scope, source, ...(cursor !== null && { cursor }) };
    const { found, nextCursor } = await listItems(store, listing, (id) => keys.delivery(companyId, id));
    all.push(...found.flatMap((item) => (item === undefined ? [] : [parseDelivery(item)])));
    cursor = nextCursor;
    if (cursor === null) break;
  }
  return all;
}

/** Returns the calls to an address or an origin, newest first. A delivery knows only the address of its last call. */
function callsOf(deliveries: readonly Delivery[], url: string) {
  return deliveries
    .filter(({ endpoint = '' }) => endpoint === url || originOf(endpoint) === url)
    .flatMap((delivery) => delivery.attempts.map((attempt) => ({ delivery, attempt })))
    .toSorted((a, b) => (a.attempt.at > b.attempt.at ? -1 : 1));
}

function reasonOf({ httpStatus, error = 'STATUS' }: Attempt): string {
  return httpStatus === undefined ? error : `HTTP ${httpStatus}`;
}
