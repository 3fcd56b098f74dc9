import type { Item } from '#shared/platform/table/store.ts';
import type { Finding } from '../world/history.ts';
import type { Change } from '../world/table.ts';

/** Statuses of what moves money, or has moved it: of one cycle there is one at a time. */
const live: Readonly<Record<string, ReadonlySet<unknown>>> = {
  SCHEDULED_PAYMENT: new Set(['INITIAL', 'PENDING', 'ACCEPTED', 'COMPLETED']),
  REFUND: new Set(['PENDING', 'SETTLED']),
  CREDIT_RETURN: new Set(['PENDING', 'SETTLED']),
};
const isLive = ({ entity, status }: Item): boolean => typeof entity === 'string' && live[entity]?.has(status) === true;

/** The partition of the pay-in or credit whose payment a dispute is about. */
function partitionOf(disputePk: string, orderId: unknown, creditId: unknown): string {
  const company = /^C#[^#]+/u.exec(disputePk)?.[0] ?? '';
  return typeof orderId === 'string' ? `${company}#ORDER#${orderId}` : `${company}#CREDIT#${String(creditId)}`;
}

/**
 * A cycle is collected once, whatever attempts and resends it has, and a pay-in or a credit is returned at most whole,
 * a credit that pays a pay-in not at all.
 */
export function onceChecks(finding: Finding) {
  /** The cycle of a payment, by its partition. */
  const cycles = new Map<string, string>();
  const livePlaces = new Map<string, string>();
  /** The amounts of pay-ins and credits, and of their returns that have not failed, by their partition. */
  const paid = new Map<string, number>();
  const returned = new Map<string, Map<string, number>>();
  const followRefund = (item: Item): void => {
    const { PK: own, SK, orderId, creditId } = item;
    const isDispute = item['entity'] === 'DISPUTE';
    const PK = isDispute ? partitionOf(own, orderId, creditId) : own;
    const live = returned.get(PK) ?? new Map<string, number>();
    returned.set(PK, live);
    if (isDispute) live.set(own, Number(item['returnedAmount']));
    else if (isLive(item)) live.set(SK, Number(item['amount']));
    else live.delete(SK);
    const sum = [...live.values()].reduce((total, amount) => total + amount, 0);
    if (sum > (paid.get(PK) ?? 0))
      finding('returns are at most what was received', `${sum} of ${paid.get(PK) ?? 0}`, [`${PK} ${SK}`]);
  };
  const follow = (item: Item): void => {
    if (item['entity'] === 'REFUND' || item['entity'] === 'CREDIT_RETURN' || item['entity'] === 'DISPUTE') {
      followRefund(item);
      return;
    }
    const { PK, SK } = item;
    const place = `${PK} ${SK}`;
    const group = cycles.get(PK) ?? PK;
    const other = livePlaces.get(group);
    if (isLive(item)) livePlaces.set(group, place);
    else if (other === place) livePlaces.delete(group);
    if (isLive(item) && other !== undefined && other !== place)
      finding('a cycle is charged once', `both ${place} and ${other}`, [place, other]);
  };
  return (changes: readonly Change[]): void => {
    const items = changes.flatMap(({ after }) => after ?? []);
    for (const { PK, entity, subscription, cycle } of items)
      if (entity === 'CHARGE_TERMS') cycles.set(PK, JSON.stringify([subscription, cycle]));
    for (const { PK, entity, amount, status } of items)
      if (entity === 'PAY_IN' || entity === 'CREDIT') paid.set(PK, status === 'ASSIGNED' ? 0 : Number(amount));
    const moving = items.filter(({ entity }) => typeof entity === 'string' && (entity in live || entity === 'DISPUTE'));
    // What ends before what begins in the same commit.
    for (const item of [...moving.filter((one) => !isLive(one)), ...moving.filter(isLive)]) follow(item);
  };
}
