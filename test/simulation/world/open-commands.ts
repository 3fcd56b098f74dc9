import { childOrderId } from '#shared/core/identifiers.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { parseCreditReturn } from '#shared/credits/store.ts';
import { parsePayment, parsePayout } from '#shared/payouts/store.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { parseRefund } from '#shared/refunds/store.ts';

/** The first look-up of a worker is over by then. */
const longSeconds = 180;

/**
 * Commands to the bank that are open for long, by our references, as alarm and log show them to an operator: the bank
 * may have them, or not.
 *
 * @param items of one company @param now by the machine's clock
 */
export function openCommands(items: readonly Item[], now: string): readonly string[] {
  const isLong = (at: unknown): boolean => typeof at === 'string' && plusSeconds(at, longSeconds) < now;
  const open = items.filter(({ status }) => status === 'PENDING');
  const itemsOf = (entity: string): readonly Item[] => open.filter((item) => item['entity'] === entity);
  const orders = new Map(itemsOf('PAYOUT').map((item) => [item.PK, parsePayout(item)] as const));
  const payments = itemsOf('PAYOUT_PAYMENT').flatMap((item) => {
    const order = orders.get(item.PK);
    return order === undefined || !isLong(order.createdAt) ? [] : [childOrderId(order.id, parsePayment(item).sequence)];
  });
  return [
    ...[...orders.values()].filter(({ createdAt }) => isLong(createdAt)).map(({ id }) => id),
    ...payments,
    ...[...itemsOf('REFUND').map(parseRefund), ...itemsOf('CREDIT_RETURN').map(parseCreditReturn)]
      .filter(({ createdAt }) => isLong(createdAt))
      .map(({ id }) => id),
  ];
}
