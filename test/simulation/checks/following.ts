import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { instantOf } from '#test/model/bank-books.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';
import type { memoryStore } from '#test/support/memory-store.ts';
import type { Finding } from '../world/history.ts';
import type { troublesOf } from '../world/troubles.ts';
import type { addressChecks } from './addresses.ts';

/** What waits follows its subscription within so long, milliseconds … */
const followsMs = 120_000;
/** … or so long after a worker failed that carries it: until the sweep, whose runs may be missed, asks again. */
const mendedMs = 900_000;

/** Of the world, what this looks at. */
type Watched = {
  readonly time: VirtualTime;
  readonly table: { readonly memory: Pick<ReturnType<typeof memoryStore>, 'all'> };
  readonly known: { readonly addresses: ReturnType<typeof addressChecks> };
  readonly troubles: Pick<ReturnType<typeof troublesOf>, 'lastMs'>;
  readonly finding: Finding;
};

/** What waits in the backlog of an address follows its subscription, which has moved just now. */
export function followMove(world: Watched, subscriptionId: string): void {
  const { time, troubles } = world;
  const look = (): void => {
    if (isTroubled(world)) time.at(troubles.lastMs() + mendedMs, look);
    else checkFollowed(world, subscriptionId);
  };
  time.at(time.now() + followsMs, look);
}

/** Nothing while a worker that carries it may not be missed yet. @param only of one subscription; of all without it */
export function checkFollowed(world: Watched, only?: string): void {
  const { time, table, known, finding } = world;
  if (isTroubled(world)) return;
  const now = instantOf(Math.floor(time.now()));
  for (const item of table.memory.all()) {
    const { entity, backlog: name } = item;
    if (entity !== 'DELIVERY' || typeof name !== 'string' || !/^(address|origin):/u.test(name)) continue;
    const delivery = parseDelivery(item);
    const leftMs = known.addresses.leftMs(delivery);
    if (leftMs === undefined || leftMs + followsMs > time.now() || isCalled(delivery, now)) continue;
    if (only !== undefined && known.addresses.subscriptionOf(delivery) !== only) continue;
    const { id, status, backlog, companyId } = delivery;
    const text = `delivery ${id} is ${status} in backlog ${backlog ?? 'none'}, whose address its subscription left ${Math.floor((time.now() - leftMs) / 1000)} s ago`;
    finding('waiting deliveries follow their subscription', text, [id, companyId]);
  }
}

function isTroubled({ time, troubles }: Watched): boolean {
  return troubles.lastMs() + mendedMs > time.now();
}

function isCalled({ claim }: Delivery, now: string): boolean {
  return claim !== undefined && claim.leaseUntil > now;
}
