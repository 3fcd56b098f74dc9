import type { Item } from '#shared/platform/table/store.ts';
import type { Finding } from '../world/history.ts';
import type { Change } from '../world/table.ts';

const undecided = new Set(['OPEN', 'DEFENDED']);
const textOf = (item: Item, name: string): string => {
  const value = item[name];
  return typeof value === 'string' ? value : '';
};
const numberOf = (item: Item, name: string): number => (typeof item[name] === 'number' ? item[name] : 0);

/** The payment of a dispute, by the company and the order or credit that has it. */
const paymentOf = (item: Item): string =>
  `${/^C#[^#]+/u.exec(item.PK)?.[0] ?? ''} ${textOf(item, 'orderId') || textOf(item, 'creditId')}`;

/**
 * A dispute's entries are what is blocked for it and what went back by it; a payment is in one dispute at a time, and
 * goes back in no other way meanwhile; together no more goes back than was received.
 */
export function disputeChecks(finding: Finding) {
  /** What the entries of a dispute add up to. */
  const booked = new Map<string, { available: number; blocked: number }>();
  /** The undecided dispute of a payment. */
  const openOf = new Map<string, string>();
  const report = (text: string, id: string): void => {
    finding('a dispute moves its money once', text, [id]);
  };
  const book = (entry: Item): void => {
    const id = textOf(entry, 'disputeId');
    const sum = booked.get(id) ?? { available: 0, blocked: 0 };
    sum.available += numberOf(entry, 'available');
    sum.blocked += numberOf(entry, 'blocked');
    booked.set(id, sum);
  };
  const check = (dispute: Item): void => {
    const [id, status] = [textOf(dispute, 'id'), textOf(dispute, 'status')];
    const [claimed, blocked, returned] = ['amount', 'blockedAmount', 'returnedAmount'].map((name) =>
      numberOf(dispute, name),
    ) as [number, number, number];
    const sum = booked.get(id) ?? { available: 0, blocked: 0 };
    if (sum.blocked !== blocked) report(`${sum.blocked} is blocked, and not ${blocked}`, id);
    if (sum.available !== 0 - returned - blocked)
      report(`${-sum.available - blocked} went back, and not ${returned}`, id);
    if (blocked > claimed || returned > claimed) report(`more than ${claimed} is blocked or went back`, id);
    if (!undecided.has(status) && blocked !== 0) report(`it is ${status}, and ${blocked} is blocked`, id);
    if (status !== 'ACCEPTED' && returned !== 0) report(`it is ${status}, and ${returned} went back`, id);
    const payment = paymentOf(dispute);
    const other = openOf.get(payment);
    if (undecided.has(status) && other !== undefined && other !== id)
      report(`its payment is in the dispute ${other}`, id);
    if (undecided.has(status)) openOf.set(payment, id);
    else if (other === id) openOf.delete(payment);
  };
  return (changes: readonly Change[]): void => {
    for (const { before, after } of changes)
      if (before === undefined && after?.['entity'] === 'LEDGER_ENTRY' && after['disputeId'] !== undefined) book(after);
    for (const { before, after } of changes) {
      if (after === undefined) continue;
      if (after['entity'] === 'DISPUTE') check(after);
      const isNewReturn = before === undefined && (after['entity'] === 'REFUND' || after['entity'] === 'CREDIT_RETURN');
      const open = isNewReturn ? openOf.get(paymentOf(after)) : undefined;
      if (open !== undefined) report(`a return of its payment is requested: ${textOf(after, 'id')}`, open);
    }
  };
}
