import type { Item } from '#shared/platform/table/store.ts';
import type { Finding } from '../world/history.ts';
import type { Change } from '../world/table.ts';

/** Of a payment that may still collect money, or has. */
const collecting = new Set<unknown>(['INITIAL', 'PENDING', 'ACCEPTED', 'COMPLETED']);
const isCollecting = ({ status }: Item): boolean => collecting.has(status);

/** A cycle is collected once: of its payments, with new attempts and resends, at most one is under way or completed. */
export function cycleChecks(finding: Finding) {
  /** The cycle of a payment, and the payment of a cycle that collects: by partitions. */
  const cycles = new Map<string, string>();
  const live = new Map<string, string>();
  const follow = (payment: Item): void => {
    const { PK } = payment;
    const cycle = cycles.get(PK) ?? PK;
    const present = live.get(cycle);
    if (isCollecting(payment)) live.set(cycle, PK);
    else if (present === PK) live.delete(cycle);
    if (isCollecting(payment) && present !== undefined && present !== PK)
      finding('a cycle is collected once', `by ${PK} beside ${present}`, [PK, present]);
  };
  return (changes: readonly Change[]): void => {
    const items = changes.flatMap(({ after }) => after ?? []);
    for (const { PK, entity, subscription, cycle } of items)
      if (entity === 'CHARGE_TERMS') cycles.set(PK, JSON.stringify([subscription, cycle]));
    const payments = items.filter(({ entity }) => entity === 'SCHEDULED_PAYMENT');
    // What ends before what begins in the same commit.
    for (const payment of [...payments.filter((one) => !isCollecting(one)), ...payments.filter(isCollecting)])
      follow(payment);
  };
}
