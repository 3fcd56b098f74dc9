import type { Item } from '#shared/platform/table/store.ts';
import type { Finding } from '../world/history.ts';
import type { Change } from '../world/table.ts';

/** Statuses of what moves money, or has moved it: of one cycle, or one pay-in, there is one at a time. */
const live: Readonly<Record<string, ReadonlySet<unknown>>> = {
  SCHEDULED_PAYMENT: new Set(['INITIAL', 'PENDING', 'ACCEPTED', 'COMPLETED']),
  REFUND: new Set(['PENDING', 'SETTLED']),
};
const isLive = ({ entity, status }: Item): boolean => typeof entity === 'string' && live[entity]?.has(status) === true;

/** A cycle is collected once, whatever attempts and resends it has, and a pay-in is returned once. */
export function onceChecks(finding: Finding) {
  /** The cycle of a payment, by its partition. */
  const cycles = new Map<string, string>();
  const livePlaces = new Map<string, string>();
  const follow = (item: Item): void => {
    const { PK, SK } = item;
    const place = `${PK} ${SK}`;
    const group = item['entity'] === 'REFUND' ? PK : (cycles.get(PK) ?? PK);
    const other = livePlaces.get(group);
    if (isLive(item)) livePlaces.set(group, place);
    else if (other === place) livePlaces.delete(group);
    if (isLive(item) && other !== undefined && other !== place)
      finding('a cycle is charged once, a pay-in refunded once', `both ${place} and ${other}`, [place, other]);
  };
  return (changes: readonly Change[]): void => {
    const items = changes.flatMap(({ after }) => after ?? []);
    for (const { PK, entity, subscription, cycle } of items)
      if (entity === 'CHARGE_TERMS') cycles.set(PK, JSON.stringify([subscription, cycle]));
    const moving = items.filter(({ entity }) => typeof entity === 'string' && entity in live);
    // What ends before what begins in the same commit.
    for (const item of [...moving.filter((one) => !isLive(one)), ...moving.filter(isLive)]) follow(item);
  };
}
