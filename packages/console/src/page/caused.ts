import type { Instant } from '#shared/core/brasilia-time.ts';
import { ask, readDeliveries, readEach, readEntries } from './api.ts';
import type { Step } from './timeline.ts';
import { deliverySteps, entrySteps, payInSteps, refundSteps } from './timeline.ts';

/**
 * Reads the timeline of pay-ins: their statuses, refunds, entries and deliveries.
 *
 * @param others Ids of other resources, whose deliveries are read as well.
 */
export async function readCaused(
  others: readonly string[],
  orderIds: readonly string[],
  titleOf: (orderId: string) => string,
  createdFrom: Instant,
  accountId?: string,
): Promise<readonly Step[]> {
  const [orders, refunds, deliveries, entries] = await Promise.all([
    readEach(orderIds, (id) => ask({ operation: 'getPayIn', params: { id } })),
    readEach(orderIds, (id) => ask({ operation: 'listRefunds', params: { id } })),
    readEach([...others, ...orderIds], readDeliveries),
    readEntries(orderIds, createdFrom, accountId),
  ]);
  return [
    ...orders.flatMap((order) => payInSteps(order, titleOf(order.id))),
    ...refundSteps(refunds.flatMap(({ data }) => data)),
    ...entrySteps(entries),
    ...deliverySteps(deliveries.flat()),
  ];
}
